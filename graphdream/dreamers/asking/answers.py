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
from graphdream.dreamers.client.errors import BudgetError, ClientError, ProviderError


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
    """What came of an agenda: each call with its exchange, None where there is none, and what is left undone."""

    held: list[tuple[PlannedCall, Exchange | None]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    resumed: int = 0


def hold_all(client: Client, agenda: Agenda, limits: Limits, desk: Desk) -> Answers:
    """Hold every conversation of an agenda, in parallel; each is kept the moment it ends.

    A call that fails leaves its part to the next pass; the others count.

    Raises:
        ClientError: no call at all was answered.
    """
    found = {number: desk.notebook.find(digest_of(client.model, call)) for number, call in enumerate(agenda.calls)}
    answers = Answers(resumed=sum(exchange is not None for exchange in found.values()))
    faults: dict[int, ClientError] = {}
    open_calls = [number for number, exchange in found.items() if exchange is None]
    _hold(client, agenda.calls, open_calls, limits, desk, found, faults)
    # What calls beside it held back of the budget is free again once they have ended.
    waiting = [number for number, fault in sorted(faults.items()) if isinstance(fault, BudgetError)]
    if len(waiting) < len(open_calls):
        for number in waiting:
            del faults[number]
            _hold(client, agenda.calls, [number], limits, desk, found, faults)
    if faults and all(exchange is None for exchange in found.values()):
        raise next(fault for _, fault in sorted(faults.items()))
    answers.held = [(call, found[number]) for number, call in enumerate(agenda.calls)]
    answers.left = [f"{agenda.calls[number].what}: {fault}" for number, fault in sorted(faults.items())]
    return answers


def _hold(
    client: Client, calls: Sequence[PlannedCall], numbers: Sequence[int], limits: Limits, desk: Desk,
    found: dict[int, Exchange | None], faults: dict[int, ClientError],
) -> None:  # fmt: skip
    if not numbers:
        return
    with ThreadPoolExecutor(max_workers=max(1, min(limits.parallel, len(numbers)))) as pool:
        running: dict[Future[Exchange], int] = {
            pool.submit(hold_conversation, client, calls[number], limits, looks=desk.looks, judge=desk.judge): number
            for number in numbers
        }
        for future in as_completed(running):
            number = running[future]
            try:
                exchange = future.result()
            except ClientError as fault:
                faults[number] = fault
                if not isinstance(fault, BudgetError):
                    billed = isinstance(fault, ProviderError) and fault.maybe_billed
                    desk.notebook.keep(failed_exchange(client.model, calls[number], fault, maybe_billed=billed))
                continue
            desk.notebook.keep(exchange)
            found[number] = exchange
