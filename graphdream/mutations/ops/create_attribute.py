"""Add one fact."""

from __future__ import annotations

from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.base import (
    AspectName,
    EntityRef,
    Mentions,
    Mutation,
    NewFact,
    OwnShare,
    OwnTime,
    Precision,
    Quote,
    Session,
    Slot,
    Tags,
    Text,
    Time,
    Turns,
)
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import write_fact
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class CreateAttribute(Mutation):
    """Add one fact; where it is known already, that one is reinforced."""

    op: Literal["create_attribute"] = "create_attribute"
    entity: EntityRef
    aspect: AspectName = "general"
    content: Text
    kind: Literal["attribute", "constraint"] = "attribute"
    confidence: OwnShare = 0.8
    importance: OwnShare = 0.5
    tags: Tags = ()
    session: Session = ""
    turns: Turns = ()
    quote: Quote = ""
    known_at: OwnTime = ""
    valid_from: Time = ""
    valid_to: OwnTime = ""
    occurred_at: Time = ""
    precision: Precision = ""
    review_after: OwnTime = ""
    slot: Slot = ""
    mentions: Mentions = ()

    def fact(self) -> NewFact:
        """The fact alone, without its address."""
        return NewFact(**self.model_dump(exclude={"op", "reason", "entity", "aspect"}))


def create_attribute(mutation: CreateAttribute, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    written = write_fact(applying, entity, mutation.aspect, mutation.fact())
    if written.idle:
        raise skip("nothing_to_do", written.idle)
    if written.known:
        return Outcome("applied", "reinforced", f"{handle(ATTRIBUTE, written.id)} says so already; reinforced")
    return Outcome("applied", "ok", f"made {handle(ATTRIBUTE, written.id)}")


OP = Op(
    CreateAttribute, create_attribute,
    example={"op": "create_attribute", "entity": "e1", "aspect": "home", "content": "lives in Oslo", "session": "s1",
             "quote": "I live in Oslo"},
    told=("sessions",), adds=True, counts=True,
)  # fmt: skip
