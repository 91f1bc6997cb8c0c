"""What models took: tokens and dollars, by month, by model, and by the passes that took most.

What is not as it was sealed is on no bill: it is left out, and noted in `store.seal.left_out`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from graphdream.graph.served import unsound
from graphdream.graph.store import Store
from graphdream.journal.told import forged_among

_MOST_PASSES = 50
_PRICED = "cost IS NULL OR cost <> 0"
_PAID = f"tokens_in > 0 OR {_PRICED}"
_SELF = (
    "status <> 'refused' AND NOT EXISTS (SELECT 1 FROM exchange WHERE pass_id = pass.id)"
    " AND id NOT IN (SELECT value FROM json_each(:passes))"
)

# A conversation counts whatever became of its pass; a pass counts itself where it has none on record.
_BILLS = f"""
    SELECT held_at AS at, model, pass_id, tokens_in, tokens_out, tokens_cached, cost, 1 AS calls FROM exchange
    WHERE id NOT IN (SELECT value FROM json_each(:exchanges))
    UNION ALL
    SELECT started_at, model, id, tokens_in, tokens_out, tokens_cached, cost, 0 FROM pass
    WHERE ({_PAID}) AND {_SELF}
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


@dataclass(frozen=True, slots=True)
class Spent:
    """The sum of all bills.

    Attributes:
        usd: US dollars of what has a price.
        tokens: of all conversations, in and out.
        unpriced: how many passes ran at a price that is not known.
    """

    usd: float
    tokens: int
    unpriced: int


def spending(store: Store) -> Spending:
    """What models took since the file was made."""
    with store.reading():
        without = _forged(store, _PAID)
        total = _bills(store, without, "'all'", "1")
        dearest = f"total(cost) DESC, sum(tokens_in) DESC, what LIMIT {_MOST_PASSES}"
        return Spending(
            total=total[0] if total else Bill("all", 0, 0, 0, 0, 0.0, 0),
            months=tuple(_bills(store, without, "substr(at, 1, 7)", "what DESC")),
            models=tuple(_bills(store, without, "model", "total(cost) DESC, sum(tokens_in) DESC")),
            passes=tuple(_bills(store, without, "coalesce(pass_id, '')", dearest)),
        )


def spent(store: Store) -> Spent:
    """The sum alone, which is asked for all day."""
    with store.reading():
        without = _forged(store, _PRICED)
        usd, unpriced = store.connection.execute(
            f"""
            SELECT (SELECT total(cost) FROM exchange WHERE id NOT IN (SELECT value FROM json_each(:exchanges)))
                + (SELECT total(cost) FROM pass WHERE cost <> 0 AND {_SELF}),
                (SELECT count(*) FROM pass WHERE cost IS NULL AND id NOT IN (SELECT value FROM json_each(:passes)))
            """,
            without,
        ).fetchone()
        of_exchanges = "FROM exchange WHERE id NOT IN (SELECT value FROM json_each(:exchanges))"
        tokens = store.connection.execute(f"SELECT total(tokens_in + tokens_out) {of_exchanges}", without).fetchone()[0]
    return Spent(round(usd, 6), int(tokens), unpriced)


def _forged(store: Store, which: str) -> dict[str, str]:
    """Ids of the conversations and passes that are on no bill, as JSON; `which` passes are looked at, as SQL."""
    connection = store.connection
    exchanges = [row[0] for row in connection.execute("SELECT id FROM exchange")]
    wrong = unsound(store, (f"exchange {number}" for number in exchanges))
    passes = [row[0] for row in connection.execute(f"SELECT id FROM pass WHERE {which}")]
    return {
        "exchanges": json.dumps([number for number in exchanges if f"exchange {number}" in wrong]),
        "passes": json.dumps(sorted(forged_among(store, passes))),
    }


def _bills(store: Store, without: dict[str, str], what: str, order: str) -> list[Bill]:
    rows = store.connection.execute(
        f"SELECT {what} AS what, sum(calls), sum(tokens_in), sum(tokens_out), sum(tokens_cached), total(cost),"
        f" sum(cost IS NULL) FROM ({_BILLS}) GROUP BY 1 ORDER BY {order}",
        without,
    ).fetchall()
    return [
        Bill(str(what), int(calls), int(sent), int(got), int(cached), round(cost, 6), int(unpriced))
        for what, calls, sent, got, cached, cost, unpriced in rows
    ]
