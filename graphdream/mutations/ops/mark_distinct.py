"""Say that two entities are not one."""

from __future__ import annotations

from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ENTITY
from graphdream.mutations.base import EntityRef, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.entities import keep_apart
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip


class MarkDistinct(Mutation):
    """Two entities are not the same, whatever they are called; no pass will merge them."""

    op: Literal["mark_distinct"] = "mark_distinct"
    first: EntityRef
    second: EntityRef


def mark_distinct(mutation: MarkDistinct, applying: Applying) -> Outcome:
    first, second = applying.entity(mutation.first), applying.entity(mutation.second)
    if first["id"] == second["id"]:
        raise fail("invalid", "an entity is not distinct from itself")
    if not keep_apart(applying, first["id"], second["id"], mutation.reason):
        raise skip("nothing_to_do", "that is on record")
    return Outcome("applied", "ok", f"{handle(ENTITY, first['id'])} and {handle(ENTITY, second['id'])} are distinct")


OP = Op(
    MarkDistinct, mark_distinct,
    example={"op": "mark_distinct", "first": "e1", "second": "e2", "reason": "mother and daughter"},
    adds=True,
)  # fmt: skip
