"""What somebody gives by mistake is told in a line or two, and leaves nothing behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphdream.interfaces.cli import main

PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\x80\0\0\1\xe0\x08\2\0\0\0\xba\xb3K\xb3\n" * 40


@pytest.mark.parametrize("name", ["foto.md", "foto.jsonl", "foto"])
def test_what_is_no_text_is_told_in_two_lines(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_bytes(PICTURE)
    assert main(["import", str(tmp_path / name), "--db", str(tmp_path / "m.db")]) == 3
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2 and f"{name} is no text; the database is as it was" in told[0]


def test_a_program_is_no_text_either(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", sys.executable, "--db", str(tmp_path / "m.db")]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_notes_that_say_nothing_are_not_called_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "leer.md").write_text("", encoding="utf-8")
    assert main(["import", str(tmp_path / "leer.md"), "--db", str(tmp_path / "m.db")]) == 0
    assert capsys.readouterr().out == "leer.md: nothing to import, it says nothing that could be remembered\n"


@pytest.mark.parametrize("words", [["remember", "Regentonne hält dicht"], ["recall", "Regentonne"]])
def test_a_folder_is_no_database(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--db", str(tmp_path)]) == 3
    assert "cannot be opened as a graphdream database" in capsys.readouterr().err
    assert list(tmp_path.parent.glob("*.spool")) == [] and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["/", "."])
@pytest.mark.parametrize("words", [["status"], ["dream", "--status"], ["doctor"], ["recall", "Regentonne"]])
def test_the_root_and_the_folder_one_is_in_are_no_database(
    words: list[str], path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--db", path]) == 2
    assert f"{path} is a folder" in capsys.readouterr().err
