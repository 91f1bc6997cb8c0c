"""Questions for a model between passes: closed ones stay closed, deferred ones are asked next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from graphdream.dreamers.base import Thought
from graphdream.graph.rows import handle, row_number
from graphdream.graph.tables import ENTITY

_TOO_LATE = "it came up within the pass"
_SESSION = "session:"  # begins the fingerprint of a session that waits for a model; no question's is so long
# A question that waits for the same thing for ever would be paid for in every pass: then it is left alone.
MOST_DEFERRALS = 3


def note_questions(connection: sqlite3.Connection, pass_id: int, thoughts: Iterable[Thought], *, now: str) -> None:
    """Note how each question ended: `done` where something was proposed, `declined` where the model left it alone,
    `deferred` where it came up too late or the model put it off and said why; after `MOST_DEFERRALS` of these it is
    left alone. Part of the transaction that writes the pass."""
    for thought in thoughts:
        for disposition, fingerprints in (("declined", thought.declined), ("done", thought.done)):
            connection.executemany(
                "INSERT INTO finding (fingerprint, kind, disposition, pass_id, decided_at) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (fingerprint) DO UPDATE SET disposition = excluded.disposition, pass_id ="
                " excluded.pass_id, blocker = '', times = times + 1, decided_at = excluded.decided_at",
                [(fingerprint, "", disposition, pass_id, now) for fingerprint in sorted(fingerprints)],
            )
        connection.executemany(
            "INSERT INTO finding (fingerprint, kind, disposition, blocker, pass_id, decided_at)"
            " VALUES (?, ?, 'deferred', ?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE SET disposition = CASE WHEN"
            f" times + 1 < {MOST_DEFERRALS} THEN 'deferred' ELSE 'declined' END, blocker = excluded.blocker,"
            " pass_id = excluded.pass_id, times = times + 1, decided_at = excluded.decided_at"
            " WHERE disposition = 'deferred' AND excluded.blocker <> ?",
            [
                (
                    fingerprint,
                    " ".join(handle(ENTITY, entity) for entity in entities),
                    thought.blockers.get(fingerprint, _TOO_LATE),
                    pass_id,
                    now,
                    _TOO_LATE,
                )
                for fingerprint, entities in sorted(thought.deferred.items())
            ],
        )


def leave_open(connection: sqlite3.Connection, pass_id: int, left: Mapping[str, int], *, now: str) -> None:
    """Note sessions with sentences that were not understood without a model: key -> how many. They stay recallable."""
    connection.executemany(
        "INSERT INTO finding (fingerprint, kind, disposition, blocker, pass_id, decided_at)"
        " VALUES (?, '', 'deferred', ?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE SET disposition = 'deferred',"
        " blocker = excluded.blocker, pass_id = excluded.pass_id, times = times + 1, decided_at = excluded.decided_at",
        [
            (f"{_SESSION}{key}", f"a model: {number} sentence{'s' if number > 1 else ''} not understood", pass_id, now)
            for key, number in sorted(left.items())
        ],
    )


def close_sessions(connection: sqlite3.Connection, pass_id: int, keys: Iterable[str]) -> None:
    """Note that a model has read these sessions."""
    connection.executemany(
        "UPDATE finding SET disposition = 'done', blocker = '', pass_id = ? WHERE fingerprint = ?",
        [(pass_id, f"{_SESSION}{key}") for key in keys],
    )


def open_sessions(connection: sqlite3.Connection) -> list[str]:
    """Keys of sessions that wait for a model, those read last first."""
    rows = connection.execute(
        "SELECT substr(fingerprint, ?) FROM finding WHERE disposition = 'deferred' AND fingerprint GLOB ?"
        " ORDER BY pass_id DESC, fingerprint",
        (len(_SESSION) + 1, f"{_SESSION}*"),
    )
    return [row[0] for row in rows]


def closed_questions(connection: sqlite3.Connection, *, again: bool = False) -> frozenset[str]:
    """Fingerprints of the questions that were answered or left alone.

    Args:
        again: without those whose answer was taken back.
    """
    rows = connection.execute(
        "SELECT fingerprint FROM finding WHERE disposition IN ('done', 'declined')"
        + (" AND pass_id NOT IN (SELECT id FROM pass WHERE undone_by IS NOT NULL)" if again else "")
    )
    return frozenset(row[0] for row in rows)


def deferred_entities(connection: sqlite3.Connection) -> set[int]:
    """The active entities that deferred questions are about."""
    handles = connection.execute("SELECT kind FROM finding WHERE disposition = 'deferred'")
    numbers = (row_number(word[1:]) for row in handles for word in row[0].split())
    wanted = {number for number in numbers if number is not None}
    marks = ", ".join("?" * len(wanted))
    rows = connection.execute(f"SELECT id FROM entity WHERE status = 'active' AND id IN ({marks})", sorted(wanted))
    return {row[0] for row in rows}
