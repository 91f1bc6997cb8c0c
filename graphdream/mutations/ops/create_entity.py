"""Make an entity, or add to the one that bears its name."""

from __future__ import annotations

from typing import Literal

from graphdream.errors import quoted
from graphdream.graph.names import canonical
from graphdream.graph.rows import handle
from graphdream.graph.tables import ENTITY
from graphdream.mutations.base import Mutation, Name, NewAspect, SomeType
from graphdream.mutations.context import Applying, entities_named
from graphdream.mutations.entities import UNTYPED
from graphdream.mutations.facts import Written, aspect_for, write_fact
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row


class CreateEntity(Mutation):
    """Make an entity, or add to the one that bears this name already."""

    op: Literal["create_entity"] = "create_entity"
    name: Name
    type: SomeType = "unknown"
    aspects: tuple[NewAspect, ...] = ()


def create_entity(mutation: CreateEntity, applying: Applying) -> Outcome:
    key = canonical(mutation.name)
    if not key:
        raise fail("bad_name", "an entity needs a name")
    found = _meant(applying, list(entities_named(applying.connection, mutation.name)), mutation.type)
    if len(found) > 1:
        named = ", ".join(handle(ENTITY, row["id"]) for row in found)
        raise fail(
            "ambiguous", f"{quoted(mutation.name)} fits {len(found)} entities: {named}; add to one of them by handle"
        )
    entity: Row
    if found:
        entity = found[0]
    else:
        for removed in applying.connection.execute(
            "SELECT * FROM entity WHERE canonical = ? AND status = 'archived' ORDER BY id", (key,)
        ).fetchall():
            applying.guard_forgotten(removed, f"{handle(ENTITY, removed['id'])} ({quoted(removed['name'])})")
        applying.guard_purged("entity", mutation.name)
        entity_id = applying.rows.make(
            ENTITY, name=mutation.name.strip(), canonical=key, type=mutation.type or "unknown",
            first_seen=applying.now, last_seen=applying.now, derived=int(applying.derived),
        )  # fmt: skip
        entity = applying.entity(handle(ENTITY, entity_id))
    written: list[Written] = []
    for aspect in mutation.aspects:
        written += [write_fact(applying, entity, aspect.name, fact) for fact in aspect.attributes]
        if not aspect.attributes and not found:
            aspect_for(applying, entity["id"], aspect.name)
    if found and all(one.idle for one in written):
        raise skip("nothing_to_do", f"{handle(ENTITY, entity['id'])} is there already")
    made = sum(not one.known for one in written)
    return Outcome("applied", "ok", _done(handle(ENTITY, entity["id"]), bool(found), made, len(written) - made))


def _done(name: str, there: bool, made: int, known: int) -> str:
    """What was done to an entity, which may have been there, in words."""
    facts = "" if not made else "1 fact" if made == 1 else f"{made} facts"
    if there:
        told = f"added {facts} to {name}" if facts else f"heard {name} again"
    else:
        told = f"made {name}" + (f" with {facts}" if facts else "")
    return told + (f"; {known} known already" if known else "")


def _meant(applying: Applying, found: list[Row], wanted: str) -> list[Row]:
    """Of the entities that bear a name, those that a type fits; an untyped one fits any type.

    Where none fits, a pass means what is there, because its types are guesses. A host or a person who names a type
    means another entity: two things may have one name.
    """
    if wanted in UNTYPED:
        return found
    fitting = [row for row in found if row["type"] == wanted] or [row for row in found if row["type"] in UNTYPED]
    return fitting if fitting or applying.actor != "pass" else found


OP = Op(
    CreateEntity, create_entity,
    example={"op": "create_entity", "name": "Ada Lovelace", "type": "person", "aspects": [
        {"name": "work", "attributes": [{"content": "wrote the first program"}]}]},
    told=("sessions",), adds=True, counts=True,
)  # fmt: skip
