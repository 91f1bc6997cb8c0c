"""The declaration of an operation: all that the program has to know of it beside its fields and its handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from graphdream.mutations.base import ADDRESSING, Mutation, Part, parts_of

if TYPE_CHECKING:
    from graphdream.mutations.bulk_rows import WorkingRows
    from graphdream.mutations.context import Applying
    from graphdream.mutations.outcome import Outcome

Actor = Literal["pass", "host", "person"]
Task = Literal["sessions", "questions"]
Handler = Callable[[Any, "Applying"], "Outcome"]
Ahead = Callable[["WorkingRows", Mapping[str, Sequence[int]]], None]

RANK: dict[Actor, int] = {"pass": 0, "host": 1, "person": 2}


@dataclass(frozen=True, eq=False)
class Op:
    """One operation.

    Attributes:
        kind: its data.
        handler: applies one, within the open pass; raises Refusal where it cannot. It writes by `Applying.rows` only,
            which refuse whatever would change what is protected, so no handler has to ask.
        example: a body, as it is documented and as the laws try it; handles in it stand for any row of that kind.
        by: who may propose it: anyone ("pass"), the host and persons ("host"), or persons only ("person").
        told: when a model is told that it may propose it: about sessions, beside questions about the graph.
        adds: it takes nothing away, so a mended or half-read proposal does no harm beyond what an undo takes back.
        protects: fields whose rows it changes or puts away; the applier asks for these before the handler begins.
        counts: it may count sightings on what is protected: times, numbers, tags, the stronger of two confidences.
        ahead: how it goes in bulk: reads with a few queries what a run of it will ask for, given the ids by field.
            None: it is applied one by one, because its handler also reads past `Applying.rows`.
        blank: fields that address rows and may be empty in a run.
    """

    kind: type[Mutation]
    handler: Handler
    example: Mapping[str, Any]
    by: Actor = "pass"
    told: tuple[Task, ...] = ()
    adds: bool = False
    protects: tuple[str, ...] = ()
    counts: bool = False
    ahead: Ahead | None = None
    blank: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """Its name in `op`."""
        return str(self.kind.model_fields["op"].default)

    @cached_property
    def does(self) -> str:
        """What it does, in a sentence or two."""
        return " ".join((self.kind.__doc__ or "").split())

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Its fields."""
        return parts_of(self.kind)

    @cached_property
    def addresses(self) -> tuple[Part, ...]:
        """Its fields that address rows."""
        return tuple(part for part in self.parts if part.role in ADDRESSING)

    def may_be_proposed_by(self, actor: Actor) -> bool:
        """Whether somebody may propose it."""
        return RANK[actor] >= RANK[self.by]
