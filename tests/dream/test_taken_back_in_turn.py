"""What a person told while another program wrote is taken in before the same person takes anything back."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import graphdream
from graphdream.dream.later import put_off, put_off_call
from graphdream.events.spool import CALLS, FACTS, refused, waiting
from graphdream.interfaces.cli import main

WRITES_SECONDS = 1.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Grace, "G. Hopper", which was merged into her, and Ada."""
    path = tmp_path / "memory.db"
    with graphdream.open(path) as graph:
        for name in ("Grace Hopper", "G. Hopper"):
            graph.edit({"op": "create_entity", "name": name})
        graph.edit({"op": "create_entity", "name": "Ada Lovelace"})
        graph.edit({"op": "merge_entities", "source": ["e2"], "target": "e1"})
    return path


@contextmanager
def somebody_writes_for_a_while(path: Path) -> Iterator[None]:
    """Another program writes when the block begins, and stops of itself."""
    writes = threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writes.set()
            time.sleep(WRITES_SECONDS)
            other.execute("ROLLBACK")

    thread = threading.Thread(target=write)
    thread.start()
    writes.wait()
    try:
        yield
    finally:
        thread.join()


def kinds(path: Path) -> list[tuple[str, int | None]]:
    """Kind of each pass, and which has taken it back."""
    with graphdream.open(path) as graph:
        return [(one.kind, one.undone_by) for one in graph.passes()]


def undo_by_command(path: Path, number: int) -> None:
    assert main(["undo", str(number), "--db", str(path)]) == 0


def undo_in_python(path: Path, number: int) -> None:
    with graphdream.open(path) as graph:
        graph.undo(number)


def unmerge_by_command(path: Path, number: int) -> None:
    assert main(["unmerge", "e2", "--db", str(path)]) == 0


def unmerge_in_python(path: Path, number: int) -> None:
    with graphdream.open(path) as graph:
        graph.unmerge("e2")


def test_undo_last_takes_back_what_was_told_last(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with somebody_writes_for_a_while(path):
        put_off(path, "Grace sails.", category="person/Grace/boats")
        capsys.readouterr()
        assert main(["undo", "last", "--db", str(path)]) == 0
    assert "taken back: pass 5 (remember)" in capsys.readouterr().out
    assert kinds(path) == [("edit", None)] * 4 + [("remember", 6), ("undo", None)]
    assert waiting(path, FACTS, CALLS) == refused(path) == []


@pytest.mark.parametrize(
    "take_back", [undo_by_command, undo_in_python, unmerge_by_command, unmerge_in_python], ids=lambda one: one.__name__
)
def test_what_was_told_before_comes_before_what_is_taken_back(
    take_back: Callable[[Path, int], None], path: Path
) -> None:
    with somebody_writes_for_a_while(path):
        put_off(path, "Grace sails.", category="person/Grace/boats")
        put_off_call(path, "edit", mutations=[{"op": "pin", "entity": "e3"}], by="user")
        take_back(path, 4)
    assert [kind for kind, _ in kinds(path)][4:6] == ["remember", "edit"]
    assert kinds(path)[6][0] == take_back.__name__.partition("_")[0]
    assert waiting(path, FACTS, CALLS) == refused(path) == []


def test_what_cannot_be_taken_in_is_told_and_is_in_nobodys_way(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with somebody_writes_for_a_while(path):
        put_off_call(path, "edit", mutations=[{"op": "pin", "entity": "e99"}], by="user")
        capsys.readouterr()
        assert main(["undo", "last", "--db", str(path)]) == 0
    assert "a call that waited ('edit') cannot be made" in capsys.readouterr().err
    assert len(refused(path)) == 1 and kinds(path)[3] == ("edit", 5)
