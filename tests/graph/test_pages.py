"""Pages that nothing is on go back: the file is as long as what it holds, and nobody waits for that."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graphdream.graph.rows import insert, update
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.journal.passes import PassHeader, open_pass

SMALL, LARGE = 2_000, 40_000  # rows: one file is written anew, of the other pages are moved


@pytest.fixture(params=(SMALL, LARGE))
def emptied(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A file of which most pages are free."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        with store.writing():
            store.connection.executemany(
                "INSERT INTO meta VALUES (?, ?)", ((f"key {n}", "words " * 100) for n in range(request.param))
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
        given_back = store.give_back_pages()
        assert given_back >= free
        assert pages(store) == (before - given_back, 0)
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
        assert store.give_back_pages() >= before[1]


def test_pages_are_left_while_rows_are_being_read(tmp_path: Path, emptied: Path) -> None:
    with Store.open(emptied) as store:
        reading = store.connection.execute("SELECT key FROM meta UNION ALL SELECT name FROM sqlite_master")
        reading.fetchone()
        store.give_back_pages()
        assert len(reading.fetchall()) > 10
        reading.close()
        store.give_back_pages()
        assert pages(store)[1] == 0


def test_an_index_over_few_documents_does_not_grow_by_passes_over_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "graph.db"
    with Store.open(path) as store:
        with open_pass(store, PassHeader("import")):
            entity = insert(store, ENTITY, name="Ada", canonical="ada")
            aspect = insert(store, ASPECT, entity_id=entity, name="general", canonical="general")
            for n in range(400):
                insert(store, ATTRIBUTE, aspect_id=aspect, content=f"Ada wrote letter {n} of many.", digest=n)
        sizes = [size_of_indexes(store)]
        for name in ("Ada Lovelace", "Ada"):
            with open_pass(store, PassHeader("edit")):
                update(store, ENTITY, entity, name=name, canonical=name.lower())
            sizes.append(size_of_indexes(store))
    assert sizes[2] - sizes[0] < 100  # the number of the part grows


def size_of_indexes(store: Store) -> int:
    """Bytes of the parts of both full-text indexes."""
    size: int = store.connection.execute(
        "SELECT (SELECT sum(length(block)) FROM fact_index_data) + (SELECT sum(length(block)) FROM name_index_data)"
    ).fetchone()[0]
    return size
