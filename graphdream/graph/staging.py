"""Many rows of one table written by one statement.

The new values go into a temporary table, and one statement carries them over. Row by row the same work costs twice
the time, and inside a savepoint far more: each statement there leaves a copy of every page it touched in memory, and
SQLite walks over what has piled up at every further statement, so that time grows with the square of the rows.

The temporary tables are made before the transaction begins (`make_room`). Were one made within it, SQLite would forget
the whole schema at every `ROLLBACK TO` of a savepoint, and read it anew for the next statement: 6 ms for each part that
fails.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

_WIDTHS = (1, 4, 8, 16, 32, 64)  # columns of the temporary tables; rows go into the narrowest that holds them


def make_room(connection: sqlite3.Connection) -> None:
    """Make the temporary tables; before a transaction in which rows of the graph change, once for a connection."""
    for width in _WIDTHS:
        connection.execute(_made(width))


def no_ids(connection: sqlite3.Connection) -> str:
    """Name of an empty temporary table with one column `c0`, for ids; who asks for one again, or writes rows by this
    module, empties it."""
    return _emptied(connection, _WIDTHS[0])


def update_rows(
    connection: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    found: Sequence[str] = (),
) -> int:
    """Set columns of many rows.

    Args:
        columns: the columns that are set.
        rows: one for each row changed, no id twice: its id, the values of `columns`, then those of `found`.
        found: columns that must hold the given values before, or the row is left as it is.

    Returns:
        Number of rows changed.
    """
    staged = _stage(connection, 1 + len(columns) + len(found), rows)
    sets = ", ".join(f"{column} = c{number}" for number, column in enumerate(columns, 1))
    still = "".join(f" AND {table}.{column} IS c{number}" for number, column in enumerate(found, 1 + len(columns)))
    # The plus keeps SQLite from reading the whole table for those few rows, in the order of some index.
    return _carry(connection, staged, f"UPDATE {table} SET {sets} FROM {staged} WHERE {table}.id = +{staged}.c0{still}")


def insert_rows(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> int:
    """Make many rows, in order of their ids. `columns` starts with `id`, and so does each of `rows`."""
    staged = _stage(connection, len(columns), rows)
    values = ", ".join(_names(len(columns)))
    return _carry(
        connection, staged, f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {staged} ORDER BY c0"
    )


def delete_rows(connection: sqlite3.Connection, table: str, ids: Iterable[int]) -> int:
    """Delete rows by id. Returns how many there were."""
    staged = _stage(connection, 1, ((row_id,) for row_id in ids))
    return _carry(connection, staged, f"DELETE FROM {table} WHERE id IN (SELECT c0 FROM {staged})")


def _stage(connection: sqlite3.Connection, width: int, rows: Iterable[Sequence[Any]]) -> str:
    """Put the rows into a temporary table that holds them and return its name."""
    name = _emptied(connection, next(size for size in _WIDTHS if size >= width))
    into = ", ".join(_names(width))
    connection.executemany(f"INSERT INTO {name} ({into}) VALUES ({', '.join('?' * width)})", rows)
    return name


def _carry(connection: sqlite3.Connection, staged: str, statement: str) -> int:
    count = connection.execute(statement).rowcount
    connection.execute(f"DELETE FROM {staged}")
    return count


def _emptied(connection: sqlite3.Connection, width: int) -> str:
    connection.execute(_made(width))  # for a transaction that was begun without `make_room`
    connection.execute(f"DELETE FROM staged_{width}")  # an earlier statement may have failed
    return f"staged_{width}"


def _made(width: int) -> str:
    names = "".join(f", {name}" for name in _names(width)[1:])
    return f"CREATE TEMP TABLE IF NOT EXISTS staged_{width} (c0 INTEGER PRIMARY KEY{names})"


def _names(width: int) -> list[str]:
    return [f"c{number}" for number in range(width)]
