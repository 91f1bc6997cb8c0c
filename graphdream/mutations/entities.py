"""How entities are made, merged, split, named, typed, pinned and archived."""

from __future__ import annotations

import sqlite3
from itertools import combinations
from typing import Any, NamedTuple

from graphdream.errors import quoted
from graphdream.graph.names import canonical
from graphdream.graph.rows import handle, insert, update
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, DISTINCT_PAIR, ENTITY, LINK, MENTION
from graphdream.mutations import model
from graphdream.mutations.aspects import fold_aspects
from graphdream.mutations.context import Applying, entities_named
from graphdream.mutations.facts import Written, aspect_for, united, write_fact
from graphdream.mutations.links import fold_links
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row

UNTYPED = frozenset({"", "unknown"})
_TAKEN_BACK = "a merge of them was taken back"


def create_entity(mutation: model.CreateEntity, applying: Applying) -> Outcome:
    key = canonical(mutation.name)
    if not key:
        raise fail("bad_name", "an entity needs a name")
    found = _meant(applying, entities_named(applying.connection, mutation.name), mutation.type)
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
        entity_id = insert(
            applying.store, ENTITY, name=mutation.name.strip(), canonical=key, type=mutation.type or "unknown",
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
    verb = "added to" if found else "made"
    made = sum(not one.known for one in written)
    known = len(written) - made
    return Outcome("applied", "ok", f"{verb} {handle(ENTITY, entity['id'])}: {made} facts made, {known} known")


def _meant(applying: Applying, found: list[sqlite3.Row], wanted: str) -> list[sqlite3.Row]:
    """Of the entities that bear a name, those that a type fits; an untyped one fits any type.

    Where none fits, a pass means what is there, because its types are guesses. A host or a person who names a type
    means another entity: two things may have one name.
    """
    if wanted in UNTYPED:
        return found
    fitting = [row for row in found if row["type"] == wanted] or [row for row in found if row["type"] in UNTYPED]
    return fitting if fitting or applying.actor != "pass" else found


def merge_entities(mutation: model.MergeEntities, applying: Applying) -> Outcome:
    target = applying.entity(mutation.target)
    sources: list[Row] = []
    for reference in mutation.source:
        source = applying.entity(reference, follow=False)
        if source["id"] == target["id"]:
            raise skip("nothing_to_do", f"{reference} is {handle(ENTITY, target['id'])} already")
        if all(source["id"] != other["id"] for other in sources):
            sources.append(source)
    verdicts = {source["id"]: _verdicts_on(applying, source["id"]) for source in sources}
    apart = {entity_id: _apart(applying, found) for entity_id, found in verdicts.items()}
    for source in sources:
        applying.guard_entity(source)
        _guard_distinct(apart[source["id"]], source, target)
    if any(apart.values()):
        for source, other in combinations(sources, 2):
            _guard_distinct(apart[source["id"]], source, other)
    for source in sources:
        _keep_names(applying, source, target)
        fold_aspects(applying, source["id"], target["id"])
        fold_links(applying, source["id"], target["id"])
        _move_mentions(applying, source["id"], target["id"])
        _carry_verdicts(applying, verdicts[source["id"]], target["id"])
        applying.rows.change(
            ENTITY, source["id"], status="absorbed", absorbed_into=target["id"],
            status_reason=mutation.reason or "merged",
        )  # fmt: skip
    applying.rows.change(ENTITY, target["id"], **_merged_values([target, *sources]))
    named = ", ".join(handle(ENTITY, source["id"]) for source in sources)
    return Outcome("applied", "ok", f"{named} merged into {handle(ENTITY, target['id'])}")


class _Verdict(NamedTuple):
    """An entity was judged not to be another one: `id` of the pair or of the rejection that says so."""

    id: int
    other: int
    reason: str


def _verdicts_on(applying: Applying, entity_id: int) -> list[_Verdict]:
    """What an entity is distinct from, or was wrongly merged with once."""
    pairs = applying.rows.where
    return [
        *(_Verdict(row["id"], row["second_id"], row["reason"]) for row in pairs(DISTINCT_PAIR, first_id=entity_id)),
        *(_Verdict(row["id"], row["first_id"], row["reason"]) for row in pairs(DISTINCT_PAIR, second_id=entity_id)),
        *(_Verdict(id_, other, _TAKEN_BACK) for other, id_ in applying.rejected(entity_id).items()),
    ]


def _apart(applying: Applying, verdicts: list[_Verdict]) -> set[int]:
    """The entities that a pass must not merge one with, by the verdicts on it; a person may."""
    return set() if applying.actor == "person" else {verdict.other for verdict in verdicts}


def _guard_distinct(apart: set[int], source: Row, other: Row) -> None:
    if other["id"] in apart:
        low, high = sorted((source["id"], other["id"]))
        raise skip("distinct", f"{handle(ENTITY, low)} and {handle(ENTITY, high)} were judged not to be the same")


def _keep_names(applying: Applying, source: Row, target: Row) -> None:
    """Every name of the source becomes an alias of the target; the source keeps its own for the day it comes back."""
    known = {target["name"], *(alias["name"] for alias in applying.rows.where(ALIAS, entity_id=target["id"]))}
    rows = (source, *applying.rows.where(ALIAS, entity_id=source["id"]))
    for name, key in sorted({(row["name"], row["canonical"]) for row in rows}):
        if name not in known:
            applying.rows.make(ALIAS, entity_id=target["id"], name=name, canonical=key, source="merge")
            known.add(name)


def _move_mentions(applying: Applying, source_id: int, target_id: int) -> None:
    mentions = applying.rows.where(MENTION, entity_id=source_id)
    if not mentions:
        return
    known = {row["attribute_id"] for row in applying.rows.where(MENTION, entity_id=target_id)}
    for row in mentions:
        if row["attribute_id"] in known:
            applying.rows.drop(MENTION, row["id"])
    applying.rows.repoint(MENTION, "entity_id", source_id, target_id)


def _carry_verdicts(applying: Applying, verdicts: list[_Verdict], target_id: int) -> None:
    """What the source is not the same as, the target is not either."""
    for verdict in sorted(verdicts):
        if verdict.other != target_id:
            _mark_distinct(applying, verdict.other, target_id, verdict.reason)


def _mark_distinct(applying: Applying, first: int, second: int, reason: str) -> bool:
    low, high = sorted((first, second))
    if applying.rows.where(DISTINCT_PAIR, first_id=low, second_id=high):
        return False
    applying.rows.make(DISTINCT_PAIR, first_id=low, second_id=high, reason=reason)
    return True


def _merged_values(rows: list[Row]) -> dict[str, Any]:
    """Host arithmetic over merged entities, target first (law 6): min, max, sum, union."""
    typed = [row["type"] for row in rows if row["type"] not in UNTYPED]
    keeps_type = rows[0]["pinned"] or rows[0]["type"] not in UNTYPED or not typed
    return {
        "type": rows[0]["type"] if keeps_type else typed[0],
        "mentions": sum(row["mentions"] for row in rows),
        "importance": max(row["importance"] for row in rows),
        "first_seen": min((row["first_seen"] for row in rows if row["first_seen"]), default=None),
        "last_seen": max((row["last_seen"] for row in rows if row["last_seen"]), default=None),
        "sessions": united(row["sessions"] for row in rows),
    }


def delete_entity(mutation: model.DeleteEntity, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.name, follow=False)
    applying.guard_entity(entity)
    facts = [
        fact
        for aspect in applying.rows.where(ASPECT, entity_id=entity["id"])
        for fact in applying.rows.where(ATTRIBUTE, aspect_id=aspect["id"], status="active")
    ]
    for fact in facts:
        applying.guard_fact(fact)
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


def rename_entity(mutation: model.RenameEntity, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    applying.guard_entity(entity)
    name, key = mutation.name.strip(), canonical(mutation.name)
    if not key:
        raise fail("bad_name", "an entity needs a name")
    if name == entity["name"]:
        raise skip("nothing_to_do", "that is its name already")
    _add_alias(applying, entity["id"], entity["name"], "rename")
    update(applying.store, ENTITY, entity["id"], name=name, canonical=key)
    return Outcome("applied", "ok", f"{handle(ENTITY, entity['id'])} is now {quoted(name)}")


def retype_entity(mutation: model.RetypeEntity, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    applying.guard_entity(entity)
    if entity["type"] == mutation.type:
        raise skip("nothing_to_do", "that is its type already")
    update(applying.store, ENTITY, entity["id"], type=mutation.type)
    return Outcome("applied", "ok", f"{handle(ENTITY, entity['id'])} is now of type {quoted(mutation.type)}")


def add_alias(mutation: model.AddAlias, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    if not canonical(mutation.name):
        raise fail("bad_name", "an alias needs a name")
    if mutation.name == entity["name"] or not _add_alias(applying, entity["id"], mutation.name, applying.actor):
        raise skip("nothing_to_do", "that is one of its names already")
    return Outcome("applied", "ok", f"{handle(ENTITY, entity['id'])} is also {quoted(mutation.name)}")


def _add_alias(applying: Applying, entity_id: int, name: str, source: str) -> bool:
    known = applying.connection.execute(
        "SELECT 1 FROM alias WHERE entity_id = ? AND name = ?", (entity_id, name)
    ).fetchone()
    if known is None:
        insert(applying.store, ALIAS, entity_id=entity_id, name=name, canonical=canonical(name), source=source)
    return known is None


def mark_distinct(mutation: model.MarkDistinct, applying: Applying) -> Outcome:
    first, second = applying.entity(mutation.first), applying.entity(mutation.second)
    if first["id"] == second["id"]:
        raise fail("invalid", "an entity is not distinct from itself")
    if not _mark_distinct(applying, first["id"], second["id"], mutation.reason):
        raise skip("nothing_to_do", "that is on record")
    return Outcome("applied", "ok", f"{handle(ENTITY, first['id'])} and {handle(ENTITY, second['id'])} are distinct")


def split_entity(mutation: model.SplitEntity, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    applying.guard_entity(entity)
    if not canonical(mutation.name):
        raise fail("bad_name", "an entity needs a name")
    if not (mutation.attributes or mutation.links or mutation.aliases):
        raise fail("invalid", "a split names the facts, links or aliases that go over")
    new_id = insert(
        applying.store, ENTITY, name=mutation.name.strip(), canonical=canonical(mutation.name),
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
        update(applying.store, ALIAS, row["id"], entity_id=new_id)
    _mark_distinct(applying, entity["id"], new_id, mutation.reason or "split")
    return Outcome("applied", "ok", f"{handle(ENTITY, new_id)} split from {handle(ENTITY, entity['id'])}")


def _take_fact(applying: Applying, reference: str, entity: Row, new_id: int) -> None:
    """Move a fact with all that was absorbed into it or superseded by it."""
    fact = applying.fact(reference, active=False)
    if applying.owner(fact)["id"] != entity["id"]:
        raise fail("elsewhere", f"{reference} is no fact of {handle(ENTITY, entity['id'])}")
    applying.guard_fact(fact)
    family = applying.connection.execute(
        "WITH RECURSIVE family (id) AS (SELECT ?1 UNION SELECT attribute.id FROM attribute JOIN family"
        " ON attribute.absorbed_into = family.id OR attribute.superseded_by = family.id)"
        " SELECT attribute.id, aspect.name FROM family JOIN attribute USING (id) JOIN aspect"
        " ON aspect.id = attribute.aspect_id WHERE aspect.entity_id = ?2 ORDER BY attribute.id",
        (fact["id"], entity["id"]),
    ).fetchall()
    for row in family:
        update(applying.store, ATTRIBUTE, row["id"], aspect_id=aspect_for(applying, new_id, row["name"]))


def _take_link(applying: Applying, reference: str, entity: Row, new_id: int) -> None:
    link = applying.row(LINK, reference)
    ends = {side: new_id for side in ("source_id", "target_id") if link[side] == entity["id"]}
    if link["status"] != "active" or not ends:
        raise fail("elsewhere", f"{reference} is no active link of {handle(ENTITY, entity['id'])}")
    update(applying.store, LINK, link["id"], **ends)


def pin(mutation: model.Pin, applying: Applying) -> Outcome:
    return _set_pin(applying, mutation.entity, 1)


def unpin(mutation: model.Unpin, applying: Applying) -> Outcome:
    return _set_pin(applying, mutation.entity, 0)


def _set_pin(applying: Applying, reference: str, pinned: int) -> Outcome:
    entity = applying.entity(reference)
    word = "pinned" if pinned else "not pinned"
    if entity["pinned"] == pinned:
        raise skip("nothing_to_do", f"{handle(ENTITY, entity['id'])} is {word} already")
    update(applying.store, ENTITY, entity["id"], pinned=pinned)
    return Outcome("applied", "ok", f"{handle(ENTITY, entity['id'])} ({quoted(entity['name'])}) is {word}")
