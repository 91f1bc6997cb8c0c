"""Add facts to an aspect."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.base import AspectName, EntityRef, Mutation, NewFact
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import write_fact
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class UpdateAspect(Mutation):
    """Add facts to an aspect, which is made where it is missing. Additive: nothing that is there is replaced."""

    op: Literal["update_aspect"] = "update_aspect"
    entity: EntityRef
    aspect: AspectName
    attributes: tuple[NewFact, ...] = Field(min_length=1)


def update_aspect(mutation: UpdateAspect, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    written = [write_fact(applying, entity, mutation.aspect, fact) for fact in mutation.attributes]
    made = [handle(ATTRIBUTE, one.id) for one in written if not one.known]
    known = [handle(ATTRIBUTE, one.id) for one in written if one.known]
    if all(one.idle for one in written):
        raise skip("nothing_to_do", "; ".join(one.idle for one in written))
    if not made:
        return Outcome("applied", "reinforced", f"all known: {', '.join(known)}")
    return Outcome("applied", "ok", f"made {', '.join(made)}" + (f"; known: {', '.join(known)}" if known else ""))


OP = Op(
    UpdateAspect, update_aspect,
    example={"op": "update_aspect", "entity": "e1", "aspect": "work", "attributes": [
        {"content": "writes programs", "session": "s1", "quote": "she writes programs"}]},
    told=("sessions",), adds=True, counts=True,
)  # fmt: skip
