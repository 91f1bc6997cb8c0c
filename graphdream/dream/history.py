"""What past dreams did and how it turned out, read from the journal for the next one."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from graphdream.dreamers.prompt.history import PastPass
from graphdream.graph.rows import fetch
from graphdream.graph.sealtables import confirm_tables
from graphdream.graph.store import Store
from graphdream.graph.tables import ENTITY
from graphdream.journal.verdicts import absorptions_of

MOST_PASSES = 30
MOST_LOST = 12  # merges named of a pass that was taken back; the rest are counted
_KINDS = ("dream", "undo", "unmerge", "edit")


def past_passes(store: Store) -> list[PastPass]:
    """The newest dreams, undos and edits, oldest first. Raises IntegrityError where the verdicts on merges are not what
    was sealed.

    Failed passes are left out: they changed nothing, and the next try must find the prompt as it was, or what was
    answered before the failure would have to be asked again.
    """
    connection, marks = store.connection, ", ".join("?" * len(_KINDS))
    with store.reading():
        confirm_tables(store.seal, "rejection")
        rows = connection.execute(
            "SELECT id, kind, mode, status, started_at, summary, error, counts, undone_by FROM pass"
            f" WHERE kind IN ({marks}) AND status <> 'failed' ORDER BY id DESC LIMIT ?",
            (*_KINDS, MOST_PASSES),
        ).fetchall()
        return [_past(connection, row) for row in reversed(rows)]


def _past(connection: sqlite3.Connection, row: sqlite3.Row) -> PastPass:
    figures = json.loads(row["counts"]).get("figures", {})
    return PastPass(
        id=row["id"],
        kind=f"{row['kind']} {row['mode']}".strip(),
        at=row["started_at"],
        done=row["summary"] or row["error"],
        note=_note(connection, row["id"]),
        undone_by=row["undone_by"],
        lost=_taken_back(connection, row["id"]) if row["undone_by"] else (),
        recall=_recall(figures),
        status=row["status"],
    )


def _recall(figures: dict[str, Any]) -> tuple[float, float] | None:
    if "recall_before" not in figures or "recall_after" not in figures:
        return None
    return figures["recall_before"], figures["recall_after"]


def _note(connection: sqlite3.Connection, pass_id: int) -> str:
    """What the dreamer wrote to itself: the summary of the dream's own session, less its first line."""
    row = connection.execute(
        "SELECT content FROM summary JOIN session ON session.id = session_id WHERE key = ? ORDER BY summary.id LIMIT 1",
        (f"dream-{pass_id}",),
    ).fetchone()
    return row[0].partition("\n")[2].strip() if row else ""


def _taken_back(connection: sqlite3.Connection, pass_id: int) -> list[str]:
    """The merges of a pass that was undone: which were judged wrong, and which were taken back without a word."""
    wrong = {
        (row["first_id"], row["second_id"])
        for row in connection.execute(
            "SELECT first_id, second_id FROM rejection WHERE merged_by = ? AND revoked_by IS NULL", (pass_id,)
        )
    }
    merged = {(min(pair), max(pair)) for _, *pair in absorptions_of(connection, [pass_id], undone=True)}
    lines = []
    for first, second in sorted(merged | wrong)[:MOST_LOST]:
        said = "and are not the same" if (first, second) in wrong else "which was taken back: leave them as they are"
        named = " and ".join(f"e{number} {fetch(connection, ENTITY, number)['name']}" for number in (first, second))
        lines.append(f"{named} were merged, {said}")
    more = len(merged | wrong) - len(lines)
    return lines + ([f"and {more} more merges"] if more else [])


def made_by(connection: sqlite3.Connection, trigger: str) -> tuple[int, str, str] | None:
    """The dream that a trigger made: its number, its mode and what it did; None where none is on record. One that
    failed is none."""
    row = connection.execute(
        "SELECT id, mode, summary FROM pass WHERE kind = 'dream' AND trigger = ?"
        " AND status IN ('applied', 'refused', 'planned') ORDER BY id LIMIT 1",
        (trigger,),
    ).fetchone()
    return None if row is None else (row[0], row[1], row[2])
