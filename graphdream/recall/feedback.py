"""Feedback: what became of a fact that was recalled, counted per fact for whoever weighs facts, and what was said."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from graphdream.clock import Clock, utc_now
from graphdream.errors import NotFoundError, UsageError
from graphdream.graph.rows import parse_handle
from graphdream.graph.served import sound, unsound
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE

if TYPE_CHECKING:
    from graphdream.events.observed import Observed

SIGNALS = ("used", "ignored", "wrong")


class Counts(NamedTuple):
    """How often a fact was used, ignored and called wrong; once a session each.

    Attributes:
        used: it was of use.
        ignored: it was shown, and of no use.
        wrong: it does not hold.
    """

    used: int = 0
    ignored: int = 0
    wrong: int = 0


class Feedback(NamedTuple):
    """One signal, as it was given: of a fact, or of a session.

    Attributes:
        fact: row id of the fact; None for what was said of a session.
        signal: "used", "ignored" or "wrong" of a fact; of a session a kind of feedback, such as "correction".
        session: key of the session that it is about, or that said so of a fact.
        note: what was said with it.
        given_at: when, UTC.
        skill: the skill that it is about; "" for none.
    """

    fact: int | None
    signal: str
    session: str
    note: str
    given_at: str
    skill: str = ""


def give_feedback(
    store: Store, handle: str, signal: str, *, session: str = "", note: str = "", clock: Clock = utc_now
) -> bool:
    """Note what became of a recalled fact.

    Args:
        store: the agent's file; within a write transaction of the caller it becomes part of that one.
        handle: the fact, `a345`.
        signal: "used", "ignored" or "wrong".
        session: key of the session; a session says each thing once of a fact.
        note: what was wrong with it, in words.
        clock: gives the time.

    Returns:
        False where the session had said so already.

    Raises:
        UsageError: no such signal, or the handle is not that of a fact.
        NotFoundError: no such fact.
    """
    if signal not in SIGNALS:
        raise UsageError(f"{signal!r} is no feedback", f"say {', '.join(SIGNALS[:-1])} or {SIGNALS[-1]}")
    fact, connection = _fact(handle), store.connection
    if connection.execute("SELECT 1 FROM attribute WHERE id = ?", (fact,)).fetchone() is None:
        raise NotFoundError(f"there is no fact {handle}")
    row = (fact, signal, session, note, clock())
    insert = (
        "INSERT INTO recall_feedback (attribute_id, signal, session_key, note, given_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING"
    )
    if connection.in_transaction:
        return connection.execute(insert, row).rowcount > 0
    with store.writing(graph=False):
        return connection.execute(insert, row).rowcount > 0


def counts_of(connection: sqlite3.Connection, facts: Iterable[int]) -> dict[int, Counts]:
    """The counts of each of some facts; those nobody spoke of are left out."""
    counted: dict[int, Counts] = {}
    for fact, signal, number in connection.execute(
        "SELECT attribute_id, signal, count(*) FROM json_each(?)"
        " JOIN recall_feedback ON attribute_id = json_each.value GROUP BY attribute_id, signal",
        (json.dumps(sorted(facts)),),
    ):
        counted[fact] = counted.get(fact, Counts())._replace(**{signal: number})
    return counted


def all_feedback(store: Store, handle: str = "", *, limit: int = 100) -> list[Feedback]:
    """The newest feedback, newest first, of one fact or, without a handle, of all facts and of sessions.
    What is not as it was sealed is left out, and noted in `store.seal.left_out`.

    Raises:
        UsageError: the handle is not that of a fact.
    """
    from graphdream.events.observed import observed

    fact = _fact(handle) if handle else None
    with store.reading():
        rows = store.connection.execute(
            "SELECT id, attribute_id, signal, session_key, note, given_at FROM recall_feedback"
            " WHERE ?1 IS NULL OR attribute_id = ?1 ORDER BY given_at DESC, id DESC LIMIT ?2",
            (fact, limit),
        ).fetchall()
        of_facts = [Feedback(*row[1:]) for row in sound(store, rows, lambda row: (f"recall_feedback {row['id']}",))]
        if fact is not None:
            return of_facts
        said = observed(
            store.connection, "feedback", limit=limit, newest=True, left_out=lambda wanted: unsound(store, wanted)
        )
    of_sessions = [_of_session(event) for event in said]
    return sorted(of_facts + of_sessions[::-1], key=lambda one: one.given_at, reverse=True)[:limit]


def _of_session(event: Observed) -> Feedback:
    note = event.text("content") or event.text("detail")
    return Feedback(None, event.name, event.session, note, event.at, event.text("skill"))


def _fact(handle: str) -> int:
    parsed = parse_handle(handle)
    if parsed is None or parsed[0] is not ATTRIBUTE:
        raise UsageError(f"{handle!r} is no handle of a fact", "facts have handles like a345; recall shows them")
    return parsed[1]
