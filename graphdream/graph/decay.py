"""How importance decays: not within the grace after a fact was last seen, then by half in each half-life, to a floor.

The factors of two stretches of time multiply to that of both together, so it does not matter how often it is done: what
is kept is the moment up to which everything has decayed, not one for each fact. Source of the curve and of its numbers:
the memory consolidation of RockBot, an agent framework.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from graphdream.clock import seconds_between
from graphdream.graph.rows import stored

_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Curve:
    """Days of grace, days of the half-life, and the importance below which nothing decays, 0..1."""

    grace_days: float = 30
    half_life_days: float = 45
    floor: float = 0.10

    def after(self, importance: float, days: float) -> float:
        """Importance after so many days beyond the grace."""
        return max(self.floor, importance * float(0.5 ** (days / self.half_life_days)))


def decayed(
    connection: sqlite3.Connection, curve: Curve, *, at: str, since: str = "", protected: bool = True
) -> Iterator[tuple[int, float, float]]:
    """The active facts whose importance falls: id, importance before, importance after.

    Args:
        at: the moment up to which they decay, a stamp.
        since: the moment up to which they have decayed already; "": none has.
        protected: leave out constraints, what hangs on a pinned entity, and what a person told.
    """
    spare = (
        " AND attribute.kind <> 'constraint' AND authority <> 'user' AND NOT EXISTS (SELECT 1 FROM aspect JOIN entity"
        " ON entity.id = aspect.entity_id WHERE aspect.id = attribute.aspect_id AND entity.pinned)"
        if protected
        else ""
    )
    rows = connection.execute(
        "SELECT id, importance, last_seen FROM attribute WHERE status = 'active' AND importance > ?"
        f" AND last_seen < ?{spare} ORDER BY id",
        (curve.floor, at),
    ).fetchall()

    @lru_cache(maxsize=100_000)  # facts of one import were all seen at one moment
    def days_since(last_seen: str) -> float:
        past_grace = seconds_between(last_seen, at) / _DAY - curve.grace_days
        return min(past_grace, seconds_between(since, at) / _DAY) if since else past_grace

    for fact, before, last_seen in rows:
        days = days_since(last_seen)
        if days > 0:
            after = stored(curve.after(before, days))
            if after < before:
                yield fact, before, after
