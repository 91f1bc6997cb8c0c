"""An index of a table that was not made of all its rows, though the schema says so: what it lacks is not found."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.cli import main

STALE = {
    "attribute_by_aspect": "id = 2",
    "attribute_by_digest": "id < 0",
    "alias_by_canonical": "id < 0",
    "entity_by_canonical": "id < 0",
    "aspect_by_entity": "id < 0",
    "link_by_target": "id < 0",
    "working_memory_by_namespace": "stored_at < ''",
    "observed_by_kind": "id < 0",
    "summary_unread": "id < 0",
}


def make_stale(path: Path, index: str, where: str) -> None:
    """Make an index anew of some rows only, and have the schema say what it said before."""
    with closing(sqlite3.connect(path, isolation_level=None)) as c:
        (sql,) = c.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).fetchone()
        c.execute(f"DROP INDEX {index}")
        c.execute(re.sub(r"\)( WHERE .*)?$", f") WHERE {where}", sql))
        number = c.execute("PRAGMA schema_version").fetchone()[0]
        c.execute("PRAGMA writable_schema = ON")
        c.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, index))
        c.execute(f"PRAGMA schema_version = {number + 1}")


@pytest.mark.parametrize("index", STALE)
def test_it_is_told_on_opening_and_made_anew(index: str, memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = ["--db", str(memory)]
    with Store.open(memory) as store, store.writing():
        store.connection.execute("UPDATE summary SET read_by = NULL")
    assert main(["status", *db]) == 0
    assert capsys.readouterr().err == ""
    make_stale(memory, index, STALE[index])
    main(["recall", "log", *db])
    assert "warning" in capsys.readouterr().err
    assert main(["verify", *db]) == 1
    assert main(["remember", "Ada rows.", "--wait", *db]) in (0, 1)
    assert main(["doctor", "--mend-schema", *db]) == 0
    assert "made the indexes of the tables anew" in capsys.readouterr().out
    assert main(["verify", *db]) == 0
    assert main(["recall", "log", *db]) == 0
    assert capsys.readouterr().err == ""


def test_its_name_is_told_where_the_table_itself_is_counted_right(
    memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_stale(memory, "working_memory_by_namespace", "stored_at < ''")
    assert main(["status", "--db", str(memory)]) == 0
    told = capsys.readouterr().err
    assert "the index working_memory_by_namespace has 0 of 1 rows of working_memory" in told
    assert "graphdream doctor --mend-schema makes it anew" in told
