"""The graph as it was: the journal folded forward into a scratch database.

The scratch is a temporary database of its own (SQLite drops it when it is closed) with the tables of the graph and
copies of the events, so that whatever reads a graph reads this one too. Its graph has no capture triggers: nothing
done to it is on record, and nothing of it comes back.
"""

from __future__ import annotations

import sqlite3

from graphdream.errors import NotFoundError
from graphdream.graph.store import Store
from graphdream.graph.tables import TABLES
from graphdream.journal.changes import PAGE, carry_out, changes_between

_GRAPH = tuple(table.name for table in TABLES)
_COPIED = ("meta", "session", "summary", "turn", "observation")
_CACHE_KIB = 64 * 1024  # what the scratch may hold in memory; the rest lies in a temporary file


def fold(store: Store, upto: int | None = None) -> sqlite3.Connection:
    """The graph after pass `upto` (None: the newest; 0: before the first), in a scratch database.

    Events are copied as they are now: they are append-only. Reads the journal once, in order, page by page; time and
    space are linear in the changes folded. The caller closes the connection.

    Raises:
        NotFoundError: there is no pass `upto`.
        IntegrityError: the journal cannot be folded; `graphdream verify` says more.
    """
    with store.reading():
        scratch = fold_graph(store, upto)
        scratch.execute("BEGIN")
        _make(store.connection, scratch, "table", _COPIED)
        for name in _COPIED:
            _copy(store.connection, scratch, name)
        _make(store.connection, scratch, "index", (*_GRAPH, *_COPIED))
        scratch.execute("COMMIT")
    return scratch


def fold_graph(store: Store, upto: int | None = None) -> sqlite3.Connection:
    """As `fold`, but only the tables of the graph, without indexes beyond those that keep rows unique."""
    newest = newest_pass(store.connection)
    if upto is not None and not 0 <= upto <= newest:
        raise NotFoundError(f"there is no pass {upto}; the newest is {newest}", "graphdream passes lists them")
    scratch = sqlite3.connect("", isolation_level=None)
    try:
        scratch.row_factory = sqlite3.Row
        scratch.execute("PRAGMA journal_mode = OFF")
        scratch.execute("PRAGMA synchronous = OFF")
        scratch.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        scratch.execute("BEGIN")
        _make(store.connection, scratch, "table", _GRAPH)
        carry_out(scratch, changes_between(store.connection, 0, newest if upto is None else upto))
        scratch.execute("COMMIT")
    except BaseException:
        scratch.close()
        raise
    return scratch


def newest_pass(connection: sqlite3.Connection) -> int:
    """Id of the newest pass; 0 before the first."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0])


def _make(source: sqlite3.Connection, scratch: sqlite3.Connection, what: str, tables: tuple[str, ...]) -> None:
    marks = ", ".join("?" * len(tables))
    for (sql,) in source.execute(
        f"SELECT sql FROM sqlite_master WHERE type = ? AND tbl_name IN ({marks}) AND sql IS NOT NULL ORDER BY rowid",
        (what, *tables),
    ):
        scratch.execute(sql)


def _copy(source: sqlite3.Connection, scratch: sqlite3.Connection, name: str) -> None:
    rows = source.execute(f"SELECT * FROM {name}")
    marks = ", ".join("?" * len(rows.description))
    while page := rows.fetchmany(PAGE):
        scratch.executemany(f"INSERT INTO {name} VALUES ({marks})", page)
