"""The cursor over events follows its pass: what an undone pass had read is unread again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from graphdream.events.counter import mark_turns_read

_READ = ("summary", "observation")
_CURSORS = (*_READ, "turn")


def give_back(connection: sqlite3.Connection, undone: Iterable[int]) -> None:
    """What these passes had read, no pass has read."""
    for table in _CURSORS:
        connection.executemany(f"UPDATE {table} SET read_by = NULL WHERE read_by = ?", [(own,) for own in undone])


def take_again(connection: sqlite3.Connection, standing: Iterable[int]) -> None:
    """What these passes were shown counts as read by them again, as far as no later pass has read it."""
    for own in standing:
        row = connection.execute("SELECT inputs FROM pass WHERE id = ?", (own,)).fetchone()
        inputs = json.loads(row[0])
        keys = inputs.get("sessions", [])
        for table in _READ:
            connection.executemany(
                f"UPDATE {table} SET read_by = ? WHERE read_by IS NULL AND session_id = (SELECT id FROM session WHERE"
                " key = ?)",
                [(own, key) for key in keys],
            )
        mark_turns_read(connection, own, inputs.get("turns", {}))
