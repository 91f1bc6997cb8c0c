"""Put on record that two facts cannot both hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE, CONTRADICTION
from graphdream.mutations.ahead import facts_with_owners
from graphdream.mutations.base import FactHandle, Mutation, Slot
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip


class FlagContradiction(Mutation):
    """Two facts cannot both hold; both stay until time, evidence or a person decides."""

    op: Literal["flag_contradiction"] = "flag_contradiction"
    first: FactHandle
    second: FactHandle
    slot: Slot = ""


def flag_contradiction(mutation: FlagContradiction, applying: Applying) -> Outcome:
    first, second = applying.fact(mutation.first), applying.fact(mutation.second)
    if first["id"] == second["id"]:
        raise fail("invalid", "a fact does not contradict itself")
    low, high = sorted((first["id"], second["id"]))
    if applying.rows.where(CONTRADICTION, first_id=low, second_id=high):
        raise skip("nothing_to_do", "that contradiction is on record")
    applying.rows.make(CONTRADICTION, first_id=low, second_id=high, slot=mutation.slot)
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, low)} and {handle(ATTRIBUTE, high)} flagged")


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    facts = [*named["first"], *named["second"]]
    facts_with_owners(rows, facts)
    rows.load(CONTRADICTION, "first_id", facts)


OP = Op(
    FlagContradiction, flag_contradiction,
    example={"op": "flag_contradiction", "first": "a1", "second": "a2", "slot": "home"},
    told=("sessions",), adds=True, ahead=_ahead,
)  # fmt: skip
