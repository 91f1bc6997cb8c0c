"""What every test may ask for: the project's folders, the fixtures, the larger data sets kept beside the project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from graphdream.interfaces.hook.folder import second_log
from tests.support.blank import copied_from_one
from tests.support.disk import unwaited

# The same examples every time where a red run must mean a changed program; new ones on a developer's machine.
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The folder of fixtures that ship with the project."""
    return PROJECT / "fixtures"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the development data: `$GRAPHDREAM_DATA`, else `../shared/data` beside the project.

    Where it is missing, tests that ask for it are skipped and the summary says why.
    """
    configured = os.environ.get("GRAPHDREAM_DATA")
    folder = Path(configured) if configured else PROJECT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"NOT TESTED: no development data at {folder}; set GRAPHDREAM_DATA to its folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _own_keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One key and one folder of anchors for all tests: files that several of them share are sealed with it, and made in
    a home that is nobody's. What lies in the folder for temporary files of this machine is none of a test's business."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHDREAM_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("GRAPHDREAM_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("GRAPHDREAM_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("tmp")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_waiting() -> Iterator[None]:
    """No test but those of the migrations waits for them, and none for the disk. Processes that tests start do both."""
    with copied_from_one(), unwaited():
        yield


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the home, the settings or the environment of the person who runs it."""
    kept = ("GRAPHDREAM_DATA", "GRAPHDREAM_CONFIG_HOME", "GRAPHDREAM_STATE_HOME")
    for variable in os.environ:
        if variable.startswith("GRAPHDREAM_") and variable not in kept:
            monkeypatch.delenv(variable)
    monkeypatch.setenv("GRAPHDREAM_HOME", str(tmp_path / "home"))
    Path(second_log()).unlink(missing_ok=True)  # a hook of the test before may have failed
