"""Give an entity another type."""

from __future__ import annotations

from typing import Literal

from graphdream.errors import quoted
from graphdream.graph.rows import handle
from graphdream.graph.tables import ENTITY
from graphdream.mutations.base import EntityRef, Mutation, TypeName
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class RetypeEntity(Mutation):
    """Give an entity its right type."""

    op: Literal["retype_entity"] = "retype_entity"
    entity: EntityRef
    type: TypeName


def retype_entity(mutation: RetypeEntity, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    if entity["type"] == mutation.type:
        raise skip("nothing_to_do", "that is its type already")
    applying.rows.change(ENTITY, entity["id"], type=mutation.type)
    return Outcome("applied", "ok", f"{handle(ENTITY, entity['id'])} is now of type {quoted(mutation.type)}")


OP = Op(
    RetypeEntity, retype_entity,
    example={"op": "retype_entity", "entity": "e1", "type": "person"},
    told=("sessions", "questions"), protects=("entity",),
)  # fmt: skip
