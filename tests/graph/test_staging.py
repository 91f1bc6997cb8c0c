"""Many rows are written by one statement that reads no more of the table than these rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from graphdream.graph.fulltext import reindex_pass
from graphdream.graph.nameindex import reindex_names
from graphdream.graph.rows import insert
from graphdream.graph.staging import delete_rows, insert_rows, update_rows
from graphdream.graph.store import Store
from graphdream.graph.tables import ENTITY, TABLES, Table
from graphdream.journal.passes import PassHeader, open_pass


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_an_update_of_few_rows_does_not_read_the_table(tmp_path: Path, table: Table) -> None:
    said: list[str] = []
    with Store.open(tmp_path / "graph.db") as store:
        connection = store.connection
        connection.set_trace_callback(said.append)
        with store.writing():
            update_rows(connection, table.name, ("version",), [(1, 1)])
        connection.set_trace_callback(None)
        (statement,) = [text for text in said if text.startswith("UPDATE")]
        plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert f"SEARCH {table.name} USING INTEGER PRIMARY KEY (rowid=?)" in plan
    assert not any(step.startswith(f"SCAN {table.name}") for step in plan)


def test_only_rows_that_are_as_they_were_found_are_set(tmp_path: Path) -> None:
    with Store.open(tmp_path / "graph.db") as store, open_pass(store, PassHeader("edit")) as current:
        ids = [insert(store, ENTITY, name=name, canonical=name) for name in ("ada", "bo")]
        rows = [(row_id, "person", current.id, "ada") for row_id in ids]
        assert update_rows(store.connection, "entity", ("type", "version"), rows, found=("name",)) == 1
        types = store.connection.execute("SELECT name, type FROM entity ORDER BY id").fetchall()
        assert [tuple(row) for row in types] == [("ada", "person"), ("bo", "unknown")]


def test_a_part_that_fails_does_not_make_sqlite_read_the_schema_anew(tmp_path: Path) -> None:
    """It did, for 6 ms each, where a temporary table was made in the same transaction: every statement was compiled
    again, which is when SQLite asks whether it may be run."""
    asked: list[int] = []

    def allow(what: int, *_: object) -> int:
        asked.append(what)
        return sqlite3.SQLITE_OK

    with Store.open(tmp_path / "graph.db") as store, open_pass(store, PassHeader("edit")) as current:
        connection = store.connection
        ada, bo = (insert(store, ENTITY, name=name, canonical=name) for name in ("ada", "bo"))
        update_rows(connection, "entity", ("type", "version"), [(ada, "person", current.id)])
        insert_rows(
            connection, "entity", ("id", "name", "canonical", "uid", "version"), [(9, "c", "c", "c", current.id)]
        )
        delete_rows(connection, "entity", [9])
        reindex_names(connection, current.id)
        reindex_pass(connection, current.id)
        connection.set_authorizer(allow)
        for attempt in range(2):
            asked.clear()
            with pytest.raises(KeyError), store.savepoint():
                connection.execute("UPDATE entity SET type = 'x', version = ? WHERE id = ?", (current.id, bo))
                raise KeyError
            assert bool(asked) == (attempt == 0)
        connection.set_authorizer(None)
