"""The cursor over events follows its pass.

What an undone dream had read is held with all it did: it counts as read, by the undo, until somebody asks for it again.
What an undone import had brought along as read is unread again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from graphdream.events.counter import UNREAD_OR_HELD, mark_turns_read

_READ = ("summary", "observation")


def give_back(connection: sqlite3.Connection, undone: Iterable[tuple[int, int]]) -> None:
    """What a pass had read, it has not: pairs of a pass and the undo that takes it back."""
    for own, undo in undone:
        kind = connection.execute("SELECT kind FROM pass WHERE id = ?", (own,)).fetchone()[0]
        for table in _READ:
            connection.execute(
                f"UPDATE {table} SET read_by = ? WHERE read_by = ?", (undo if kind == "dream" else None, own)
            )
        connection.execute("UPDATE turn SET read_by = NULL WHERE read_by = ?", (own,))


def take_again(connection: sqlite3.Connection, standing: Iterable[int]) -> None:
    """What these passes were shown counts as read by them again, as far as no later pass has read it."""
    for own in standing:
        row = connection.execute("SELECT inputs FROM pass WHERE id = ?", (own,)).fetchone()
        inputs = json.loads(row[0])
        keys = inputs.get("sessions", [])
        for table in _READ:
            connection.executemany(
                f"UPDATE {table} SET read_by = ? WHERE {UNREAD_OR_HELD} AND session_id = (SELECT id FROM session WHERE"
                " key = ?)",
                [(own, key) for key in keys],
            )
        mark_turns_read(connection, own, inputs.get("turns", {}))
