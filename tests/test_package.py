"""What is installed is whole: run from source, and again against the built wheel."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphdream
import graphdream.config
from graphdream.errors import GraphdreamError

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = Path(graphdream.__path__[0])
FROM_SOURCE = PACKAGE.parent == PROJECT

pytestmark = pytest.mark.wheel


def test_type_information_is_shipped():
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.parametrize(
    ("shipped", "source"),
    [
        ("migrations", "migrations"),
        ("DREAMING.md", "DREAMING.md"),
        ("demo/small.jsonl.gz", "fixtures/small.jsonl.gz"),
    ],
)
def test_files_read_at_run_time_are_where_their_loaders_look(shipped, source):
    """In a wheel they lie in the package; an editable install leaves them in the source tree."""
    assert (PROJECT / source if FROM_SOURCE else PACKAGE / shipped).exists()
    if not FROM_SOURCE and (PROJECT / source).is_dir():
        names = {file.name for file in (PROJECT / source).glob("*.sql")}
        assert {file.name for file in (PACKAGE / shipped).glob("*.sql")} == names


def test_version_is_the_project_s():
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert graphdream.__version__ == importlib.metadata.version("graphdream") == declared


def test_the_command_is_installed():
    (command,) = importlib.metadata.entry_points(group="console_scripts", name="graphdream")
    assert importlib.util.find_spec(command.module) is not None


def test_every_exit_code_is_documented():
    def below(error: type[GraphdreamError]) -> Iterator[type[GraphdreamError]]:
        yield error
        for narrower in error.__subclasses__():
            yield from below(narrower)

    table = (PROJECT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert {error.exit_code for error in below(GraphdreamError)} <= documented
