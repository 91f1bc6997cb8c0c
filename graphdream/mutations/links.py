"""How links are made, folded and archived."""

from __future__ import annotations

from graphdream.graph.rows import handle, insert, update
from graphdream.graph.tables import ENTITY, LINK
from graphdream.mutations import model
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row

SELF_LOOP = "self-loop"


def link(mutation: model.Link, applying: Applying) -> Outcome:
    source, target = applying.entity(mutation.source), applying.entity(mutation.target)
    if source["id"] == target["id"]:
        raise fail("invalid", f"{handle(ENTITY, source['id'])} is not linked with itself")
    known = applying.connection.execute(
        "SELECT * FROM link WHERE source_id = ? AND target_id = ? AND type = ? AND status = 'active'",
        (source["id"], target["id"], mutation.type),
    ).fetchone()
    if known is not None:
        update(
            applying.store, LINK, known["id"], reinforcement=known["reinforcement"] + (not applying.derived),
            strength=max(known["strength"], mutation.strength), last_seen=applying.now,
        )  # fmt: skip
        return Outcome("applied", "reinforced", f"{handle(LINK, known['id'])} says so already; reinforced")
    for removed in applying.rows.where(LINK, source_id=source["id"], target_id=target["id"], type=mutation.type):
        applying.guard_forgotten(removed, f"{handle(LINK, removed['id'])}, which said so")
    link_id = insert(
        applying.store, LINK, source_id=source["id"], target_id=target["id"], type=mutation.type,
        strength=mutation.strength, confidence=mutation.confidence, reason=mutation.reason, first_seen=applying.now,
        last_seen=applying.now, derived=int(applying.derived),
    )  # fmt: skip
    return Outcome("applied", "ok", f"made {handle(LINK, link_id)}")


def unlink(mutation: model.Unlink, applying: Applying) -> Outcome:
    row = _active(applying, mutation.link)
    _guard_ends(applying, row)
    reason = applying.removal_reason(mutation.reason)
    applying.rows.change(LINK, row["id"], status="archived", status_reason=reason)
    return Outcome("applied", "ok", f"archived {handle(LINK, row['id'])}")


def merge_links(mutation: model.MergeLinks, applying: Applying) -> Outcome:
    target = _active(applying, mutation.target)
    for reference in mutation.source:
        source = _active(applying, reference)
        if source["id"] == target["id"]:
            raise fail("invalid", f"{reference} is the target itself")
        ends = {(row["source_id"], row["target_id"]) for row in (source, target)}
        if len(ends) > 1:
            raise skip("elsewhere", f"{reference} and {mutation.target} connect different entities")
        _absorb_link(applying, source, target["id"], mutation.reason or "duplicate")
    return Outcome("applied", "ok", f"{', '.join(mutation.source)} absorbed into {mutation.target}")


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
            _absorb_link(applying, row, twins[0]["id"], "duplicate")
    applying.rows.change(LINK, row["id"], source_id=from_id, target_id=to_id)


def _absorb_link(applying: Applying, source: Row, target_id: int, reason: str) -> None:
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


def _active(applying: Applying, reference: str) -> Row:
    row = applying.row(LINK, reference)
    if row["status"] != "active":
        raise skip("not_active", f"{reference} is {row['status']}")
    return row


def _guard_ends(applying: Applying, row: Row) -> None:
    """A link between two pinned entities is theirs; noise at one end of it is not."""
    if row["target_id"] is None:
        return
    ends = [applying.rows.get(ENTITY, row[side]) for side in ("source_id", "target_id")]
    if row["source_id"] != row["target_id"] and all(end["pinned"] for end in ends):
        applying.guard_entity(ends[0])
