"""How far each part of each pass of the cycle has read, when it ran, and how often it failed since.

It is in the file, so a restart forgets nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphdream.clock import is_ahead, seconds_between, shifted
from graphdream.config import Cycle
from graphdream.dream.retrying import minutes_before_retry
from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealread import unsound_texts
from graphdream.graph.store import Store
from graphdream.passes.protocol import Part, PassKind

_MOST_PASSES = 50  # whose news are looked at before a part is said to be due by them


@dataclass(frozen=True, slots=True)
class Standing:
    """How a part of a pass stands: what it has read, when it ran, how often it failed since."""

    read: Mapping[str, Any]
    last_run_at: str
    failures: int
    last_failure_at: str
    last_error: str
    last_pass_id: int | None


def name_of(kind: PassKind, part: Part) -> str:
    """What a part of a pass is kept under."""
    return f"{kind.name}/{part}"


def forged_standings(store: Store) -> set[str]:
    """The names (`name_of`) of parts whose standing is not as it was sealed; they are noted in
    `store.seal.left_out`."""
    with store.reading():
        names = [row[0] for row in store.connection.execute("SELECT name FROM cycle_pass")]
        wrong = unsound_texts(store.seal, BY_NAME["cycle_pass"], names)
    store.seal.left_out.update(f"the standing of {name}" for name in wrong)
    return wrong


def passes_read_by(store: Store) -> list[int]:
    """The newest passes, from the last one on up to which every part that goes by what passes changed has read: by
    these it is told whether there is news."""
    rows = store.connection.execute(
        "SELECT id FROM pass WHERE id >= (SELECT coalesce(min(json_extract(cursor, '$.change')), 0) FROM cycle_pass)"
        " ORDER BY id DESC LIMIT ?",
        (_MOST_PASSES,),
    )
    return [row[0] for row in rows]


def standing_of(connection: sqlite3.Connection, kind: PassKind, part: Part) -> Standing:
    """How a part of a pass stands."""
    row = connection.execute(
        "SELECT cursor, last_run_at, failures, last_failure_at, last_error, last_pass_id FROM cycle_pass"
        " WHERE name = ?",
        (name_of(kind, part),),
    ).fetchone()
    if row is None:
        return Standing({}, "", 0, "", "", None)
    return Standing(json.loads(row[0]), row[1] or "", row[2], row[3] or "", row[4], row[5])


def move_cursor(
    connection: sqlite3.Connection, kind: PassKind, part: Part, mark: Mapping[str, Any], pass_id: int | None, now: str
) -> None:
    """What was seen counts as read: in the transaction of what was made of it."""
    connection.execute(
        "INSERT INTO cycle_pass (name, cursor, last_run_at, last_pass_id) VALUES (?1, ?2, ?3, ?4)"
        " ON CONFLICT (name) DO UPDATE SET cursor = ?2, last_run_at = ?3, failures = 0, last_error = '',"
        " last_pass_id = coalesce(?4, last_pass_id)",
        (name_of(kind, part), json.dumps(dict(mark), sort_keys=True), now, pass_id),
    )


def note_failure(connection: sqlite3.Connection, kind: PassKind, part: Part, why: str, now: str) -> None:
    """One failure more in a row."""
    connection.execute(
        "INSERT INTO cycle_pass (name, failures, last_failure_at, last_error) VALUES (?1, 1, ?2, ?3)"
        " ON CONFLICT (name) DO UPDATE SET failures = failures + 1, last_failure_at = ?2, last_error = ?3",
        (name_of(kind, part), now, why),
    )


def gate(
    kind: PassKind, part: Part, standing: Standing, settings: Cycle, *, by_hand: bool, model: bool, now: str
) -> str:
    """Why a part of a pass does not run now, before it has looked at anything; "" where it may.

    Args:
        by_hand: a person asks for it: only what it needs counts, not its hours.
        model: whether there is one to ask.
    """
    if kind.name in settings.off:
        return "switched off: memory.cycle.off"
    if part == "model" and not model:
        return "waits for a model"
    if by_hand:
        return ""
    if standing.failures:
        until = shifted(standing.last_failure_at, minutes_before_retry(settings.retry, standing.failures) * 60)
        if seconds_between(now, until) > 0 and not is_ahead(standing.last_failure_at, now):
            return f"failed {standing.failures} time{'s'[: standing.failures > 1]}; tried again from {until[:16]}"
    every = kind.every(settings)
    if every and standing.last_run_at and not is_ahead(standing.last_run_at, now):
        until = shifted(standing.last_run_at, every * 3600)
        if seconds_between(now, until) > 0:
            return f"ran at {standing.last_run_at[:16]}; next from {until[:16]}"
    return ""
