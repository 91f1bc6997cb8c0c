"""Take apart an entity that holds two things."""

from __future__ import annotations

from typing import Literal

from graphdream.errors import quoted
from graphdream.graph.names import canonical
from graphdream.graph.rows import handle
from graphdream.graph.tables import ALIAS, ATTRIBUTE, ENTITY, LINK
from graphdream.mutations.base import EntityRef, FactHandle, LinkHandle, Mutation, Name, SomeName, SomeType
from graphdream.mutations.context import Applying
from graphdream.mutations.entities import keep_apart
from graphdream.mutations.facts import aspect_for
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail
from graphdream.mutations.rows import Row


class SplitEntity(Mutation):
    """Take facts, links and aliases out of an entity that holds two things, into a new one; the two are distinct."""

    op: Literal["split_entity"] = "split_entity"
    entity: EntityRef
    name: Name
    type: SomeType = ""
    attributes: tuple[FactHandle, ...] = ()
    links: tuple[LinkHandle, ...] = ()
    aliases: tuple[SomeName, ...] = ()


def split_entity(mutation: SplitEntity, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    if not canonical(mutation.name):
        raise fail("bad_name", "an entity needs a name")
    if not (mutation.attributes or mutation.links or mutation.aliases):
        raise fail("invalid", "a split names the facts, links or aliases that go over")
    new_id = applying.rows.make(
        ENTITY, name=mutation.name.strip(), canonical=canonical(mutation.name),
        type=mutation.type or entity["type"], first_seen=entity["first_seen"], last_seen=entity["last_seen"],
        derived=int(applying.derived),
    )  # fmt: skip
    for reference in mutation.attributes:
        _take_fact(applying, reference, entity, new_id)
    for reference in mutation.links:
        _take_link(applying, reference, entity, new_id)
    for name in mutation.aliases:
        row = applying.connection.execute(
            "SELECT id FROM alias WHERE entity_id = ? AND name = ?", (entity["id"], name)
        ).fetchone()
        if row is None:
            raise fail("not_found", f"{handle(ENTITY, entity['id'])} has no alias {quoted(name)}")
        applying.rows.change(ALIAS, row["id"], entity_id=new_id)
    keep_apart(applying, entity["id"], new_id, mutation.reason or "split")
    return Outcome("applied", "ok", f"{handle(ENTITY, new_id)} split from {handle(ENTITY, entity['id'])}")


def _take_fact(applying: Applying, reference: str, entity: Row, new_id: int) -> None:
    """Move a fact with all that was absorbed into it or superseded by it."""
    fact = applying.fact(reference, active=False)
    if applying.owner(fact)["id"] != entity["id"]:
        raise fail("elsewhere", f"{reference} is no fact of {handle(ENTITY, entity['id'])}")
    family = applying.connection.execute(
        "WITH RECURSIVE family (id) AS (SELECT ?1 UNION SELECT attribute.id FROM attribute JOIN family"
        " ON attribute.absorbed_into = family.id OR attribute.superseded_by = family.id)"
        " SELECT attribute.id, aspect.name FROM family JOIN attribute USING (id) JOIN aspect"
        " ON aspect.id = attribute.aspect_id WHERE aspect.entity_id = ?2 ORDER BY attribute.id",
        (fact["id"], entity["id"]),
    ).fetchall()
    for row in family:
        applying.rows.change(ATTRIBUTE, row["id"], aspect_id=aspect_for(applying, new_id, row["name"]))


def _take_link(applying: Applying, reference: str, entity: Row, new_id: int) -> None:
    link = applying.row(LINK, reference)
    ends = {side: new_id for side in ("source_id", "target_id") if link[side] == entity["id"]}
    if link["status"] != "active" or not ends:
        raise fail("elsewhere", f"{reference} is no active link of {handle(ENTITY, entity['id'])}")
    applying.rows.change(LINK, link["id"], **ends)


OP = Op(
    SplitEntity, split_entity,
    example={"op": "split_entity", "entity": "e1", "name": "Ada Byron", "attributes": ["a1"], "reason": "two people"},
    told=("sessions",), protects=("entity",),
)  # fmt: skip
