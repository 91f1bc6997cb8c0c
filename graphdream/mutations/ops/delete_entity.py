"""Archive an entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY, LINK
from graphdream.mutations.base import EntityRef, Mutation
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class DeleteEntity(Mutation):
    """Archive an entity with its facts and links."""

    op: Literal["delete_entity"] = "delete_entity"
    name: EntityRef


def delete_entity(mutation: DeleteEntity, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.name, follow=False)
    facts = [
        fact
        for aspect in applying.rows.where(ASPECT, entity_id=entity["id"])
        for fact in applying.rows.where(ATTRIBUTE, aspect_id=aspect["id"], status="active")
    ]
    for fact in facts:
        if fact["id"] in applying.shielded:
            raise skip("shielded", f"a merge of {handle(ATTRIBUTE, fact['id'])} was refused, so it is kept")
    reason = applying.removal_reason(mutation.reason)
    for fact in facts:
        applying.rows.change(ATTRIBUTE, fact["id"], status="archived", status_reason=reason)
    _archive_all(applying, entity["id"], reason)
    applying.rows.change(ENTITY, entity["id"], status="archived", status_reason=reason)
    return Outcome("applied", "ok", f"archived {handle(ENTITY, entity['id'])} with {len(facts)} facts", len(facts))


def _archive_all(applying: Applying, entity_id: int, reason: str) -> None:
    for aspect in applying.rows.where(ASPECT, entity_id=entity_id, status="active"):
        applying.rows.change(ASPECT, aspect["id"], status="archived", status_reason=reason)
    for side in ("source_id", "target_id"):
        for link in applying.rows.where(LINK, **{side: entity_id}, status="active"):
            applying.rows.change(LINK, link["id"], status="archived", status_reason=reason)


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    entities = named["name"]
    rows.load(ENTITY, "id", entities)
    rows.load(ATTRIBUTE, "aspect_id", (aspect["id"] for aspect in rows.load(ASPECT, "entity_id", entities)))
    for end in ("source_id", "target_id"):
        rows.bring(LINK, end, entities)


OP = Op(
    DeleteEntity, delete_entity,
    example={"op": "delete_entity", "name": "e2", "reason": "a heading, and no entity"},
    told=("sessions", "questions"), protects=("name",), ahead=_ahead,
)  # fmt: skip
