"""Archive a fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.ahead import facts_with_owners
from graphdream.mutations.base import FactRef, Mutation, SomeAspect, SomeEntity
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class DeleteAttribute(Mutation):
    """Archive a fact that is not worth keeping in sight."""

    op: Literal["delete_attribute"] = "delete_attribute"
    entity: SomeEntity = ""
    aspect: SomeAspect = ""
    content: FactRef


def delete_attribute(mutation: DeleteAttribute, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.content, mutation.entity, mutation.aspect)
    if fact["id"] in applying.shielded:
        raise skip("shielded", f"a merge of {handle(ATTRIBUTE, fact['id'])} was refused, so it is kept")
    reason = applying.removal_reason(mutation.reason)
    applying.rows.change(ATTRIBUTE, fact["id"], status="archived", status_reason=reason)
    return Outcome("applied", "ok", f"archived {handle(ATTRIBUTE, fact['id'])}", 1)


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    facts_with_owners(rows, named["content"])


OP = Op(
    DeleteAttribute, delete_attribute,
    example={"op": "delete_attribute", "content": "a1", "reason": "half a sentence"},
    told=("sessions", "questions"), protects=("content",), ahead=_ahead, blank=("entity",),
)  # fmt: skip
