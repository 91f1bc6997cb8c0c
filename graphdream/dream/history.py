"""What past dreams did and how it turned out, read from the journal for the next one (FEATURES D9)."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from graphdream.dreamers.prompt.history import PastPass

MOST_PASSES = 30
MOST_LOST = 12  # merges named of a pass that was taken back; the rest are counted
_KINDS = ("dream", "undo", "unmerge", "edit")


def past_passes(connection: sqlite3.Connection) -> list[PastPass]:
    """The newest dreams, undos and edits, oldest first.

    Failed passes are left out: they changed nothing, and the next try must find the prompt as it was, or what was
    answered before the failure would have to be asked again.
    """
    marks = ", ".join("?" * len(_KINDS))
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
    """The merges of a pass that was undone: those two were judged not to be the same."""
    rows = connection.execute(
        "SELECT DISTINCT first_id, second_id, one.name, other.name FROM rejection"
        " JOIN entity AS one ON one.id = first_id JOIN entity AS other ON other.id = second_id"
        " WHERE merged_by = ? AND revoked_by IS NULL ORDER BY first_id, second_id",
        (pass_id,),
    ).fetchall()
    lines = [f"e{row[0]} {row[2]} and e{row[1]} {row[3]} were merged, and are not the same" for row in rows[:MOST_LOST]]
    return lines + ([f"and {len(rows) - MOST_LOST} more merges"] if len(rows) > MOST_LOST else [])
