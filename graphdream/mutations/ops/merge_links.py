"""Fold links that say the same into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from graphdream.mutations.ahead import links_with_ends
from graphdream.mutations.base import LinkHandle, Mutation
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.folding import absorb_link, active_link
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip


class MergeLinks(Mutation):
    """Links that say the same become one."""

    op: Literal["merge_links"] = "merge_links"
    source: tuple[LinkHandle, ...] = Field(min_length=1)
    target: LinkHandle


def merge_links(mutation: MergeLinks, applying: Applying) -> Outcome:
    target = active_link(applying, mutation.target)
    for reference in mutation.source:
        source = active_link(applying, reference)
        if source["id"] == target["id"]:
            raise fail("invalid", f"{reference} is the target itself")
        ends = {(row["source_id"], row["target_id"]) for row in (source, target)}
        if len(ends) > 1:
            raise skip("elsewhere", f"{reference} and {mutation.target} connect different entities")
        absorb_link(applying, source, target["id"], mutation.reason or "duplicate")
    return Outcome("applied", "ok", f"{', '.join(mutation.source)} absorbed into {mutation.target}")


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    links_with_ends(rows, [*named["source"], *named["target"]])


OP = Op(
    MergeLinks, merge_links,
    example={"op": "merge_links", "source": ["l2"], "target": "l1"},
    counts=True, ahead=_ahead,
)  # fmt: skip
