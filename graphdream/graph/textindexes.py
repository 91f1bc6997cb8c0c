"""Full-text indexes that are damaged: SQLite keeps each in tables of its own, whose rows anybody can delete or change.

What is in an index is made from rows that are there, so it can be made again (`graphdream.graph.mending`).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

_ALL = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %USING fts5 (%'"


def damaged_indexes(connection: sqlite3.Connection) -> list[str]:
    """Names of the full-text indexes that SQLite finds not whole; nothing is written. Time linear in what they hold.

    Raises:
        sqlite3.OperationalError: another program writes just now, or the file may only be read.
    """
    return [name for (name,) in connection.execute(_ALL).fetchall() if not _is_whole(connection, name)]


def _is_whole(connection: sqlite3.Connection, name: str) -> bool:
    connection.execute("SAVEPOINT look")  # the check is an INSERT to SQLite
    try:
        connection.execute(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")
    except sqlite3.OperationalError as fault:
        if "locked" in str(fault) or "readonly" in str(fault):
            raise
        return False  # one of its tables is gone
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.execute("ROLLBACK TO look")
        connection.execute("RELEASE look")
    return True


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
