"""The self view: what the agent knows of itself, folded from what it did. Nothing of it is told by a model.

Confidence moves by a share of what is missing to 0 or 1 with every outcome, an exponential moving average: it comes to
rest at the share of successes. Source of the step and the bounds: WASP's dream mode, an agent that had moved by +0.02
and -0.04 before and drifted down.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field
from typing import Any

from graphdream.clock import shifted
from graphdream.graph.names import canonical

SELF, AGENT = "self", "agent"
START = 0.5
_OUTCOMES = ("skill-use", "tool-call", "execution")
_FEWEST = 5  # outcomes from which a skill can be a strength or a failing
_STRONG, _WEAK = 0.8, 0.5
_WEEK = 7 * 86_400


@dataclass(slots=True)
class SelfModel:
    """What the agent knows of itself.

    Attributes:
        strengths: names of skills, tools and executions that go well, from five outcomes on.
        known_failures: likewise, of those that do not.
        confidence: domain -> 0..1.
        success_rates: name -> (successes, outcomes), of everything with an outcome.
        week: what was done in the last seven days.
    """

    strengths: list[str] = field(default_factory=list)
    known_failures: list[str] = field(default_factory=list)
    preferences: list[str] = field(default_factory=list)
    confidence: dict[str, float] = field(default_factory=dict)
    success_rates: dict[str, tuple[int, int]] = field(default_factory=dict)
    week: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The model as plain values."""
        rates = {name: {"success": good, "total": total} for name, (good, total) in self.success_rates.items()}
        return asdict(self) | {"success_rates": rates}


def stepped(confidence: float, ok: bool, step: float, low: float, high: float) -> float:
    """Confidence after one more outcome, within its bounds."""
    moved = confidence + step * (1 - confidence) if ok else confidence - step * confidence
    return max(low, min(high, moved))


def self_model(
    connection: sqlite3.Connection, now: str, *, step: float = 0.015, low: float = 0.05, high: float = 0.98,
    left_out: Callable[[list[str]], Collection[str]] = lambda handles: (),
) -> SelfModel:  # fmt: skip
    """Fold what is on record into the self-model.

    Args:
        left_out: which of some facts and events are not told (`graphdream.graph.served.unsound`).
    """
    rates: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    shown: dict[str, str] = {}
    confidence: dict[str, float] = {}
    marks = ", ".join("?" * len(_OUTCOMES))
    happened = connection.execute(
        f"SELECT id, name, ok, body FROM observed WHERE ok IS NOT NULL AND kind IN ({marks}) ORDER BY at, id", _OUTCOMES
    ).fetchall()
    wrong = left_out([f"observed {row[0]}" for row in happened])
    for number, name, ok, body in happened:
        if f"observed {number}" in wrong:
            continue
        domain = json.loads(body).get("domain", name)
        key = canonical(name)
        shown.setdefault(key, name)
        rates[key][0] += ok
        rates[key][1] += 1
        confidence[domain] = stepped(confidence.get(domain, START), bool(ok), step, low, high)
    known = {shown[key]: (good, total) for key, (good, total) in sorted(rates.items())}
    told = [(name, good / total) for name, (good, total) in known.items() if total >= _FEWEST]
    return SelfModel(
        [name for name, share in told if share >= _STRONG],
        [name for name, share in told if share < _WEAK],
        _preferences(connection, left_out),
        {domain: round(value, 6) for domain, value in sorted(confidence.items())},
        known,
        _week(connection, now),
    )


def _preferences(connection: sqlite3.Connection, left_out: Callable[[list[str]], Collection[str]]) -> list[str]:
    rows = connection.execute(
        "SELECT attribute.id, content FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = entity_id WHERE entity.name = 'user-preferences'"
        " AND attribute.status = 'active' AND entity.status = 'active'"
        " ORDER BY attribute.importance DESC, attribute.id LIMIT 20"
    ).fetchall()
    wrong = left_out([f"a{fact}" for fact, _ in rows])
    return [content for fact, content in rows if f"a{fact}" not in wrong]


def _week(connection: sqlite3.Connection, now: str) -> dict[str, int]:
    start = shifted(now, -_WEEK)
    counts = Counter(
        dict(connection.execute("SELECT kind, count(*) FROM observed WHERE at >= ? GROUP BY kind", (start,)).fetchall())
    )
    turns = connection.execute("SELECT count(*) FROM turn WHERE said_at >= ?", (start,)).fetchone()[0]
    return {"turns": turns, **{kind: counts[kind] for kind in ("feedback", *_OUTCOMES)}}
