"""Keep an entity safe from every pass."""

from __future__ import annotations

from typing import Literal

from graphdream.errors import quoted
from graphdream.graph.rows import handle
from graphdream.graph.tables import ENTITY
from graphdream.mutations.base import EntityRef, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class Pin(Mutation):
    """Person only: no pass may change this entity."""

    op: Literal["pin"] = "pin"
    entity: EntityRef


def pin(mutation: Pin, applying: Applying) -> Outcome:
    return set_pin(applying, mutation.entity, 1)


def set_pin(applying: Applying, reference: str, pinned: int) -> Outcome:
    entity = applying.entity(reference)
    word = "pinned" if pinned else "not pinned"
    if entity["pinned"] == pinned:
        raise skip("nothing_to_do", f"{handle(ENTITY, entity['id'])} is {word} already")
    applying.rows.change(ENTITY, entity["id"], pinned=pinned)
    return Outcome("applied", "ok", f"{handle(ENTITY, entity['id'])} ({quoted(entity['name'])}) is {word}")


OP = Op(
    Pin, pin,
    example={"op": "pin", "entity": "e1"},
    by="person",
)  # fmt: skip
