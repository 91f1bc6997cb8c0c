"""Lower the importance of a fact."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.base import FactHandle, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class Decay(Mutation):
    """Host only: lower the importance of a fact to a value that the host has computed."""

    op: Literal["decay"] = "decay"
    attribute: FactHandle
    importance: float = Field(ge=0, le=1)


def decay(mutation: Decay, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    if mutation.importance >= fact["importance"]:
        raise skip("nothing_to_do", "decay only lowers")
    applying.rows.change(ATTRIBUTE, fact["id"], importance=mutation.importance)
    return Outcome("applied", "ok", f"{handle(ATTRIBUTE, fact['id'])} decayed to {mutation.importance:g}")


OP = Op(
    Decay, decay,
    example={"op": "decay", "attribute": "a1", "importance": 0.2},
    by="host", protects=("attribute",),
)  # fmt: skip
