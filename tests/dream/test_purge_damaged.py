"""A purge of a memory that is not as it was sealed: refused, or by a person's word, on record."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import graphdream
from graphdream.errors import IntegrityError
from graphdream.interfaces.cli import main
from tests.support.attacks import shell

SECRET = b"zquarvix"


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Two facts, of which somebody has changed one behind graphdream's back."""
    path = tmp_path / "memory.db"
    with graphdream.open(path) as graph:
        graph.remember("keeps the Zquarvix ledger", category="person/Ada/work")
        graph.remember("likes coffee", category="person/Bo/tastes")
    with shell(path) as connection:
        connection.execute("UPDATE attribute SET content = 'keeps the Zquarvix books' WHERE id = 1")
    return path


def bytes_of(path: Path) -> bytes:
    return b"".join(one.read_bytes() for one in path.parent.glob(path.name + "*") if one.is_file()).lower()


def head_of(path: Path) -> tuple[object, ...]:
    """The head of the file, as it is sealed."""
    with closing(sqlite3.connect(path)) as connection:
        return tuple(connection.execute("SELECT * FROM seal").fetchone())


def test_it_is_refused_and_says_how_to_go_on(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["purge", "a1", "--yes", "--db", str(damaged)]) == 1
    assert "attribute 1 was changed" in capsys.readouterr().err
    with graphdream.open(damaged) as graph, pytest.raises(IntegrityError):
        graph.purge("a1")
    assert SECRET in bytes_of(damaged)


def test_by_a_persons_word_it_erases_all_of_it_on_record(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sealed = head_of(damaged)
    assert main(["purge", "a1", "--yes", "--accept-damage", "--db", str(damaged)]) == 0
    assert "erased" in capsys.readouterr().out
    assert SECRET not in bytes_of(damaged)
    assert head_of(damaged) == sealed, "nothing of a file that is broken is sealed"
    assert main(["verify", "--db", str(damaged)]) == 1, "it stays broken until somebody decides"
    assert main(["trust", "--reason", "a script of mine changed it", "--db", str(damaged)]) == 0
    with graphdream.open(damaged) as graph:
        purge = next(one for one in graph.passes() if one.kind == "purge")
        assert "attribute 1 was changed" in str(purge.inputs["damage"])
        assert graph.verify().ok and SECRET not in bytes_of(damaged)
        assert [hit.text for hit in graph.recall("coffee")] == ["likes coffee"]


def test_a_program_says_so_when_it_opens_the_memory(damaged: Path) -> None:
    with graphdream.open(damaged, accept_damage=True) as graph:
        assert graph.purge("a1").rows["attribute"] == 1
    assert SECRET not in bytes_of(damaged)


def test_backups_that_were_damaged_with_it_lose_it_too(damaged: Path) -> None:
    backup = damaged.with_name(f"{damaged.name}.schema1.backup")
    backup.write_bytes(damaged.read_bytes())
    with graphdream.open(damaged, accept_damage=True) as graph:
        assert graph.purge("a1").backups_purged == [backup.name]
    assert SECRET not in bytes_of(damaged)
