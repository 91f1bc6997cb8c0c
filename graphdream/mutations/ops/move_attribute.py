"""Hang a fact elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.mutations.ahead import facts_with_owners
from graphdream.mutations.base import FactHandle, Mutation, SomeAspect, SomeEntity
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import aspect_for
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class MoveAttribute(Mutation):
    """Hang a fact under another aspect, or another entity."""

    op: Literal["move_attribute"] = "move_attribute"
    attribute: FactHandle
    entity: SomeEntity = ""
    aspect: SomeAspect = ""


def move_attribute(mutation: MoveAttribute, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    owner = applying.entity(mutation.entity) if mutation.entity else applying.owner(fact)
    under = applying.rows.get(ASPECT, fact["aspect_id"])
    aspect_id = aspect_for(applying, owner["id"], mutation.aspect or under["name"])
    if aspect_id == under["id"]:
        raise skip("nothing_to_do", f"{handle(ATTRIBUTE, fact['id'])} hangs there already")
    applying.rows.change(ATTRIBUTE, fact["id"], aspect_id=aspect_id)
    return Outcome("applied", "ok", f"moved {handle(ATTRIBUTE, fact['id'])}")


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    aspects = facts_with_owners(rows, named["attribute"])
    rows.load(ASPECT, "entity_id", (aspect["entity_id"] for aspect in aspects))
    rows.load(ENTITY, "id", named["entity"])


OP = Op(
    MoveAttribute, move_attribute,
    example={"op": "move_attribute", "attribute": "a1", "aspect": "work"},
    told=("sessions", "questions"), protects=("attribute",), ahead=_ahead, blank=("entity",),
)  # fmt: skip
