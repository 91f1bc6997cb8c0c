"""The numbers by which SQLite knows which ids it has given, in a table of its own that anybody can change.

An id is never given twice, also not after an undo. So a number should be no less than the largest id on record: of the
rows of its table, and of the journal's changes of them. Of passes, of which none ever goes, it should be that.
"""

from __future__ import annotations

import sqlite3

from graphdream.graph.sqlitefaults import says_damaged
from graphdream.graph.tables import TABLES

_KINDS = {table.name: table.kind for table in TABLES}
_NAMES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%PRIMARY KEY AUTOINCREMENT%' ORDER BY name"
_MOST_AHEAD = 1_000_000_000_000  # more than any memory has given: a number further ahead was put there


def wrong_numbers(connection: sqlite3.Connection) -> list[tuple[str, object, int]]:
    """Table, number found (None for none) and largest id on record, of those whose number is wrong."""
    names = [row[0] for row in connection.execute(_NAMES)]
    if not names:
        return []
    columns = [sql for name in names for sql in (_number_sql(name), _largest_sql(name))]
    try:
        # One statement: between two of them another program may have given an id.
        read = connection.execute(f"SELECT {', '.join(columns)}").fetchone()
    except sqlite3.DatabaseError as fault:
        if says_damaged(fault):
            return []  # a page cannot be read: what reads it for somebody says so
        raise
    wrong: list[tuple[str, object, int]] = []
    for name, found, wanted in zip(names, read[::2], read[1::2], strict=True):
        number, ahead = 0 if found is None else found, 1 if name == "pass" else _MOST_AHEAD
        if not (isinstance(number, int) and wanted <= number < wanted + ahead):
            wrong.append((name, found, wanted))
    return wrong


def _number_sql(name: str) -> str:
    """The number of a table: SQLite goes by the first; migrations that made a table anew left a second one."""
    return f"(SELECT seq FROM sqlite_sequence WHERE name = '{name}' ORDER BY rowid LIMIT 1)"


def _largest_sql(name: str) -> str:
    rows = f"(SELECT coalesce(max(id), 0) FROM {name})"
    if name not in _KINDS:
        return rows
    return f"max({rows}, (SELECT coalesce(max(row_id), 0) FROM change WHERE kind = {_KINDS[name]}))"


def put_right(connection: sqlite3.Connection, name: str, wanted: int) -> None:
    """Set the number of a table."""
    connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
    connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, wanted))
