"""Let passes change an entity again."""

from __future__ import annotations

from typing import Literal

from graphdream.mutations.base import EntityRef, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.ops.pin import set_pin
from graphdream.mutations.outcome import Outcome


class Unpin(Mutation):
    """Person only: passes may change this entity again."""

    op: Literal["unpin"] = "unpin"
    entity: EntityRef


def unpin(mutation: Unpin, applying: Applying) -> Outcome:
    return set_pin(applying, mutation.entity, 0)


OP = Op(
    Unpin, unpin,
    example={"op": "unpin", "entity": "e1"},
    by="person",
)  # fmt: skip
