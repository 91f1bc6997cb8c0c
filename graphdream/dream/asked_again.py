"""Dream a past pass again on the input it had, with another model or the answers on record: level 3 of a replay.

Nothing of the agent's graph is changed: the pass runs on a copy of the file, wound back to the moment before it, and
its result is taken back there, too. What asking costs is put on the agent's own record.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphdream.dream.exchanges import StoredNotebook, exchanges_of, unassigned
from graphdream.dream.gather import note_looked
from graphdream.dream.replay import wound_back
from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.asking.exchange import Exchange
from graphdream.dreamers.base import Dreamer
from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.journal.passes import get_pass, mutations_of

OpenDreamer = Callable[[Store, bool], Dreamer]
"""Opens a dreamer on a file; the flag says whether the pass walked through the whole graph."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A mutation of a plan with its outcome.

    Attributes:
        outcome: as "status/code: message".
    """

    body: dict[str, Any]
    outcome: str

    @property
    def key(self) -> str:
        """What it comes to: all but its reason, and sets in order."""
        return json.dumps(
            {
                name: sorted(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else value
                for name, value in self.body.items()
                if name not in ("reason", "quote")
            },
            sort_keys=True,
            ensure_ascii=False,
        )


@dataclass(slots=True)
class Comparison:
    """Two plans for the same input, side by side.

    Attributes:
        same_input: whether every prompt was word for word what it was then; None where no model was asked.
        model_then: who thought when the pass was made.
        model_now: who thought now.
        both: mutations in both plans.
        only_then: mutations of the recorded plan alone.
        only_now: mutations of the new plan alone.
    """

    pass_id: int
    model_then: str
    model_now: str
    same_input: bool | None
    both: list[Suggestion] = field(default_factory=list)
    only_then: list[Suggestion] = field(default_factory=list)
    only_now: list[Suggestion] = field(default_factory=list)
    tokens: int = 0
    cost: float | None = 0.0

    @property
    def same(self) -> bool:
        """Whether both plans are one."""
        return not self.only_then and not self.only_now

    def as_json(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return {
            "pass": self.pass_id, "level": 3, "same": self.same, "same_input": self.same_input,
            "model_then": self.model_then, "model_now": self.model_now, "tokens": self.tokens, "cost": self.cost,
            **{
                name: [{"body": one.body, "outcome": one.outcome} for one in plan]
                for name, plan in (("both", self.both), ("only_then", self.only_then), ("only_now", self.only_now))
            },
        }  # fmt: skip


def ask_again(store: Store, pass_id: int, open_dreamer: OpenDreamer) -> Comparison:
    """Dream a pass again on its frozen input.

    Raises:
        NotFoundError: there is no such pass.
        UsageError: it was no dream, or was not applied.
        ClientError: the model gave no answer.
    """
    record = get_pass(store.connection, pass_id)
    if record["kind"] != "dream" or record["status"] != "applied" or "plan" in record["inputs"]:
        raise UsageError(f"pass {pass_id} is no applied dream, so it has no input to dream on again")
    then = exchanges_of(store.connection, pass_id)
    inputs = record["inputs"]
    now = inputs.get("now") or record["started_at"]
    with wound_back(store, pass_id) as copy:
        _freeze(copy, inputs)
        dreamer = open_dreamer(copy, any(exchange.what.startswith("chunk ") for exchange in then))
        options = PassOptions(mode=record["mode"], dry_run=True, **record["options"])
        report = dream(copy, dreamer, options, clock=lambda: now)
        held = unassigned(copy.connection)
    _put_on_record(store, pass_id, held)
    logged = [
        Suggestion(row["body"], f"{row['status']}/{row['code']}: {row['message']}")
        for row in mutations_of(store.connection, pass_id)
    ]
    found = [
        Suggestion(proposal.body, f"{outcome.status}/{outcome.code}: {outcome.message}")
        for proposal, outcome in zip(report.proposals, report.outcomes, strict=True)
    ]
    costs = [exchange.usage.cost for exchange in held]
    comparison = Comparison(
        pass_id,
        model_then=record["model"] or record["dreamer"],
        model_now=held[0].model if held else dreamer.name,
        same_input=_prompts(then) == _prompts(held) if held else None,
        tokens=sum(exchange.usage.tokens_in + exchange.usage.tokens_out for exchange in held),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
    )
    _compare(comparison, logged, found)
    return comparison


def _freeze(copy: Store, inputs: dict[str, Any]) -> None:
    """Leave in the copy the events that the pass was shown, and what it had looked at before."""
    connection = copy.connection
    with copy.writing():
        # Read by a pass, and not by one that takes back, whose readings may be read again: the first one is none.
        earlier = connection.execute("SELECT min(id) FROM pass").fetchone()[0]
        for table, shown in (("summary", inputs.get("summaries")), ("observation", inputs.get("observations"))):
            if shown is not None:
                unseen = f"id NOT IN ({', '.join('?' * len(shown))})"
                _put_aside(connection, table, unseen, shown, earlier)
        keys = json.dumps(list(inputs.get("turns", {})))
        unseen = "session_id NOT IN (SELECT id FROM session WHERE key IN (SELECT value FROM json_each(?)))"
        _put_aside(connection, "turn", unseen, (keys,), earlier)
        note_looked(connection, int(inputs.get("looked_at", 0)))
        connection.execute("DELETE FROM exchange")
        connection.execute("DELETE FROM lease")


def _put_aside(
    connection: sqlite3.Connection, table: str, unseen: str, given: Sequence[Any], earlier: int | None
) -> None:
    """Have no pass read the unread events of a table that a condition finds.

    Args:
        earlier: the pass that counts as having read them; None: no pass came before, and they are taken out.
    """
    where = f"WHERE read_by IS NULL AND {unseen}"
    if earlier is None:
        connection.execute(f"DELETE FROM {table} {where}", given)
    else:
        connection.execute(f"UPDATE {table} SET read_by = {earlier} {where}", given)


def _put_on_record(store: Store, pass_id: int, held: Sequence[Exchange]) -> None:
    notebook = StoredNotebook(store)
    for exchange in held:
        notebook.keep(replace(exchange, what=f"replay of pass {pass_id}: {exchange.what}"))


def _prompts(exchanges: Sequence[Exchange]) -> list[str]:
    return sorted(exchange.prompt() for exchange in exchanges)


def _compare(comparison: Comparison, then: Sequence[Suggestion], now: Sequence[Suggestion]) -> None:
    left = Counter(one.key for one in now)
    for one in then:
        if left[one.key]:
            left[one.key] -= 1
            comparison.both.append(one)
        else:
            comparison.only_then.append(one)
    were = Counter(one.key for one in then)
    for one in now:
        if were[one.key]:
            were[one.key] -= 1
        else:
            comparison.only_now.append(one)
