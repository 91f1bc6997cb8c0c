"""How what is equal becomes one where it meets: aspects of one name, facts in the same words, parallel links."""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.graph.names import canonical_text
from graphdream.graph.tables import ASPECT, ATTRIBUTE, LINK
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import absorb
from graphdream.mutations.grounding import lost_specifics
from graphdream.mutations.outcome import skip
from graphdream.mutations.rows import Row
from graphdream.mutations.standing import STANDS_LAST, where_it_stands

SELF_LOOP = "self-loop"


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
            fold_aspect(applying, row["id"], into["id"], "merged")
            met.append(into["id"])
    fold_equal_facts(applying, met)


def fold_aspect(applying: Applying, source_id: int, target_id: int, reason: str) -> None:
    """Let an aspect be absorbed into another one, its facts with it."""
    applying.rows.repoint(ATTRIBUTE, "aspect_id", source_id, target_id)
    applying.rows.change(
        ASPECT, source_id, status="absorbed", absorbed_into=target_id, status_reason=reason,
        entity_id=applying.rows.get(ASPECT, target_id)["entity_id"],
    )  # fmt: skip


def fold_equal_facts(applying: Applying, aspect_ids: Sequence[int]) -> None:
    """Within one aspect, a plain fact equal to another folds into the older one, into the line that was written last,
    or into the constraint that says so; what has something specific that the other lacks stays.

    Facts that hung on a pinned entity, and constraints, only ever absorb.
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
    survivor = kept[0] if kept else plain.pop(_stays(applying, plain))
    # Two links of one text may lead to two places.
    same = [fact for fact in plain if not lost_specifics((fact["content"],), survivor["content"], ())]
    if same:
        absorb(applying, survivor["id"], same, "duplicate")


def _stays(applying: Applying, plain: Sequence[Row]) -> int:
    """Which of equal facts the others fold into; in a replay of an older pass, the oldest."""
    if applying.rules < STANDS_LAST:
        return 0
    return where_it_stands([(fact["source"], fact["last_seen"] or "") for fact in plain])


def fold_links(applying: Applying, source_id: int, target_id: int) -> None:
    """Repoint every link of one entity to another: no self-loops, no duplicates, nothing dropped."""
    rows = [*applying.rows.where(LINK, source_id=source_id), *applying.rows.where(LINK, target_id=source_id)]
    for row in {row["id"]: row for row in sorted(rows, key=lambda row: row["id"])}.values():
        from_id = target_id if row["source_id"] == source_id else row["source_id"]
        to_id = target_id if row["target_id"] == source_id else row["target_id"]
        if row["status"] != "active":
            applying.rows.change(LINK, row["id"], source_id=from_id, target_id=to_id)
        elif from_id == to_id:
            applying.rows.change(
                LINK, row["id"], source_id=from_id, target_id=to_id, status="archived", status_reason=SELF_LOOP
            )
        else:
            _repoint(applying, row, from_id, to_id)


def _repoint(applying: Applying, row: Row, from_id: int, to_id: int | None) -> None:
    if to_id is not None:
        same = applying.rows.where(LINK, source_id=from_id, target_id=to_id, type=row["type"], status="active")
        twins = [link for link in same if link["id"] != row["id"]]
        if twins:
            absorb_link(applying, row, twins[0]["id"], "duplicate")
    applying.rows.change(LINK, row["id"], source_id=from_id, target_id=to_id)


def absorb_link(applying: Applying, source: Row, target_id: int, reason: str) -> None:
    """Times by min and max, sightings by sum, the stronger strength; the absorbed row keeps its own figures."""
    target = applying.rows.get(LINK, target_id)
    applying.rows.change(LINK, source["id"], status="absorbed", absorbed_into=target_id, status_reason=reason)
    applying.rows.change(
        LINK, target_id,
        strength=max(target["strength"], source["strength"]),
        confidence=max(target["confidence"], source["confidence"]),
        reinforcement=target["reinforcement"] + (0 if source["derived"] else source["reinforcement"]),
        first_seen=min(filter(None, (target["first_seen"], source["first_seen"])), default=None),
        last_seen=max(filter(None, (target["last_seen"], source["last_seen"])), default=None),
    )  # fmt: skip


def active_link(applying: Applying, reference: str) -> Row:
    """A link by handle; skipped where it is put aside."""
    row = applying.row(LINK, reference)
    if row["status"] != "active":
        raise skip("not_active", f"{reference} is {row['status']}")
    return row
