"""Replace a fact that no longer holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from graphdream.graph.names import canonical_text
from graphdream.graph.rows import fetch, handle, parse_handle
from graphdream.graph.tables import ASPECT, ATTRIBUTE, CONTRADICTION
from graphdream.mutations.ahead import facts_with_owners
from graphdream.mutations.base import (
    FactRef,
    Mutation,
    NewFact,
    Quote,
    Replacement,
    Session,
    Slot,
    SomeAspect,
    SomeEntity,
)
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying, facts_saying
from graphdream.mutations.facts import vouch, write_fact
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row


class SupersedeAttribute(Mutation):
    """A fact no longer holds: `new` (text, or the handle of a fact that is there) takes its place."""

    op: Literal["supersede_attribute"] = "supersede_attribute"
    entity: SomeEntity = ""
    aspect: SomeAspect = ""
    old: FactRef
    new: Replacement
    session: Session = ""
    quote: Quote = ""
    slot: Slot = ""


def supersede_attribute(mutation: SupersedeAttribute, applying: Applying) -> Outcome:
    old = applying.fact(mutation.old, mutation.entity, mutation.aspect, follow=True)
    if applying.actor != "person":
        applying.protection.fixed(old)
    owner = applying.owner(old)
    new = _successor(mutation, applying, old, owner)
    vouch(applying, new)
    slot = mutation.slot or old["slot"] or new["slot"]
    if slot and new["slot"] != slot and (applying.actor == "person" or not applying.is_fixed(new)):
        applying.rows.change(ATTRIBUTE, new["id"], slot=slot)
    applying.rows.change(
        ATTRIBUTE, old["id"], status="superseded", superseded_by=new["id"], slot=slot,
        valid_to=old["valid_to"] or new["valid_from"] or new["first_seen"],
        status_reason=mutation.reason or "superseded by a newer fact",
    )  # fmt: skip
    _settle(applying, old["id"], new["id"])
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, old['id'])} superseded by {handle(ATTRIBUTE, new['id'])}")


def _successor(mutation: SupersedeAttribute, applying: Applying, old: Row, owner: Row) -> Row:
    """The fact that takes over: one that is there, or a new one in the old one's place, kind and importance."""
    parsed = parse_handle(mutation.new)
    if parsed is not None and parsed[0] is ATTRIBUTE:
        new = applying.fact(mutation.new, follow=True)
        if new["id"] == old["id"]:
            raise fail("invalid", "a fact cannot supersede itself")
        if applying.owner(new)["id"] != owner["id"]:
            raise skip("elsewhere", f"{mutation.new} and {mutation.old} belong to different entities")
        return new
    if canonical_text(mutation.new) == canonical_text(old["content"]):
        raise skip("nothing_to_do", "the new text says the same as the old one")
    known = facts_saying(applying.connection, owner["id"], mutation.new)
    if known:
        return known[0]
    under = fetch(applying.connection, ASPECT, old["aspect_id"])
    fact = NewFact(
        content=mutation.new, kind=old["kind"], importance=old["importance"], confidence=old["confidence"],
        session=mutation.session, quote=mutation.quote, tags=tuple(json.loads(old["tags"])),
        slot=mutation.slot or old["slot"] or "",
    )  # fmt: skip
    return fetch(applying.connection, ATTRIBUTE, write_fact(applying, owner, under["name"], fact).id)


def _settle(applying: Applying, first: int, second: int) -> None:
    """A contradiction between two facts ends when one of them supersedes the other."""
    low, high = sorted((first, second))
    for row in applying.rows.where(CONTRADICTION, first_id=low, second_id=high, status="open"):
        applying.rows.change(CONTRADICTION, row["id"], status="resolved", resolution="superseded")


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    facts = [*named["old"], *named["new"]]
    facts_with_owners(rows, facts)
    rows.load(CONTRADICTION, "first_id", facts)


OP = Op(
    SupersedeAttribute, supersede_attribute,
    example={"op": "supersede_attribute", "old": "a1", "new": "lives in Bergen", "session": "s1",
             "quote": "she has moved to Bergen", "slot": "home"},
    told=("sessions", "questions"), ahead=_ahead, blank=("entity",),
)  # fmt: skip
