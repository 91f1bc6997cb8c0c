"""How aspects are folded and archived, and what becomes of equal facts that meet in one."""

from __future__ import annotations

import sqlite3

from graphdream.graph.names import canonical_text
from graphdream.graph.rows import handle, update
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.mutations import model
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import absorb, aspect_for
from graphdream.mutations.outcome import Outcome, fail, skip


def delete_aspect(mutation: model.DeleteAspect, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    applying.guard_entity(entity)
    aspect = applying.aspect(entity["id"], mutation.aspect)
    if aspect is None:
        raise fail("not_found", f"{handle(ENTITY, entity['id'])} has no aspect {mutation.aspect!r}")
    facts = applying.connection.execute(
        "SELECT * FROM attribute WHERE aspect_id = ? AND status = 'active'", (aspect["id"],)
    ).fetchall()
    reason = mutation.reason or "archived"
    for fact in facts:
        applying.guard_fact(fact)
        if fact["id"] in applying.shielded:
            raise skip("shielded", f"a merge of {handle(ATTRIBUTE, fact['id'])} was refused, so it is kept")
    for fact in facts:
        update(applying.store, ATTRIBUTE, fact["id"], status="archived", status_reason=reason)
    update(applying.store, ASPECT, aspect["id"], status="archived", status_reason=reason)
    return Outcome("applied", "ok", f"archived {handle(ASPECT, aspect['id'])} with {len(facts)} facts")


def merge_aspects(mutation: model.MergeAspects, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    applying.guard_entity(entity)
    target_id = aspect_for(applying, entity["id"], mutation.target)
    sources = []
    for name in mutation.source:
        source = applying.aspect(entity["id"], name)
        if source is None:
            raise fail("not_found", f"{handle(ENTITY, entity['id'])} has no aspect {name!r}")
        if source["id"] != target_id and source["id"] not in sources:
            sources.append(source["id"])
    if not sources:
        raise skip("nothing_to_do", "source and target are one aspect")
    for source_id in sources:
        _fold_aspect(applying, source_id, target_id, mutation.reason or "merged")
    _fold_equal_facts(applying, (target_id,))
    named = ", ".join(handle(ASPECT, source) for source in sources)
    return Outcome("applied", "ok", f"{named} merged into {handle(ASPECT, target_id)}")


def fold_aspects(applying: Applying, source_id: int, target_id: int) -> None:
    """Move all aspects of one entity to another; those of one name become one, and equal facts in them fold.

    History moves along: aspects and facts of every status.
    """
    rows = applying.connection.execute(
        "SELECT mine.id, mine.status, theirs.id AS into_id FROM aspect AS mine LEFT JOIN aspect AS theirs"
        " ON theirs.entity_id = ?2 AND theirs.canonical = mine.canonical AND theirs.status = 'active'"
        " AND mine.status = 'active' WHERE mine.entity_id = ?1",
        (source_id, target_id),
    ).fetchall()
    met = []
    for row in rows:
        if row["into_id"] is None:
            update(applying.store, ASPECT, row["id"], entity_id=target_id)
        else:
            _fold_aspect(applying, row["id"], row["into_id"], "merged")
            met.append(row["into_id"])
    _fold_equal_facts(applying, met)


def _fold_aspect(applying: Applying, source_id: int, target_id: int, reason: str) -> None:
    connection, pass_id = applying.connection, applying.store.pass_id
    connection.execute(
        "UPDATE attribute SET aspect_id = ?, version = ? WHERE aspect_id = ?", (target_id, pass_id, source_id)
    )
    connection.execute(
        "UPDATE aspect SET status = 'absorbed', absorbed_into = ?1, status_reason = ?2, version = ?3,"
        " entity_id = (SELECT entity_id FROM aspect WHERE id = ?1) WHERE id = ?4",
        (target_id, reason, pass_id, source_id),
    )


def _fold_equal_facts(applying: Applying, aspect_ids: list[int] | tuple[int, ...]) -> None:
    """Within one aspect, a plain fact equal to another folds into the older one, or into the constraint that says so.

    Facts that hung on a pinned entity, and constraints, only ever absorb (law 2).
    """
    for aspect_id in aspect_ids:
        equal = applying.connection.execute(
            "SELECT * FROM attribute WHERE aspect_id = ?1 AND status = 'active' AND digest IN (SELECT digest FROM"
            " attribute WHERE aspect_id = ?1 AND status = 'active' GROUP BY digest HAVING count(*) > 1) ORDER BY id",
            (aspect_id,),
        ).fetchall()
        groups: dict[str, list[sqlite3.Row]] = {}
        for fact in equal:
            groups.setdefault(canonical_text(fact["content"]), []).append(fact)
        for group in groups.values():
            _fold_group(applying, group)


def _fold_group(applying: Applying, group: list[sqlite3.Row]) -> None:
    kept = [fact for fact in group if applying.is_protected(fact)]
    plain = [fact for fact in group if not applying.is_protected(fact)]
    survivor = kept[0] if kept else plain.pop(0)
    if plain:
        absorb(applying, survivor["id"], plain, "duplicate")
