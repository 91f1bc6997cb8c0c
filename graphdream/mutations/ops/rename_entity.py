"""Give an entity another name."""

from __future__ import annotations

from typing import Literal

from graphdream.errors import quoted
from graphdream.graph.names import canonical
from graphdream.graph.rows import handle
from graphdream.graph.tables import ENTITY
from graphdream.mutations.base import EntityRef, Mutation, Name
from graphdream.mutations.context import Applying
from graphdream.mutations.entities import keep_name
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip


class RenameEntity(Mutation):
    """Give an entity its right name; the old one stays as an alias."""

    op: Literal["rename_entity"] = "rename_entity"
    entity: EntityRef
    name: Name


def rename_entity(mutation: RenameEntity, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    name, key = mutation.name.strip(), canonical(mutation.name)
    if not key:
        raise fail("bad_name", "an entity needs a name")
    if name == entity["name"]:
        raise skip("nothing_to_do", "that is its name already")
    keep_name(applying, entity["id"], entity["name"], "rename")
    applying.rows.change(ENTITY, entity["id"], name=name, canonical=key)
    return Outcome("applied", "ok", f"{handle(ENTITY, entity['id'])} is now {quoted(name)}")


OP = Op(
    RenameEntity, rename_entity,
    example={"op": "rename_entity", "entity": "e1", "name": "Ada Lovelace"},
    told=("sessions", "questions"), protects=("entity",),
)  # fmt: skip
