"""Hold the conversations of an agenda: those on record are not held again, the others at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from graphdream.dreamers.asking.agenda import Agenda, Limits, PlannedCall
from graphdream.dreamers.asking.conversation import Judge, hold_conversation
from graphdream.dreamers.asking.exchange import Exchange, NoNotebook, Notebook, digest_of, failed_exchange
from graphdream.dreamers.asking.looks import Looks
from graphdream.dreamers.client.base import Client
from graphdream.dreamers.client.errors import BudgetError, ClientError
from graphdream.dreamers.client.ledgered import LedgeredClient
from graphdream.progress import tell

_Outcome = tuple[Exchange, ClientError | None]

MOST_SPLITS = 2  # an answer that does not fit in a quarter of what was asked fits in no part


@dataclass(frozen=True, slots=True)
class Desk:
    """What conversations rest on besides the model.

    Attributes:
        looks: answers what the model looks up; None: it may not.
        judge: what would become of proposals; None: only their form is checked.
        notebook: where conversations are kept.
    """

    looks: Looks | None = None
    judge: Judge | None = None
    notebook: Notebook = field(default_factory=NoNotebook)


@dataclass(slots=True)
class Answers:
    """What came of an agenda: each call with its exchange, None where there is none, and what is left undone.

    `replaced`: answers that were cut off, and the same was asked again in parts; they cost, and nothing rests on them.
    """

    held: list[tuple[PlannedCall, Exchange | None]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    replaced: list[Exchange] = field(default_factory=list)
    resumed: int = 0


def hold_all(client: Client, agenda: Agenda, limits: Limits, desk: Desk) -> Answers:
    """Hold every conversation of an agenda, in parallel; each is kept the moment it ends.

    A call that fails leaves its part to the next pass; the others count. One whose answer was cut off at its longest is
    asked again in parts, up to `MOST_SPLITS` times over, because each part may take as long an answer as the whole.

    Raises:
        ClientError: no call at all was answered.
    """
    held = _Conversations(client, limits, desk)
    answers = Answers()
    answers.held = held.hold(agenda.calls)
    if held.faults and all(exchange is None for _, exchange in answers.held):
        raise held.faults[0][1]
    for _ in range(MOST_SPLITS):
        parts = {
            call: call.parts() for call, exchange in answers.held if exchange is not None and exchange.ended == "cut"
        }
        again = dict(held.hold([part for made in parts.values() for part in made]))
        replaced = {call for call, made in parts.items() if any(again[part] is not None for part in made)}
        if not replaced:
            break
        answers.replaced += [exchange for call, exchange in answers.held if call in replaced and exchange is not None]
        answers.held = [
            pair
            for call, exchange in answers.held
            for pair in ([(part, again[part]) for part in parts[call]] if call in replaced else [(call, exchange)])
        ]
    answers.left = [f"{call.what}: {fault}" for call, fault in held.faults]
    answers.resumed = held.resumed
    return answers


class _Conversations:
    """Conversations held so far: what failed, in the order planned, and how many were found on record."""

    def __init__(self, client: Client, limits: Limits, desk: Desk) -> None:
        self._client, self._limits, self._desk = client, limits, desk
        self.faults: list[tuple[PlannedCall, ClientError]] = []
        self.resumed = 0

    def hold(self, calls: Sequence[PlannedCall]) -> list[tuple[PlannedCall, Exchange | None]]:
        """Each call with its exchange, None where it failed."""
        found = {
            number: self._desk.notebook.find(digest_of(self._client.model, call)) for number, call in enumerate(calls)
        }
        self.resumed += sum(exchange is not None for exchange in found.values())
        faults: dict[int, ClientError] = {}
        open_calls = [number for number, exchange in found.items() if exchange is None]
        _hold(self._client, calls, open_calls, self._limits, self._desk, found, faults)
        # What calls beside it held back of the budget is free again once they have ended.
        waiting = [number for number, fault in sorted(faults.items()) if isinstance(fault, BudgetError)]
        if len(waiting) < len(open_calls):
            for number in waiting:
                del faults[number]
                _hold(self._client, calls, [number], self._limits, self._desk, found, faults)
        self.faults += [(calls[number], fault) for number, fault in sorted(faults.items())]
        return [(call, found[number]) for number, call in enumerate(calls)]


def _hold(
    client: Client, calls: Sequence[PlannedCall], numbers: Sequence[int], limits: Limits, desk: Desk,
    found: dict[int, Exchange | None], faults: dict[int, ClientError],
) -> None:  # fmt: skip
    """Hold some of the calls, each in a thread of its own; what ends is kept here, where the notebook lives.

    An interruption (Ctrl-C) starts no further conversation; those under way are paid for, so they are waited for and
    kept.
    """
    if not numbers:
        return
    pool = ThreadPoolExecutor(max_workers=max(1, min(limits.parallel, len(numbers))))
    running = {pool.submit(_held, client, calls[number], limits, desk): number for number in numbers}

    def keep(future: Future[_Outcome]) -> None:
        exchange, fault = future.result()
        number = running.pop(future)
        if fault is None or exchange.requests or not isinstance(fault, BudgetError):
            desk.notebook.keep(exchange)
        if fault is None:
            found[number] = exchange
        else:
            faults[number] = fault

    try:
        for done, future in enumerate(as_completed(list(running))):
            tell("asking the model", done, len(numbers))
            keep(future)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for future in as_completed([future for future in running if not future.cancelled()]):
            if future.exception() is None:
                keep(future)
        raise
    pool.shutdown()


def _held(client: Client, call: PlannedCall, limits: Limits, desk: Desk) -> _Outcome:
    """One conversation, and why it failed where it did; all that was sent for it is on its record and its bill."""
    own = client.labelled(call.what) if isinstance(client, LedgeredClient) else client
    fault: ClientError | None = None
    try:
        exchange = hold_conversation(own, call, limits, looks=desk.looks, judge=desk.judge)
    except ClientError as raised:
        exchange, fault = failed_exchange(client.model, call, raised), raised
    return (exchange.sent(own.entries) if isinstance(own, LedgeredClient) else exchange), fault
