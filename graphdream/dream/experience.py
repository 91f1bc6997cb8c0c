"""What past calls of a model took beside what they were planned to take: estimates learn from the agent's own ledger.

A plan is counted by one tokenizer and for one answer to each call. A provider may count otherwise, and a model may look
around, be asked for corrections, or write more or less than expected; all of that is on the bill of what it did before.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from graphdream.dream.exchanges import held_with
from graphdream.dreamers.asking.agenda import PlannedCall, task_of
from graphdream.dreamers.asking.calls import beside_tokens, task_ops
from graphdream.dreamers.asking.exchange import Exchange, digest_of

MOST_CALLS = 8  # of a task, the newest; a model that is used otherwise from now on is known after as many
PRIOR_CALLS = 1  # how many calls as planned the first ones are weighed with, so that a single odd one says little


@dataclass(frozen=True, slots=True)
class Experience:
    """How a model's calls of one task went.

    Attributes:
        calls: how many it rests on.
        sent: tokens sent, for each token that was planned to be sent.
        answered: tokens answered, for each token that was expected.
    """

    calls: int = 0
    sent: float = 1.0
    answered: float = 1.0


PLANNED = Experience()


@dataclass(slots=True)
class _Sums:
    calls: int = 0
    planned_in: int = 0
    sent: int = 0
    answered: int = 0


def experiences(
    connection: sqlite3.Connection, model: str, count: Callable[[str], int], planned: list[PlannedCall]
) -> Mapping[str, Experience]:
    """By task, how the newest calls of a model went. Only calls as they are made today count: the digest of each is
    worked out again, and covers the model, the words and the form of the answer.

    Args:
        model: as litellm names it.
        count: tokens of a text.
        planned: calls that are about to be made; their share of expected answers is what past ones are held against.
    """
    shares = _expected_shares(planned)
    sums: dict[str, _Sums] = defaultdict(_Sums)
    for exchange in held_with(connection, most=4 * MOST_CALLS):
        task = task_of(exchange.what)
        own = sums[task]
        if task not in shares or own.calls == MOST_CALLS or not _is_of(exchange, task, model):
            continue
        messages = exchange.messages[: exchange.prompt_messages]
        own.calls += 1
        own.planned_in += sum(count(message.content) for message in messages)
        own.planned_in += beside_tokens(task_ops(task), task == "sessions", count)
        own.sent += exchange.usage.tokens_in
        own.answered += exchange.usage.tokens_out
    return {task: _weighed(own, shares[task]) for task, own in sums.items() if own.calls}


def _expected_shares(planned: list[PlannedCall]) -> dict[str, float]:
    """By task, tokens that are expected back for each that is sent."""
    sums: dict[str, _Sums] = defaultdict(_Sums)
    for call in planned:
        own = sums[task_of(call.what)]
        own.planned_in += call.tokens_in
        own.answered += call.tokens_out
    return {task: own.answered / own.planned_in for task, own in sums.items() if own.planned_in and own.answered}


def _is_of(exchange: Exchange, task: str, model: str) -> bool:
    call = PlannedCall(
        exchange.what, exchange.messages[: exchange.prompt_messages], task_ops(task), 0, 0,
        looks=task == "sessions",
    )  # fmt: skip
    return exchange.digest == digest_of(model, call)


def _weighed(own: _Sums, share: float) -> Experience:
    prior = PRIOR_CALLS * own.planned_in / own.calls
    planned_in = own.planned_in + prior
    return Experience(own.calls, (own.sent + prior) / planned_in, (own.answered + share * prior) / (share * planned_in))
