"""Make an episode lasting knowledge."""

from __future__ import annotations

import json
from typing import Literal

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.base import FactHandle, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import as_json
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip


class Promote(Mutation):
    """Host only: an often recalled episode becomes lasting knowledge."""

    op: Literal["promote"] = "promote"
    attribute: FactHandle


def promote(mutation: Promote, applying: Applying) -> Outcome:
    fact = applying.fact(mutation.attribute)
    tags = set(json.loads(fact["tags"]))
    if "semantic" in tags:
        raise skip("nothing_to_do", f"{handle(ATTRIBUTE, fact['id'])} is promoted already")
    applying.rows.change(ATTRIBUTE, fact["id"], tags=as_json(sorted((tags - {"episodic"}) | {"semantic"})))
    return Outcome("applied", "ok", f"promoted {handle(ATTRIBUTE, fact['id'])}")


OP = Op(
    Promote, promote,
    example={"op": "promote", "attribute": "a1"},
    by="host", protects=("attribute",),
)  # fmt: skip
