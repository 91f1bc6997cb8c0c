"""Pages that nothing is on go back: the file is as long as what it holds, and nobody waits for that."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graphdream.graph.store import Store

ROWS = 2_000


@pytest.fixture
def emptied(tmp_path: Path) -> Path:
    """A file of which most pages are free."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        with store.writing():
            store.connection.executemany(
                "INSERT INTO meta VALUES (?, ?)", ((f"key {n}", "words " * 100) for n in range(ROWS))
            )
        with store.writing():
            store.connection.execute("DELETE FROM meta WHERE key LIKE 'key %'")
    return path


def pages(store: Store) -> tuple[int, int]:
    """How many pages the file has, and how many of them are free."""
    pragma = store.connection.execute
    return pragma("PRAGMA page_count").fetchone()[0], pragma("PRAGMA freelist_count").fetchone()[0]


def test_free_pages_are_given_back(emptied: Path) -> None:
    size = emptied.stat().st_size
    with Store.open(emptied) as store:
        before, free = pages(store)
        assert free > before // 2
        assert store.give_back_pages() == free
        assert pages(store) == (before - free, 0)
        assert store.connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert store.give_back_pages() == 0
    assert emptied.stat().st_size < size // 2


def test_pages_are_left_where_another_program_writes(emptied: Path) -> None:
    with Store.open(emptied) as store, closing(sqlite3.connect(emptied, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        before = pages(store)
        assert store.give_back_pages() == 0
        other.execute("ROLLBACK")
        assert pages(store) == before
        assert store.give_back_pages() == before[1]
