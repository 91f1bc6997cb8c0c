"""The numbers by which SQLite knows which ids it has given, in a table of its own that anybody can change.

An id is never given twice, also not after an undo. So a number should be no less than the largest id on record: of the
rows of its table, and of the journal's changes of them. Of passes, of which none ever goes, it should be that.
"""

from __future__ import annotations

import sqlite3

from graphdream.graph.sqlitefaults import says_damaged
from graphdream.graph.tables import TABLES

TYPE_CHECKING = False  # as a type checker reads it; a hook opens a file, and to load `typing` takes it long
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_KINDS = {table.name: table.kind for table in TABLES}
_COUNTS = "PRIMARY KEY AUTOINCREMENT"  # in the SQL of a table that gives no id twice
_MOST_AHEAD = 1_000_000_000_000  # more than any memory has given: a number further ahead was put there


def numbered(objects: Iterable[tuple[str, str, str, str]]) -> list[str]:
    """Names of the tables that give no id twice, of the objects of a schema: kind, name, table and SQL of each."""
    return [name for kind, name, _, sql in objects if kind == "table" and _COUNTS in sql]


def wrong_numbers(connection: sqlite3.Connection, names: Sequence[str]) -> list[tuple[str, object, int]]:
    """Table, number found (None for none) and largest id on record, of those whose number is wrong.

    Args:
        names: of the tables (`numbered`).
    """
    if not names:
        return []
    listed = ", ".join(f"'{name}'" for name in names)
    parts = [f"SELECT name, rowid, seq FROM sqlite_sequence WHERE name IN ({listed})"]
    parts += [f"SELECT '{name}', NULL, max(id) FROM {name}" for name in names]
    parts += [
        f"SELECT '{name}', NULL, max(row_id) FROM change WHERE kind = {_KINDS[name]}"
        for name in names
        if name in _KINDS
    ]
    try:
        # One statement: between two of them another program may have given an id.
        read = connection.execute(" UNION ALL ".join(parts)).fetchall()
    except sqlite3.DatabaseError as fault:
        if says_damaged(fault):
            return []  # a page cannot be read: what reads it for somebody says so
        raise
    # SQLite goes by the first number of a table: migrations that made one anew left a second.
    numbers: dict[str, tuple[int, object]] = {}
    largest = dict.fromkeys(names, 0)
    for name, at, number in read:
        if at is None:
            largest[name] = max(largest[name], number or 0)
        elif name not in numbers or at < numbers[name][0]:
            numbers[name] = (at, number)
    wrong: list[tuple[str, object, int]] = []
    for name, wanted in largest.items():
        _, found = numbers.get(name, (0, None))
        number, ahead = 0 if found is None else found, 1 if name == "pass" else _MOST_AHEAD
        if not (isinstance(number, int) and wanted <= number < wanted + ahead):
            wrong.append((name, found, wanted))
    return wrong


def put_right(connection: sqlite3.Connection, name: str, wanted: int) -> None:
    """Set the number of a table."""
    connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
    connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, wanted))
