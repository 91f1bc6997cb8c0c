"""Full-text indexes that are damaged: SQLite keeps each in tables of its own, whose rows anybody can delete or change.

What is in an index is made from rows that are there, so it can be made again (`graphdream.graph.mending`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import zip_longest

from graphdream.graph.schema import migration_files, statements_of

_WITHOUT_TEXT = ("fact_signs", "summary_signs", "turn_signs")
_ALL = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %USING fts5 (%'"


def damaged_indexes(connection: sqlite3.Connection) -> list[str]:
    """Names of the full-text indexes that SQLite finds not whole, or that are not of the rows which they should be of;
    nothing is written. Time linear in what they hold.

    Raises:
        sqlite3.OperationalError: another program writes just now, or the file may only be read.
    """
    return [name for (name,) in connection.execute(_ALL).fetchall() if not _is_whole(connection, name)]


def _is_whole(connection: sqlite3.Connection, name: str) -> bool:
    connection.execute("SAVEPOINT look")  # the check is an INSERT to SQLite
    try:
        # With the rank 1 an index is compared with the table whose rows it is of, too.
        connection.execute(f"INSERT INTO {name} ({name}, rank) VALUES ('integrity-check', 1)")
        return name not in _WITHOUT_TEXT or _holds_its_rows(connection, name)
    except sqlite3.OperationalError as fault:
        if "locked" in str(fault) or "readonly" in str(fault):
            raise
        return False  # one of its tables is gone
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.execute("ROLLBACK TO look")
        connection.execute("RELEASE look")


def _holds_its_rows(connection: sqlite3.Connection, name: str) -> bool:
    """Whether an index that keeps no text of its own, nor knows a table which has it, is what is made of the rows."""
    (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    again = f"{name}_again"
    connection.execute(sql.replace(f"TABLE {name} ", f"TABLE temp.{again} ", 1))
    connection.execute(f"CREATE VIRTUAL TABLE temp.there USING fts5vocab (main, {name}, instance)")
    connection.execute(f"CREATE VIRTUAL TABLE temp.made USING fts5vocab (temp, {again}, instance)")
    for statement in filling(name):
        connection.execute(statement.replace(f"INTO {name} ", f"INTO temp.{again} ", 1))
    there, made = (connection.execute(f"SELECT term, doc, offset FROM temp.{one}") for one in ("there", "made"))
    return all(one == other for one, other in zip_longest(map(tuple, there), map(tuple, made)))


def filling(name: str) -> Iterator[str]:
    """The statements by which the migration that made an index fills it from the rows on record."""
    for file in migration_files():
        for statement in statements_of(file):
            if statement.startswith(f"INSERT INTO {name} ("):
                yield statement


def empty(connection: sqlite3.Connection, name: str) -> None:
    """Make an index what it was before anything was in it."""
    (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    try:
        connection.execute(f"DROP TABLE {name}")
        connection.execute(sql)
    except sqlite3.DatabaseError:  # SQLite drops no index that it cannot read
        _empty_within(connection, name, sql)


def _empty_within(connection: sqlite3.Connection, name: str, sql: str) -> None:
    """Give an index the tables that a new one has."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.execute(sql)
        tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name <> ?"
        own = fresh.execute(tables, (name,)).fetchall()
        for table, made in own:
            connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.execute(made)
            for row in fresh.execute(f"SELECT * FROM {table}"):
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
