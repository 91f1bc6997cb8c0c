"""Archive an aspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from graphdream.errors import quoted
from graphdream.graph.rows import handle
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.mutations.base import AspectName, EntityRef, Mutation
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip


class DeleteAspect(Mutation):
    """Archive an aspect with its facts."""

    op: Literal["delete_aspect"] = "delete_aspect"
    entity: EntityRef
    aspect: AspectName


def delete_aspect(mutation: DeleteAspect, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    aspect = applying.aspect(entity["id"], mutation.aspect)
    if aspect is None:
        raise fail("not_found", f"{handle(ENTITY, entity['id'])} has no aspect {quoted(mutation.aspect)}")
    facts = applying.rows.where(ATTRIBUTE, aspect_id=aspect["id"], status="active")
    reason = applying.removal_reason(mutation.reason)
    for fact in facts:
        if fact["id"] in applying.shielded:
            raise skip("shielded", f"a merge of {handle(ATTRIBUTE, fact['id'])} was refused, so it is kept")
    for fact in facts:
        applying.rows.change(ATTRIBUTE, fact["id"], status="archived", status_reason=reason)
    applying.rows.change(ASPECT, aspect["id"], status="archived", status_reason=reason)
    return Outcome("applied", "ok", f"archived {handle(ASPECT, aspect['id'])} with {len(facts)} facts", len(facts))


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    rows.load(ENTITY, "id", named["entity"])
    rows.load(ASPECT, "entity_id", named["entity"])


OP = Op(
    DeleteAspect, delete_aspect,
    example={"op": "delete_aspect", "entity": "e1", "aspect": "work", "reason": "all of it is over"},
    told=("sessions",), protects=("entity",), ahead=_ahead,
)  # fmt: skip
