"""Fold facts in the very same words."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graphdream.graph.rows import handle
from graphdream.graph.tables import ATTRIBUTE
from graphdream.mutations.base import FactHandle, Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.ops.merge_attributes import OP as MERGE
from graphdream.mutations.ops.merge_attributes import MergeAttributes, merge_attributes
from graphdream.mutations.outcome import Outcome, fail


class Fold(Mutation):
    """Host only: facts in the very same words become one: `source` is absorbed into `target`, which stays as it is."""

    op: Literal["fold"] = "fold"
    source: tuple[FactHandle, ...] = Field(min_length=1)
    target: FactHandle


def fold(mutation: Fold, applying: Applying) -> Outcome:
    if mutation.target in mutation.source:
        raise fail("invalid", f"{mutation.target} cannot be folded into itself")
    words = applying.fact(mutation.target, follow=True)["content"].split()
    for reference in mutation.source:
        fact = applying.fact(reference, follow=True)
        if fact["content"].split() != words:
            raise fail("invalid", f"{handle(ATTRIBUTE, fact['id'])} is in other words than {mutation.target}")
    return merge_attributes(
        MergeAttributes(source=mutation.source, target=mutation.target, reason=mutation.reason or "the same words"),
        applying,
    )


OP = Op(
    Fold, fold,
    example={"op": "fold", "source": ["a2"], "target": "a1", "reason": "the same words"},
    by="host", protects=MERGE.protects, counts=MERGE.counts, ahead=MERGE.ahead,
)  # fmt: skip
