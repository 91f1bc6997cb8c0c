"""Settle a contradiction."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE, CONTRADICTION
from graphdream.mutations.base import FactHandle, Mutation, SomeFact
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.ops.supersede_attribute import SupersedeAttribute, supersede_attribute
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row


class ResolveContradiction(Mutation):
    """A flagged contradiction is settled: `keep` holds and the other is superseded, or both are right."""

    op: Literal["resolve_contradiction"] = "resolve_contradiction"
    first: FactHandle
    second: FactHandle
    keep: SomeFact = Field(default="", description="handle of the fact that holds; empty: both do")


def resolve_contradiction(mutation: ResolveContradiction, applying: Applying) -> Outcome:
    first = applying.fact(mutation.first, active=False)
    second = applying.fact(mutation.second, active=False)
    low, high = sorted((first["id"], second["id"]))
    row = applying.connection.execute(
        "SELECT * FROM contradiction WHERE first_id = ? AND second_id = ? AND status = 'open'", (low, high)
    ).fetchone()
    if row is None:
        raise skip("nothing_to_do", _why_none_is_open(applying, first, second))
    if not mutation.keep:
        applying.rows.change(CONTRADICTION, row["id"], status="resolved", resolution="both hold")
        return Outcome("applied", "ok", "both hold")
    keep = applying.fact(mutation.keep)
    if keep["id"] not in (low, high):
        raise fail("invalid", f"{mutation.keep} is neither of the two")
    other = second if keep["id"] == first["id"] else first
    return supersede_attribute(
        SupersedeAttribute(
            old=handle(ATTRIBUTE, other["id"]), new=handle(ATTRIBUTE, keep["id"]), slot=row["slot"],
            reason=mutation.reason or "contradiction resolved",
        ),
        applying,
    )  # fmt: skip


def _why_none_is_open(applying: Applying, first: Row, second: Row) -> str:
    """What became of the contradiction, or of the two facts, and what can be done now."""
    one, other = handle(ATTRIBUTE, first["id"]), handle(ATTRIBUTE, second["id"])
    gone = [fact for fact in (first, second) if fact["status"] != "active"]
    if gone:
        became = " and ".join(_became(fact, first, second) for fact in gone)
        back = ", then ".join(f"graphdream restore {handle(ATTRIBUTE, fact['id'])}" for fact in gone)
        return (
            f"{became}: there is nothing left to settle; if both hold: {back}, then graphdream distinct {one} {other}"
        )
    low, high = sorted((first["id"], second["id"]))
    if applying.rows.where(CONTRADICTION, first_id=low, second_id=high):
        return (
            f"it is settled already that {one} and {other} both hold, and no pass asks again;"
            f" if one holds no more: graphdream replace {one} {other}"
        )
    return f"nobody ever said that {one} and {other} contradict each other; that both hold needs no settling"


def _became(fact: Row, first: Row, second: Row) -> str:
    """`a1 was replaced by a2`."""
    name, follower = handle(ATTRIBUTE, fact["id"]), fact["superseded_by"] or fact["absorbed_into"]
    if not follower:
        why = f" ({fact['status_reason']})" if fact["status_reason"] else ""
        return f"{name} was {fact['status']}{why}"
    how = "was replaced by" if fact["superseded_by"] else "says the same as, and went into,"
    already = "already " if follower in (first["id"], second["id"]) else ""
    return f"{name} {how.replace('was ', f'was {already}', 1)} {handle(ATTRIBUTE, follower)}"


OP = Op(
    ResolveContradiction, resolve_contradiction,
    example={"op": "resolve_contradiction", "first": "a1", "second": "a2", "keep": "a2"},
)  # fmt: skip
