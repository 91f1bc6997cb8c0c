"""What models took: tokens and dollars, by month, by model, and by the passes that took most."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

_MOST_PASSES = 50

# A conversation counts whatever became of its pass; a pass counts itself where it has none on record.
_BILLS = """
    SELECT held_at AS at, model, pass_id, tokens_in, tokens_out, tokens_cached, cost, 1 AS calls FROM exchange
    UNION ALL
    SELECT started_at, model, id, tokens_in, tokens_out, tokens_cached, cost, 0 FROM pass
    WHERE (tokens_in > 0 OR cost IS NULL OR cost <> 0) AND status <> 'refused'
        AND NOT EXISTS (SELECT 1 FROM exchange WHERE pass_id = pass.id)
"""


@dataclass(frozen=True, slots=True)
class Bill:
    """What one month, model or pass took.

    Attributes:
        what: `2026-03`, the name of a model, or the id of a pass; "" for what belongs to no pass.
        cost: US dollars of what has a price; `unpriced` are calls or passes whose price is not known.
    """

    what: str
    calls: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost: float
    unpriced: int


@dataclass(frozen=True, slots=True)
class Spending:
    """All of it, and its parts; months newest first, models and passes dearest first, at most 50 passes."""

    total: Bill
    months: tuple[Bill, ...]
    models: tuple[Bill, ...]
    passes: tuple[Bill, ...]


def spending(connection: sqlite3.Connection) -> Spending:
    """What models took since the file was made."""
    total = _bills(connection, "'all'", "1")
    return Spending(
        total=total[0] if total else Bill("all", 0, 0, 0, 0, 0.0, 0),
        months=tuple(_bills(connection, "substr(at, 1, 7)", "what DESC")),
        models=tuple(_bills(connection, "model", "total(cost) DESC, sum(tokens_in) DESC")),
        passes=tuple(
            _bills(
                connection, "coalesce(pass_id, '')", f"total(cost) DESC, sum(tokens_in) DESC, what LIMIT {_MOST_PASSES}"
            )
        ),
    )


def _bills(connection: sqlite3.Connection, what: str, order: str) -> list[Bill]:
    rows = connection.execute(
        f"SELECT {what} AS what, sum(calls), sum(tokens_in), sum(tokens_out), sum(tokens_cached), total(cost),"
        f" sum(cost IS NULL) FROM ({_BILLS}) GROUP BY 1 ORDER BY {order}"
    ).fetchall()
    return [
        Bill(str(what), int(calls), int(sent), int(got), int(cached), round(cost, 6), int(unpriced))
        for what, calls, sent, got, cached, cost, unpriced in rows
    ]
