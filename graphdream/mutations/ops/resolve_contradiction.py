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
        raise skip("nothing_to_do", "no such contradiction is open")
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


OP = Op(
    ResolveContradiction, resolve_contradiction,
    example={"op": "resolve_contradiction", "first": "a1", "second": "a2", "keep": "a2"},
)  # fmt: skip
