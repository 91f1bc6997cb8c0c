"""A pipe or a device where a file is looked for is named and not waited for, and never read until memory is out."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from graphdream.interfaces.cli import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no folder holds a pipe or a device here")
SECONDS = 20  # what takes longer waits for ever
REFUSED, USAGE = 3, 2


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """Whoever waits is interrupted, which is exit code 130."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("put", [os.mkfifo, _endless], ids=["pipe", "device"])
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["import"], "MEMORY.md"),
        (["import", "--format", "obsidian"], "note.md"),
        (["import", "--format", "rockbot"], "entry.json"),
        (["import", "--format", "transcripts"], "session.jsonl"),
        (["skills", "import"], "SKILL.md"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_in_a_folder_it_is_named_and_nothing_is_taken(
    words: list[str], name: str, put: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    put(folder / name)
    assert main([*words, str(folder), "--db", str(tmp_path / "memory.db")]) == REFUSED
    told = capsys.readouterr().err
    assert name in told and "it is no regular file" in told


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["import", "/dev/zero", "--format", "mem0"], REFUSED),
        (["import", "/dev/zero", "--format", "mcp-memory"], REFUSED),
        (["trust", "--add-key", "/dev/zero"], USAGE),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_one_that_a_person_names_is_read_no_further_than_anybody_could_have_meant(
    words: list[str], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--db", str(tmp_path / "memory.db")]) == code
    assert "zero" in capsys.readouterr().err


def test_a_key_may_come_from_a_pipe_that_a_person_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHDREAM_CONFIG_HOME", str(tmp_path / "config"))
    reading, writing = os.pipe()
    os.write(writing, b"ab" * 32 + b"\n")
    os.close(writing)
    assert main(["trust", "--add-key", f"/dev/fd/{reading}"]) == 0
    assert "kept: key" in capsys.readouterr().out
    os.close(reading)
