"""How far the book of events reaches: for a replay, which must not see what came later."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

_BOOKS = ("turn", "summary", "observation", "observed", "recall_feedback")


def extent(connection: sqlite3.Connection) -> dict[str, int]:
    """Of each table of events, the id of its newest row; 0 where it is empty."""
    columns = ", ".join(f"(SELECT coalesce(max(id), 0) FROM {name})" for name in _BOOKS)
    return dict(zip(_BOOKS, connection.execute(f"SELECT {columns}").fetchone(), strict=True))


def cut_back(connection: sqlite3.Connection, reach: Mapping[str, int]) -> None:
    """Take out of a copy what came after an extent. Never of an agent's own file, whose events stay."""
    for name in _BOOKS:
        if name in reach:
            connection.execute(f"DELETE FROM {name} WHERE id > ?", (reach[name],))
