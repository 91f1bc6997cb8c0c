"""Which columns of a memory a command reads, as SQLite says of every statement that it prepares."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

Column = tuple[str, str]
EVERY = ("", "")
"""Stands for every column there is: the file was looked through as a whole."""
_CHECKS = ("integrity_check", "quick_check", "foreign_key_check")
_WRITES = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)


@contextmanager
def columns_read() -> Iterator[set[Column]]:
    """The table and name of each column that connections opened within the block have read.

    To write to a table counts as reading all of it, given as a column without a name: SQLite looks at the types of a
    whole row, and at other rows for what has to be unique. What a query reads by a trigger or a view counts as well.
    """
    seen: set[Column] = set()
    connect = sqlite3.connect

    def noted(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and second:
            seen.add((first or "", second))
        elif action in _WRITES:
            seen.add((first or "", ""))
        elif action == sqlite3.SQLITE_PRAGMA and first in _CHECKS:
            seen.add(EVERY)
        return sqlite3.SQLITE_OK

    def watched(*given: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*given, **named)
        connection.set_authorizer(noted)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", watched)
        yield seen


def is_read(column: Column, seen: set[Column]) -> bool:
    """Whether a column is among what `columns_read` found."""
    return not seen.isdisjoint((column, (column[0], ""), EVERY))
