"""What became of a row between two points of the journal: one word for it, its fate, and what is so of it since."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from graphdream.graph import worldtimes
from graphdream.graph.tables import (
    ALIAS,
    ASPECT,
    ATTRIBUTE,
    CONTRADICTION,
    DISTINCT_PAIR,
    ENTITY,
    EVIDENCE,
    LINK,
    MENTION,
)
from graphdream.journal.net import RowDiff

# A row has one fate: that of the first of these columns that changed.
_CHANGED = {
    "content": "reworded", "name": "renamed", "type": "retyped", "pinned": "pinned", "aspect_id": "moved",
    "kind": "marked", "valid_from": "dated", "valid_to": "dated", "occurred_at": "dated", "time_precision": "dated",
    "review_after": "dated", "reinforcement": "heard again", "authority": "vouched", "tags": "tagged",
    "confidence": "weighed", "importance": "weighed", "strength": "weighed",
}  # fmt: skip
SUMS = frozenset(("dated", "heard again", "heard less", "vouched", "tagged", "weighed"))
"""Fates by which a row only takes over what those say that went into it."""
_FOLLOWS = {
    ENTITY.kind: frozenset(("canonical", "first_seen", "last_seen", "sessions", "mentions", "importance")),
    ASPECT.kind: frozenset(("entity_id", "canonical", "first_seen", "weight", "absorbed_into")),
    ATTRIBUTE.kind: frozenset(
        ("digest", "first_seen", "last_seen", "slot", "absorbed_into", "superseded_by", *_CHANGED)
    ),
    LINK.kind: frozenset(("source_id", "target_id", "first_seen", "last_seen", "absorbed_into", *_CHANGED)),
    DISTINCT_PAIR.kind: frozenset(("first_id", "second_id")),
    CONTRADICTION.kind: frozenset(("first_id", "second_id", "slot")),
}
"""Columns that change because something else does, which is told; what no other column names is counted."""
NOW: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "marked": lambda fact: "a constraint" if fact["kind"] == "constraint" else "an ordinary fact",
    "dated": lambda fact: "; ".join(
        worldtimes.in_words(
            valid_from=fact["valid_from"], valid_to=fact["valid_to"], occurred_at=fact["occurred_at"],
            review_after=fact["review_after"], precision=fact["time_precision"],
        )
    ) or "at no time that is known",
    "heard again": lambda fact: _seen(fact["reinforcement"]), "heard less": lambda fact: _seen(fact["reinforcement"]),
    "vouched": lambda fact: str(fact["authority"]),
    "tagged": lambda fact: ", ".join(json.loads(fact["tags"])) or "no tag",
    "weighed": lambda fact: f"importance {fact['importance']:.2g}, confidence {fact['confidence']:.2g}",
}  # fmt: skip
"""What is so of a fact afterwards, in words, by its fate."""


def _seen(times: int) -> str:
    return "seen once" if times == 1 else f"seen {times:,} times"


def end_of(side: Mapping[str, Any]) -> int | None:
    """The row into which this one went, or which took its place, at one of the two points."""
    end: int | None = side.get("absorbed_into") or side.get("superseded_by")
    return end


def fate_of(row: RowDiff) -> str:
    """What became of a row: added, removed, its new status (restored for active), or which column of it changed. What
    was told and was over in one pass is superseded, not added."""
    if row.before is None:
        return "superseded" if (row.after or {}).get("status") == "superseded" else "added"
    if row.after is None:
        return "removed"
    if "status" in row.after:
        return "restored" if row.after["status"] == "active" else str(row.after["status"])
    for column, fate in _CHANGED.items():
        if column in row.after:
            if fate == "heard again" and row.after[column] < row.before[column]:
                return "heard less"
            return fate
    return "changed"


def only_follows(row: RowDiff) -> bool:
    """Whether what changed of a row only follows from other rows, or says what they say."""
    if row.table in (ALIAS, MENTION, EVIDENCE):
        return True
    return row.before is None or row.after is None or _FOLLOWS[row.table.kind].issuperset(row.after)
