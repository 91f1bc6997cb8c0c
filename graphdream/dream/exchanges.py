"""Conversations with models on record: kept as they end, taken over by the pass that rests on them, counted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.dreamers.asking.exchange import Exchange, messages_from_json, messages_to_json
from graphdream.dreamers.client.base import Usage, total
from graphdream.dreamers.client.ledger import Entry
from graphdream.graph.served import unsound
from graphdream.graph.store import Store
from graphdream.journal.told import told_mutations

# Not what has no words: requests for vectors are on no pass's bill (`keep_spending`).
_TAKE_UNUSABLE = "UPDATE exchange SET pass_id = ? WHERE pass_id IS NULL AND ended <> 'answered' AND prompt_messages > 0"


class StoredNotebook:
    """The notebook of a pass, in the agent's own file.

    An exchange that ended well is found again until a pass has taken it over; its digest covers the whole prompt, so an
    answer is never used for another state of the graph.
    """

    def __init__(self, store: Store, clock: Clock = utc_now) -> None:
        self._store, self._clock = store, clock

    def find(self, digest: str) -> Exchange | None:
        """The newest conversation of that digest that no pass rests on yet."""
        row = self._store.connection.execute(
            "SELECT * FROM exchange WHERE digest = ? AND pass_id IS NULL AND ended = 'answered'"
            " ORDER BY id DESC LIMIT 1",
            (digest,),
        ).fetchone()
        return None if row is None else _exchange(row)

    def keep(self, exchange: Exchange) -> None:
        """Write it down in a transaction of its own."""
        with self._store.writing():
            self._store.connection.execute(
                "INSERT INTO exchange (digest, what, model, held_at, messages, prompt_messages, items, summary, ended,"
                " attempts, faults, tokens_in, tokens_out, tokens_cached, cost, requests)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    exchange.digest, exchange.what, exchange.model, self._clock(), messages_to_json(exchange.messages),
                    exchange.prompt_messages, json.dumps(exchange.items, ensure_ascii=False), exchange.summary,
                    exchange.ended, exchange.attempts, exchange.faults, exchange.usage.tokens_in,
                    exchange.usage.tokens_out, exchange.usage.tokens_cached, exchange.usage.cost,
                    json.dumps([dict(request) for request in exchange.requests], ensure_ascii=False),
                ),
            )  # fmt: skip


def take_over(connection: sqlite3.Connection, pass_id: int, digests: Iterable[str]) -> None:
    """A pass rests on these conversations from now on, and those that ended badly are on its bill. Part of the
    transaction that writes the pass."""
    connection.executemany(
        "UPDATE exchange SET pass_id = ? WHERE digest = ? AND pass_id IS NULL",
        [(pass_id, digest) for digest in dict.fromkeys(digests)],
    )
    connection.execute(_TAKE_UNUSABLE, (pass_id,))


def take_over_unusable(store: Store, pass_id: int) -> None:
    """A failed pass keeps the conversations that ended badly, for the record; the others are there for the next one."""
    with store.writing():
        store.connection.execute(_TAKE_UNUSABLE, (pass_id,))


def exchanges_of(connection: sqlite3.Connection, pass_id: int, *, without: Collection[int] = ()) -> list[Exchange]:
    """The conversations that a pass rests on, in the order planned, which is the order of their proposals; behind them
    those that ended badly.

    Args:
        without: ids of those to leave out (`unsound_exchanges`).
    """
    planned = _planned(connection, pass_id)
    place = {digest: number for number, digest in enumerate(planned)}
    rows = connection.execute("SELECT * FROM exchange WHERE pass_id = ? ORDER BY id", (pass_id,))
    found = [_exchange(row) for row in rows if row["id"] not in without]
    return sorted(found, key=lambda exchange: place.get(exchange.digest, len(place)))


def told_exchanges(store: Store, pass_id: int) -> list[Exchange]:
    """As `exchanges_of`, for somebody who reads them: those that are not as they were sealed are left out, and noted in
    `store.seal.left_out`."""
    with store.reading():
        return exchanges_of(store.connection, pass_id, without=unsound_exchanges(store, pass_id))


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said with a model in one call of a pass.

    Attributes:
        what: what it was asked about, in words.
        prompt: what the model was shown, word for word.
        transcript: what was said after that, its looks at the graph included.
    """

    what: str
    model: str
    prompt: str
    transcript: str


def conversations(store: Store, pass_id: int) -> list[Conversation]:
    """The conversations that a pass rests on, as `told_exchanges`, to be read."""
    return [Conversation(one.what, one.model, one.prompt(), one.transcript()) for one in told_exchanges(store, pass_id)]


def unsound_exchanges(store: Store, pass_id: int) -> set[int]:
    """Ids of the conversations of a pass that are not as they were sealed; they are noted in `store.seal.left_out`."""
    with store.reading():
        ids = [row[0] for row in store.connection.execute("SELECT id FROM exchange WHERE pass_id = ?", (pass_id,))]
        wrong = unsound(store, (f"exchange {number}" for number in ids))
        return {number for number in ids if f"exchange {number}" in wrong}


def foundations_of(connection: sqlite3.Connection, pass_id: int) -> list[Exchange]:
    """The conversations whose answers a pass rests on, in the order planned: not those that were only paid for, such as
    one that was cut off and then held again in parts."""
    planned = set(_planned(connection, pass_id))
    return [exchange for exchange in exchanges_of(connection, pass_id) if exchange.digest in planned]


def _planned(connection: sqlite3.Connection, pass_id: int) -> list[str]:
    row = connection.execute("SELECT inputs FROM pass WHERE id = ?", (pass_id,)).fetchone()
    if row is None:
        return []
    try:
        return list(json.loads(row[0])["exchanges"])
    except (ValueError, TypeError, KeyError):  # none was planned, or the pass was written behind graphdream's back
        return []


def unassigned(connection: sqlite3.Connection) -> list[Exchange]:
    """The conversations that no pass rests on, in the order in which they ended."""
    return [_exchange(row) for row in connection.execute("SELECT * FROM exchange WHERE pass_id IS NULL ORDER BY id")]


def held_with(connection: sqlite3.Connection, *, most: int) -> list[Exchange]:
    """The newest conversations that passes rest on and that were answered, the newest first."""
    rows = connection.execute(
        "SELECT * FROM exchange WHERE ended = 'answered' AND pass_id IS NOT NULL AND prompt_messages > 0"
        " ORDER BY id DESC LIMIT ?",
        (most,),
    )
    return list(map(_exchange, rows))


def keep_spending(store: Store, what: str, entries: Sequence[Entry], clock: Clock = utc_now) -> None:
    """Put requests outside of any pass, such as those for vectors, on the bill as one conversation without words."""
    if not entries:
        return
    answered = [entry for entry in entries if not entry.error]
    exchange = Exchange(
        digest=what, what=what, model=entries[-1].model, messages=(), prompt_messages=0, items=(),
        summary="" if answered else entries[-1].error, usage=total([entry.usage for entry in entries]),
        ended="answered" if answered else "failed", attempts=len(entries),
    )  # fmt: skip
    StoredNotebook(store, clock).keep(exchange.sent(entries))


def told_costs(store: Store, record: Mapping[str, Any]) -> dict[str, Any]:
    """As `cost_sheet`, for somebody who reads it, of a pass as `get_pass` gives it: conversations that are not as they
    were sealed are left out, and noted in `store.seal.left_out`."""
    spans = record["inputs"].get("from_model", [])
    applied = sum(
        item["status"] == "applied" and any(start <= item["position"] < end for start, end in spans)
        for item in told_mutations(store, record["id"])
    )
    return cost_sheet(store.connection, record["id"], applied, without=unsound_exchanges(store, record["id"]))


def cost_sheet(
    connection: sqlite3.Connection, pass_id: int, applied: int, *, without: Collection[int] = ()
) -> dict[str, Any]:
    """What a pass spent: each conversation, their sum, and the price of a mutation that was applied; and each request,
    those that were repeated or got no answer, too.

    Args:
        applied: how many proposals of the model were applied.
        without: ids of conversations to leave out (`unsound_exchanges`).
    """
    rows = connection.execute(
        "SELECT id, what, model, ended, attempts, faults, tokens_in, tokens_out, tokens_cached, cost, requests"
        " FROM exchange WHERE pass_id = ? ORDER BY id",
        (pass_id,),
    )
    calls = [dict(row) for row in rows if row["id"] not in without]
    for call in calls:
        del call["id"]
    requests = [request for call in calls for request in json.loads(call.pop("requests"))]
    costs = [call["cost"] for call in calls]
    cost = None if None in costs else round(sum(costs), 6)
    tokens = sum(call["tokens_in"] + call["tokens_out"] for call in calls)
    return {
        "calls": calls,
        "requests": requests,
        "tokens_in": sum(call["tokens_in"] for call in calls),
        "tokens_out": sum(call["tokens_out"] for call in calls),
        "tokens_cached": sum(call["tokens_cached"] for call in calls),
        "cost": cost,
        "applied": applied,
        "tokens_per_applied": round(tokens / applied, 1) if applied else None,
        "cost_per_applied": round(cost / applied, 6) if applied and cost is not None else None,
    }


def _exchange(row: sqlite3.Row) -> Exchange:
    return Exchange(
        digest=row["digest"],
        what=row["what"],
        model=row["model"],
        messages=messages_from_json(row["messages"]),
        prompt_messages=row["prompt_messages"],
        items=tuple((body, fault) for body, fault in json.loads(row["items"])),
        summary=row["summary"],
        usage=Usage(row["attempts"], row["tokens_in"], row["tokens_out"], row["tokens_cached"], row["cost"]),
        ended=row["ended"],
        attempts=row["attempts"],
        faults=row["faults"],
        requests=tuple(json.loads(row["requests"])),
    )
