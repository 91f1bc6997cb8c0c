"""Connect two entities."""

from __future__ import annotations

from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ENTITY, LINK
from graphdream.mutations.base import EntityRef, Mutation, OwnShare, TypeName
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail


class Link(Mutation):
    """Connect two entities; where they are connected so already, that link is reinforced."""

    op: Literal["link"] = "link"
    source: EntityRef
    target: EntityRef
    type: TypeName
    strength: OwnShare = 0.5
    confidence: OwnShare = 0.8


def link(mutation: Link, applying: Applying) -> Outcome:
    source, target = applying.entity(mutation.source), applying.entity(mutation.target)
    if source["id"] == target["id"]:
        raise fail("invalid", f"{handle(ENTITY, source['id'])} is not linked with itself")
    known = applying.connection.execute(
        "SELECT * FROM link WHERE source_id = ? AND target_id = ? AND type = ? AND status = 'active'",
        (source["id"], target["id"], mutation.type),
    ).fetchone()
    if known is not None:
        applying.rows.change(
            LINK, known["id"], reinforcement=known["reinforcement"] + (not applying.derived),
            strength=max(known["strength"], mutation.strength), last_seen=applying.now,
        )  # fmt: skip
        return Outcome("applied", "reinforced", f"{handle(LINK, known['id'])} says so already; reinforced")
    for removed in applying.rows.where(LINK, source_id=source["id"], target_id=target["id"], type=mutation.type):
        applying.guard_forgotten(removed, f"{handle(LINK, removed['id'])}, which said so")
    link_id = applying.rows.make(
        LINK, source_id=source["id"], target_id=target["id"], type=mutation.type,
        strength=mutation.strength, confidence=mutation.confidence, reason=mutation.reason, first_seen=applying.now,
        last_seen=applying.now, derived=int(applying.derived),
    )  # fmt: skip
    return Outcome("applied", "ok", f"made {handle(LINK, link_id)}")


OP = Op(
    Link, link,
    example={"op": "link", "source": "e1", "target": "e2", "type": "works_at"},
    told=("sessions",), adds=True, counts=True,
)  # fmt: skip
