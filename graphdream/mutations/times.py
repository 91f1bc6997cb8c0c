"""Times in the world of facts that become one: what each of them knows of when it holds is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphdream.mutations.rows import Row

WIDENS_TIMES = 3  # rules of the applier since which it does
_EXACTNESS = ("year", "month", "day", "time")
_LONG = {"year": 4, "month": 7, "day": 10}  # signs of a stamp that say so much


def widened(target: Row, sources: Sequence[Row]) -> dict[str, Any]:
    """The columns of the target that change when it absorbs the sources.

    It holds from the earliest beginning to the latest end that is known; an end that it had not is taken over only
    where none of the facts was seen, or began, after it. Of moments at which it happened, its own counts, or one that
    tells the same moment more exactly, or the most exact one where it has none. It is looked at again at the earliest
    of the times set for that.

    Source: how RockBot's dream service merges subject times: ranges widen, and the most specific point wins.
    """
    rows = [target, *sources]
    values: dict[str, Any] = {}
    if starts := _known(rows, "valid_from"):
        values["valid_from"] = min(starts)
    if ends := _known(rows, "valid_to"):
        latest = max(ends)
        seen = [max(row["valid_from"] or "", row["last_seen"] or "") for row in rows if not row["valid_to"]]
        if target["valid_to"] or all(moment <= latest for moment in seen):
            values["valid_to"] = latest
    moment = _happened(target, sources)
    if moment is not target:
        values["occurred_at"] = moment["occurred_at"]
    if reviews := _known(rows, "review_after"):
        values["review_after"] = min(reviews)
    changed = {name: value for name, value in values.items() if value != target[name]}
    if changed.keys() - {"review_after"}:
        told = [
            row["time_precision"] for row in ([moment] if "occurred_at" in changed else rows) if row["time_precision"]
        ]
        coarsest = min(told, key=_EXACTNESS.index, default=None)
        if coarsest != target["time_precision"]:
            changed["time_precision"] = coarsest
    return changed


def _known(rows: Sequence[Row], name: str) -> list[str]:
    return [row[name] for row in rows if row[name]]


def _happened(target: Row, sources: Sequence[Row]) -> Row:
    """The fact whose moment counts."""
    dated = [row for row in sources if row["occurred_at"] and (not target["occurred_at"] or _same(target, row))]
    best = max(dated, key=_exactness, default=target)  # of equals the first
    return best if not target["occurred_at"] or _exactness(best) > _exactness(target) else target


def _same(one: Row, other: Row) -> bool:
    """Whether two moments are one, as exactly as the less exact of them is known."""
    signs = _LONG.get(_EXACTNESS[min(_exactness(one), _exactness(other))], 20)
    return str(one["occurred_at"])[:signs] == str(other["occurred_at"])[:signs]


def _exactness(row: Row) -> int:
    return _EXACTNESS.index(row["time_precision"] or "time")
