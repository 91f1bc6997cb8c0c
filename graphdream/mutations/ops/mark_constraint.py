"""Make a fact a rule that always holds."""

from __future__ import annotations

from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.base import FactHandle, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class MarkConstraint(Mutation):
    """Person only: a fact is a rule that always holds; no pass may change it."""

    op: Literal["mark_constraint"] = "mark_constraint"
    attribute: FactHandle
    constraint: bool = True


def mark_constraint(mutation: MarkConstraint, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    kind, which = ("constraint", "a constraint") if mutation.constraint else ("attribute", "an ordinary fact")
    if fact["kind"] == kind:
        raise skip("nothing_to_do", f"{handle(ATTRIBUTE, fact['id'])} is {which} already")
    applying.rows.change(ATTRIBUTE, fact["id"], kind=kind)
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, fact['id'])} is now {which}")


OP = Op(
    MarkConstraint, mark_constraint,
    example={"op": "mark_constraint", "attribute": "a1"},
    by="person",
)  # fmt: skip
