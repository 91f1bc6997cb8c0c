"""Fold facts that say the same into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from graphdream.graph.names import text_digest
from graphdream.graph.rows import handle
from graphdream.graph.tables import ALIAS, ATTRIBUTE
from graphdream.mutations.ahead import facts_with_owners, what_is_shared
from graphdream.mutations.base import HOSTS_OWN, FactHandle, Mutation, Role
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import absorb
from graphdream.mutations.grounding import dates_among, listed, lost_specifics, new_specifics
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip
from graphdream.mutations.rows import Row


class MergeAttributes(Mutation):
    """Facts that say the same become one: `source` is absorbed into `target`, whose text may be rewritten."""

    op: Literal["merge_attributes"] = "merge_attributes"
    source: tuple[FactHandle, ...] = Field(min_length=1)
    target: FactHandle
    content: Annotated[str, Role("rewording")] = Field(
        default="", description="new text of the target; it loses and invents nothing"
    )
    apart: Annotated[SkipJsonSchema[tuple[str, ...]], HOSTS_OWN] = Field(
        default=(), description="local dreamer only: dates of the sources that tell when it was told, not what"
    )

    @model_validator(mode="after")
    def _target_survives(self) -> Self:
        if self.target in self.source:
            raise ValueError(f"`target` {self.target} is also in `source`")
        return self


def merge_attributes(mutation: MergeAttributes, applying: Applying) -> Outcome:
    target = applying.fact(mutation.target, follow=True)
    owner = applying.owner(target)
    found = {row["id"]: row for row in (applying.fact(reference, follow=True) for reference in mutation.source)}
    sources = [row for fact_id, row in found.items() if fact_id != target["id"]]
    if not sources:
        raise skip("nothing_to_do", f"all of that is in {handle(ATTRIBUTE, target['id'])} already")
    for source in sources:
        if applying.owner(source)["id"] != owner["id"]:
            raise skip("elsewhere", f"{handle(ATTRIBUTE, source['id'])} belongs to another entity")
    content = mutation.content or target["content"]
    _check_replacement(applying, owner, sources, target, content, mutation.apart)
    absorb(applying, target["id"], sources, mutation.reason or "duplicate")
    if content != target["content"]:
        applying.rows.change(ATTRIBUTE, target["id"], content=content, digest=text_digest(content))
    named = ", ".join(handle(ATTRIBUTE, source["id"]) for source in sources)
    return Outcome("applied", "ok", f"{named} absorbed into {handle(ATTRIBUTE, target['id'])}")


def _check_replacement(
    applying: Applying, owner: Row, sources: list[Row], target: Row, content: str,
    apart: tuple[str, ...],
) -> None:  # fmt: skip
    """Coverage and grounding: what replaces facts neither loses nor invents anything specific."""
    names = {owner["name"], *(alias["name"] for alias in applying.rows.where(ALIAS, entity_id=owner["id"]))}
    texts = [*(source["content"] for source in sources), target["content"]]
    lost = lost_specifics(texts, content, names) - dates_among(apart, texts)
    if lost:
        applying.shielded.update(source["id"] for source in sources)
        raise skip("coverage", f"the replacement loses {listed(lost)}")
    if content != target["content"]:
        invented = new_specifics(texts, content, names)
        if invented:
            applying.shielded.update(source["id"] for source in sources)
            raise skip("grounding", f"no source says {listed(invented)}")


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    facts = [*named["source"], *named["target"]]
    aspects = facts_with_owners(rows, facts)
    rows.load(ALIAS, "entity_id", (aspect["entity_id"] for aspect in aspects))
    what_is_shared(rows, facts)


OP = Op(
    MergeAttributes, merge_attributes,
    example={"op": "merge_attributes", "source": ["a2"], "target": "a1", "reason": "one fact"},
    told=("sessions", "questions"), protects=("source",), counts=True, ahead=_ahead,
)  # fmt: skip
