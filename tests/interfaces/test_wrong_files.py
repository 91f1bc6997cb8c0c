"""What somebody gives by mistake is told in a line or two, and leaves nothing behind."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
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


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize("words", [["recall", "Regentonne"], ["record", "--session", "s1", "--summary", "Es regnet."]])
def test_what_is_no_file_is_told_to_be_none(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    (tmp_path / "device.db").symlink_to(os.devnull)
    (tmp_path / "folder.db").mkdir()
    for name, what in {"pipe.db": "a pipe", "device.db": "a device", "folder.db": "a folder"}.items():
        assert main([*words, "--db", str(tmp_path / name)]) == 3
        said = capsys.readouterr().err
        assert f"cannot be opened as a graphdream database: it is {what}\n" in said and "disk" not in said


@pytest.mark.parametrize("words", [["recall", "Regentonne"], ["doctor", "--mend-schema"]])
def test_a_folder_where_sqlite_keeps_its_log_is_named(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(tmp_path / "m.db")]
    assert main(["record", "--session", "s1", "--summary", "Die Regentonne ist blau.", *db]) == 0
    (tmp_path / "m.db-wal").mkdir()
    assert main([*words, *db]) == 3
    assert "m.db-wal beside it is a folder" in capsys.readouterr().err


def test_a_memory_that_one_may_not_read_is_said_to_be_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.db").write_text("no database, as is one that may not be read")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.R_OK)  # root may read all
    assert main(["recall", "Regentonne", "--db", str(tmp_path / "m.db")]) == 3
    assert "you may not read it" in capsys.readouterr().err


@pytest.mark.parametrize("kept", [0.5, -1_000], ids=["half", "all but a thousand bytes"])
def test_a_memory_that_was_cut_off_is_said_to_be_that(
    kept: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(tmp_path / "m.db")]
    assert main(["record", "--session", "s1", "--summary", "Die Regentonne ist blau.", *db]) == 0
    whole = (tmp_path / "m.db").read_bytes()
    (tmp_path / "m.db").write_bytes(whole[: int(len(whole) * kept) if kept > 0 else int(kept)])
    assert main(["recall", "Regentonne", *db]) == 3
    said = capsys.readouterr().err
    assert "was cut off" in said and f"{len(whole):,} bytes" in said
    assert "by hand" not in said and "disk" not in said.partition("malformed")[2]


def test_mending_says_what_is_wrong_where_there_is_no_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder.db").mkdir()
    assert main(["doctor", "--mend-schema", "--db", str(tmp_path / "folder.db")]) == 3
    assert "it is a folder" in capsys.readouterr().err
    (tmp_path / "link.db").symlink_to(tmp_path / "nowhere.db")
    for name in ("link.db", "nowhere.db"):
        assert main(["doctor", "--mend-schema", "--db", str(tmp_path / name)]) == 6
        assert f"there is no database at {tmp_path / 'nowhere.db'}" in capsys.readouterr().err


def test_a_fact_is_not_noted_beside_a_database_of_another_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE entity (id INTEGER PRIMARY KEY)")
    (tmp_path / "begun.db").write_bytes((tmp_path / "other.db").read_bytes()[:40])
    for name in ("other.db", "begun.db"):
        assert main(["remember", "Die Regentonne hält dicht", "--db", str(tmp_path / name)]) == 3
        said = capsys.readouterr()
        assert "noted" not in said.out and name in said.err
    assert list(tmp_path.glob("*.spool")) == []


def test_a_fact_that_waits_for_a_file_that_may_only_be_read_is_said_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    db = ["--db", str(tmp_path / "m.db")]
    assert main(["remember", "Die Regentonne hält dicht", "--wait", *db]) == 0
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may write whatever it is told
    capsys.readouterr()
    assert main(["remember", "Die Regentonne ist blau", *db]) == 0
    said = capsys.readouterr().out
    assert "may only be read" in said and "the next command puts it in its place" not in said


@pytest.mark.parametrize("path", ["/", "."])
@pytest.mark.parametrize("words", [["status"], ["dream", "--status"], ["doctor"], ["recall", "Regentonne"]])
def test_the_root_and_the_folder_one_is_in_are_no_database(
    words: list[str], path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--db", path]) == 2
    assert f"{path} is a folder" in capsys.readouterr().err
