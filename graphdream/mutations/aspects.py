"""How aspects are folded and archived, and what becomes of equal facts that meet in one."""

from __future__ import annotations

from graphdream.errors import quoted
from graphdream.graph.names import canonical_text
from graphdream.graph.rows import handle
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.mutations import model
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import absorb, aspect_for
from graphdream.mutations.grounding import lost_specifics
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row


def delete_aspect(mutation: model.DeleteAspect, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    applying.guard_entity(entity)
    aspect = applying.aspect(entity["id"], mutation.aspect)
    if aspect is None:
        raise fail("not_found", f"{handle(ENTITY, entity['id'])} has no aspect {quoted(mutation.aspect)}")
    facts = applying.rows.where(ATTRIBUTE, aspect_id=aspect["id"], status="active")
    reason = applying.removal_reason(mutation.reason)
    for fact in facts:
        applying.guard_fact(fact)
        if fact["id"] in applying.shielded:
            raise skip("shielded", f"a merge of {handle(ATTRIBUTE, fact['id'])} was refused, so it is kept")
    for fact in facts:
        applying.rows.change(ATTRIBUTE, fact["id"], status="archived", status_reason=reason)
    applying.rows.change(ASPECT, aspect["id"], status="archived", status_reason=reason)
    return Outcome("applied", "ok", f"archived {handle(ASPECT, aspect['id'])} with {len(facts)} facts", len(facts))


def merge_aspects(mutation: model.MergeAspects, applying: Applying) -> Outcome:
    entity = applying.entity(mutation.entity)
    applying.guard_entity(entity)
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
        _fold_aspect(applying, source_id, target_id, mutation.reason or "merged")
    _fold_equal_facts(applying, (target_id,))
    named = ", ".join(handle(ASPECT, source) for source in sources)
    return Outcome("applied", "ok", f"{named} merged into {handle(ASPECT, target_id)}")


def fold_aspects(applying: Applying, source_id: int, target_id: int) -> None:
    """Move all aspects of one entity to another; those of one name become one, and equal facts in them fold.

    History moves along: aspects and facts of every status.
    """
    theirs = {row["canonical"]: row for row in applying.rows.where(ASPECT, entity_id=target_id, status="active")}
    met = []
    for row in applying.rows.where(ASPECT, entity_id=source_id):
        into = theirs.get(row["canonical"]) if row["status"] == "active" else None
        if into is None:
            applying.rows.change(ASPECT, row["id"], entity_id=target_id)
        else:
            _fold_aspect(applying, row["id"], into["id"], "merged")
            met.append(into["id"])
    _fold_equal_facts(applying, met)


def _fold_aspect(applying: Applying, source_id: int, target_id: int, reason: str) -> None:
    applying.rows.repoint(ATTRIBUTE, "aspect_id", source_id, target_id)
    applying.rows.change(
        ASPECT, source_id, status="absorbed", absorbed_into=target_id, status_reason=reason,
        entity_id=applying.rows.get(ASPECT, target_id)["entity_id"],
    )  # fmt: skip


def _fold_equal_facts(applying: Applying, aspect_ids: list[int] | tuple[int, ...]) -> None:
    """Within one aspect, a plain fact equal to another folds into the older one, or into the constraint that says so;
    what has something specific that the other lacks (E8) stays.

    Facts that hung on a pinned entity, and constraints, only ever absorb (law 2).
    """
    for aspect_id in aspect_ids:
        twins = applying.rows.twins(aspect_id)
        # Two texts of one digest are the same but by a chance of 2^-64; those in the very same words are for certain.
        certain = len({fact["content"] for fact in twins}) == len({fact["digest"] for fact in twins})
        groups: dict[str, list[Row]] = {}
        for fact in twins:
            groups.setdefault(fact["content"] if certain else canonical_text(fact["content"]), []).append(fact)
        for group in groups.values():
            _fold_group(applying, group)


def _fold_group(applying: Applying, group: list[Row]) -> None:
    kept: list[Row] = []
    plain: list[Row] = []
    for fact in group:
        (kept if applying.is_protected(fact) else plain).append(fact)
    survivor = kept[0] if kept else plain.pop(0)
    # Two links of one text may lead to two places.
    same = [fact for fact in plain if not lost_specifics((fact["content"],), survivor["content"], ())]
    if same:
        absorb(applying, survivor["id"], same, "duplicate")
