"""What a pass kind is: what it looks at, when there is nothing new, and what its two parts propose.

A kind reads a view and returns proposals; it writes nothing. The runner (`graphdream.dream.view_steps`) asks the model,
applies, proves and records, so protection, journal, undo, replay, budget and bill are the same for every kind.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from graphdream.config import Cycle
from graphdream.mutations.applier import Proposal

Part = Literal["local", "model"]
View = Literal["memory", "skills", "self", "episodes", "events"]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a pass works with.

    Attributes:
        connection: for reading only.
        now: the time of the run, a stamp; a pass has no other clock.
        settings: `memory.cycle`.
        read: how far this part of the pass had read when it last ended well; {} where it never did.
        folder: of the agent's own files; None where there is none.
        last_run_at: when this pass last ended well, a stamp; "" where it never did.
    """

    connection: sqlite3.Connection
    now: str
    settings: Cycle
    read: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    last_run_at: str = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a pass sees.

    Attributes:
        mark: names what is seen, in JSON; where it is what it was when the part last ended well, nothing is new. It
            rests on the input alone: not on the clock, on counts that every recall moves, or on what the pass wrote.
        shown: whatever the parts of the kind need.
        processed: entries and events in it, for the dream log.
    """

    mark: Mapping[str, Any]
    shown: Any
    processed: int = 0


@dataclass(frozen=True, slots=True)
class Skip:
    """There is nothing for the pass to do; `reason` says why, in words."""

    reason: str


@dataclass(slots=True)
class Plan:
    """What a part of a pass proposes.

    Attributes:
        proposals: in the order in which they are applied; one without a mutation says why it is none.
        figures: what was counted, for the report.
        notes: for a person, one line each.
        events: readings to put on record with the pass (`graphdream.events.observed`).
        files: path -> what is to stand in it once the pass is committed.
        mark: what counts as read then, where that is not what was seen: of a file that the pass itself writes.
    """

    proposals: list[Proposal] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    files: dict[Path, str] = field(default_factory=dict)
    mark: Mapping[str, Any] | None = None

    def propose(self, *mutations: Any) -> None:
        """Add typed mutations."""
        self.proposals += [Proposal.of(mutation) for mutation in mutations]

    def refuse(self, what: str, why: str, code: str = "invalid") -> None:
        """Put on record that an item of an answer comes to nothing."""
        self.proposals.append(Proposal({"op": what}, None, why, code))

    def faults(self) -> tuple[list[str], int]:
        """What is wrong with items of an answer, in words, and how many of its mutations count as they are."""
        wrong = [f"{one.body['op']}: {one.fault}" for one in self.proposals if one.mutation is None]
        return wrong, len(self.proposals) - len(wrong)


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked beside the directive.

    Attributes:
        parts: a heading, and the material below it: what others wrote, which is judged and never obeyed.
    """

    parts: Sequence[tuple[str, str]] = ()


NOTHING_TO_ASK = Question()


@dataclass(frozen=True)
class PassKind:
    """One kind of pass.

    Attributes:
        name: as the command line knows it.
        place: where it stands in the cycle; lower runs earlier.
        view: what it reads and writes.
        does: one sentence.
        look: what is to be seen now, or why nothing is.
        local: proposes without a model; None where understanding is needed.
        ask: what a model is asked; None where no model takes part; `NOTHING_TO_ASK` where there is nothing now.
        answer: the JSON that is accepted; its schema is published.
        compile: an answer -> proposals.
        directive: file of the task prompt beside the module; one of that name in the agent's folder replaces it.
        every: hours that lie between two runs at least.
        events: kinds of events that it reads.
        news: whether what it changes is news for a dream; importance that decays is none.
    """

    name: str
    place: int
    view: View
    does: str
    look: Callable[[Scene], Sight | Skip]
    local: Callable[[Scene, Any], Plan] | None = None
    ask: Callable[[Scene, Any], Question] | None = None
    answer: type[BaseModel] | None = None
    compile: Callable[[Scene, Any, Any], Plan] | None = None
    directive: str = ""
    every: Callable[[Cycle], float] = lambda settings: 0.0
    events: Sequence[str] = ()
    news: bool = True
    module: str = ""

    def __post_init__(self) -> None:
        if self.local is None and self.ask is None:
            raise ValueError(f"the pass {self.name} has neither a local part nor one for a model")
        if (self.ask is None) != (self.answer is None) or (self.ask is None) != (self.compile is None):
            raise ValueError(f"the pass {self.name}: ask, answer and compile belong together")
        if self.ask is not None and not self.directive:
            raise ValueError(f"the pass {self.name} asks a model and has no directive")

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its parts, in the order in which they run."""
        both: tuple[tuple[Part, object], ...] = (("local", self.local), ("model", self.ask))
        return tuple(part for part, there in both if there is not None)


def since(scene: Scene, days: float) -> str:
    """The stamp of a moment so many days ago."""
    from graphdream.clock import shifted

    return shifted(scene.now, -days * 86_400)
