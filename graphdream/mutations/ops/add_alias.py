"""Give an entity a further name."""

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


class AddAlias(Mutation):
    """Another name of an entity."""

    op: Literal["add_alias"] = "add_alias"
    entity: EntityRef
    name: Name


def add_alias(mutation: AddAlias, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    if not canonical(mutation.name):
        raise fail("bad_name", "an alias needs a name")
    if mutation.name == entity["name"] or not keep_name(applying, entity["id"], mutation.name, applying.actor):
        raise skip("nothing_to_do", "that is one of its names already")
    return Outcome("applied", "ok", f"{handle(ENTITY, entity['id'])} is also {quoted(mutation.name)}")


OP = Op(
    AddAlias, add_alias,
    example={"op": "add_alias", "entity": "e1", "name": "A. Lovelace"},
    told=("sessions",), adds=True,
)  # fmt: skip
