"""The calls of one pass, planned before the first is made: a price can be named, a budget kept, and nothing is cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from graphdream.dreamers.client.base import Message
from graphdream.dreamers.prompt.questions import Question

# Where there is a budget: how much longer than expected an answer may be, and the least that one may take.
ROOM_OUT, FEWEST_OUT = 4, 1_500


@dataclass(frozen=True, slots=True)
class Limits:
    """What a pass may spend. All in tokens but the counts.

    Attributes:
        max_input, max_output: of one call.
        budget: of the whole pass, in and out; None: no bound.
        looks: how often the model may look at the graph in one call; 0: not at all.
        look_tokens: longest answer to one look.
        parallel: calls at the same time.
    """

    max_input: int = 128_000
    max_output: int = 16_000
    budget: int | None = None
    looks: int = 6
    look_tokens: int = 1_500
    parallel: int = 4


def task_of(what: str) -> str:
    """The task of a planned call by its name: "sessions", "questions", "walk" or "across"."""
    word = what.partition(" ")[0]
    return {"questions": "questions", "chunk": "walk", "across": "across"}.get(word, "sessions")


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call: what it asks, and what it will take.

    Attributes:
        what: in words, for the ledger: "sessions", "chunk 3 of 17", "across chunks".
        ops: operations that the answer may hold; the schema is made of them.
        sessions: keys of the sessions that it shows to their end.
        questions: those it asks.
        looks: whether the model may look at the graph.
        tokens_in, tokens_out: what is sent, with the schema; what is expected back.
        split: makes calls that ask the same in parts, for an answer that was cut off; none where it has no parts.
    """

    what: str
    messages: tuple[Message, ...]
    ops: tuple[str, ...]
    tokens_in: int
    tokens_out: int
    sessions: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    looks: bool = False
    split: Callable[[], Sequence[PlannedCall]] | None = field(default=None, compare=False, repr=False)

    def parts(self) -> list[PlannedCall]:
        """The same in parts, each named after the whole; empty where it cannot be parted."""
        made = self.split() if self.split is not None else ()
        if len(made) < 2:
            return []
        return [replace(part, what=f"{self.what}, part {at} of {len(made)}") for at, part in enumerate(made, 1)]

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.tokens_in + self.tokens_out

    def most_out(self, limits: Limits) -> int:
        """The longest answer that is asked for. What it may take is held back from a budget, so with one it is less."""
        if limits.budget is None:
            return limits.max_output
        return min(limits.max_output, max(FEWEST_OUT, ROOM_OUT * self.tokens_out))


@dataclass(slots=True)
class Agenda:
    """Planned calls, in order, and what did not fit and is left for the next pass.

    Attributes:
        figures: of the chunks: entities, chunks, pairs together and across, largest chunk, and the like.
        left: in words, for the report.
    """

    calls: list[PlannedCall] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    figures: dict[str, int] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Of all calls, in and out."""
        return sum(call.tokens for call in self.calls)

    def keep_within(self, limits: Limits) -> None:
        """Leave out the calls that the budget does not reach; later ones that are smaller may still fit.

        A session that is shown in several calls is left whole with the first of them that does not fit.
        """
        budget = limits.budget
        if budget is None:
            return
        kept, room = list[PlannedCall](), budget
        for call in self.calls:
            needed = call.tokens_in + call.most_out(limits)
            if needed <= room and not self.unread & set(call.sessions):
                kept.append(call)
                room -= call.tokens
            else:
                self.unread |= set(call.sessions)
        if len(kept) < len(self.calls):
            missing = len(self.calls) - len(kept)
            self.left.append(f"{missing} of {len(self.calls)} calls, beyond the budget of {budget:,}")
        self.calls = [call for call in kept if not self.unread & set(call.sessions)]
