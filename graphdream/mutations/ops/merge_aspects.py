"""Fold aspects of an entity into one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graphdream.errors import quoted
from graphdream.graph.rows import handle
from graphdream.graph.tables import ASPECT, ENTITY
from graphdream.mutations.base import AspectName, EntityRef, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import aspect_for
from graphdream.mutations.folding import fold_aspect, fold_equal_facts
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip


class MergeAspects(Mutation):
    """Fold aspects of one entity into another aspect of it."""

    op: Literal["merge_aspects"] = "merge_aspects"
    entity: EntityRef
    source: tuple[AspectName, ...] = Field(min_length=1)
    target: AspectName


def merge_aspects(mutation: MergeAspects, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    target_id = aspect_for(applying, entity["id"], mutation.target)
    sources = []
    for name in mutation.source:
        source = applying.aspect(entity["id"], name)
        if source is None:
            raise fail("not_found", f"{handle(ENTITY, entity['id'])} has no aspect {quoted(name)}")
        if source["id"] != target_id and source["id"] not in sources:
            sources.append(source["id"])
    if not sources:
        raise skip("nothing_to_do", "source and target are one aspect")
    for source_id in sources:
        fold_aspect(applying, source_id, target_id, mutation.reason or "merged")
    fold_equal_facts(applying, (target_id,))
    named = ", ".join(handle(ASPECT, source) for source in sources)
    return Outcome("applied", "ok", f"{named} merged into {handle(ASPECT, target_id)}")


OP = Op(
    MergeAspects, merge_aspects,
    example={"op": "merge_aspects", "entity": "e1", "source": ["job"], "target": "work"},
    told=("sessions",), protects=("entity",), counts=True,
)  # fmt: skip
