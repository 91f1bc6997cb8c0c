"""Questions that were put to a model stay closed while the content they rest on is the same (law 5, FEATURES E11)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from graphdream.dreamers.base import Thought


def close_questions(connection: sqlite3.Connection, pass_id: int, thoughts: Iterable[Thought], *, now: str) -> None:
    """Note how each question ended: `done` where something was proposed, `declined` where the model left it alone. Part
    of the transaction that writes the pass."""
    ended = {
        fingerprint: disposition
        for thought in thoughts
        for disposition, fingerprints in (("declined", thought.declined), ("done", thought.done))
        for fingerprint in fingerprints
    }
    connection.executemany(
        "INSERT INTO finding (fingerprint, kind, disposition, pass_id, decided_at) VALUES (?, 'question', ?, ?, ?)"
        " ON CONFLICT (fingerprint) DO UPDATE SET disposition = excluded.disposition, pass_id = excluded.pass_id,"
        " times = times + 1, decided_at = excluded.decided_at",
        [(fingerprint, disposition, pass_id, now) for fingerprint, disposition in sorted(ended.items())],
    )
