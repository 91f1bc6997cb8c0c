"""Temporary tables beside the graph: rows of an input wait here, are checked together, and go over in one step.

They hold what a file of any size says without holding it in memory, and let references be resolved in whatever order
the lines came. Writing from them is also faster than row by row: SQLite guards each statement that fires triggers by a
savepoint of its own, and one statement for a table needs one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from graphdream.interfaces.importers.grammar import KINDS, Kind
from graphdream.interfaces.importers.lines import Row, columns

# What makes two rows of a file the same row; each is found by an index.
KEYS = {
    "session": ("key",),
    "summary": ("session_key", "digest"),
    "turn": ("session_key", "position"),
    "observation": ("session_key", "content"),
    "entity": ("uid",),
    "alias": ("entity_id", "name"),
    "aspect": ("uid",),
    "attribute": ("uid",),
    "link": ("uid",),
    "mention": ("attribute_id", "entity_id"),
    "evidence": ("attribute_id", "session_key", "turn_uid"),
    "distinct_pair": ("first_id", "second_id"),
    "contradiction": ("first_id", "second_id"),
}
_BATCH = 2_000  # rows held in memory for each table
CACHE_KIB = 64 * 1024  # of pages, while an import runs: the default 2 MB thrashes on indexes over random ids


class Staging:
    """The rows of one input, a temporary table `incoming_TABLE` for each kind of line.

    Each has `n`, which counts its rows from 1 in the order of the file, `line`, and `depth`: how many steps a row is
    from the one that its `absorbed_into` or `superseded_by` ends in.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # One transaction for all rows; it touches temporary tables only, so it keeps nobody waiting.
        self._ours = not connection.in_transaction
        if self._ours:
            connection.execute("BEGIN")
        self._waiting: dict[str, list[list[object]]] = {kind.name: [] for kind in KINDS}
        self._inserts = {}
        for kind in KINDS:
            names = ("line", *columns(kind))
            connection.execute(
                f"CREATE TEMP TABLE incoming_{kind.table} (n INTEGER PRIMARY KEY, depth DEFAULT 0, {', '.join(names)})"
            )
            self._inserts[kind.name] = (
                f"INSERT INTO incoming_{kind.table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
            )

    def add(self, kind: Kind, line: int, row: Row) -> None:
        """Take a row; `flush` is needed before it can be seen."""
        waiting = self._waiting[kind.name]
        waiting.append([line, *row])
        if len(waiting) >= _BATCH:
            self._write(kind)

    def _write(self, kind: Kind) -> None:
        self._connection.executemany(self._inserts[kind.name], self._waiting[kind.name])
        self._waiting[kind.name].clear()

    def flush(self) -> None:
        """Write what is held in memory, and make the indexes by which rows find each other."""
        for kind in KINDS:
            self._write(kind)
            self._connection.execute(
                f"CREATE INDEX temp.incoming_{kind.table}_key ON incoming_{kind.table} ({', '.join(KEYS[kind.table])})"
            )
        if self._ours:
            self._connection.execute("COMMIT")

    def count(self, table: str) -> int:
        """Number of rows waiting for a table."""
        number: int = self._connection.execute(f"SELECT count(*) FROM incoming_{table}").fetchone()[0]
        return number


@contextmanager
def staging(connection: sqlite3.Connection) -> Iterator[Staging]:
    """Staging tables that are gone afterwards, whatever happened; with more cache for the connection meanwhile."""
    cache = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute(f"PRAGMA temp.cache_size = -{CACHE_KIB}")
    joined = connection.in_transaction
    try:
        yield Staging(connection)
    finally:
        if connection.in_transaction and not joined:
            connection.execute("ROLLBACK")
        for kind in KINDS:
            connection.execute(f"DROP TABLE IF EXISTS temp.incoming_{kind.table}")
        connection.execute(f"PRAGMA cache_size = {cache}")
