"""Fold entities into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from graphdream.graph.rows import handle
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, DISTINCT_PAIR, ENTITY, LINK, MENTION
from graphdream.mutations.ahead import repeated, what_is_shared
from graphdream.mutations.base import EntityRef, Mutation
from graphdream.mutations.bulk_rows import WorkingRows
from graphdream.mutations.context import Applying
from graphdream.mutations.entities import UNTYPED, Verdict, keep_apart, verdicts_on
from graphdream.mutations.facts import united
from graphdream.mutations.folding import fold_aspects, fold_links
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, skip
from graphdream.mutations.rows import Row


class MergeEntities(Mutation):
    """Fold `source` into `target`: everything moves over, every source name stays as an alias."""

    op: Literal["merge_entities"] = "merge_entities"
    source: tuple[EntityRef, ...] = Field(min_length=1)
    target: EntityRef

    @model_validator(mode="after")
    def _target_survives(self) -> Self:
        if self.target in self.source:
            raise ValueError(f"`target` {self.target} is also in `source`")
        return self


def merge_entities(mutation: MergeEntities, applying: Applying) -> Outcome:
    target = applying.entity(mutation.target)
    sources: list[Row] = []
    for reference in mutation.source:
        source = applying.entity(reference, follow=False)
        if source["id"] == target["id"]:
            raise skip("nothing_to_do", f"{reference} is {handle(ENTITY, target['id'])} already")
        if all(source["id"] != other["id"] for other in sources):
            sources.append(source)
    verdicts = {source["id"]: verdicts_on(applying, source["id"]) for source in sources}
    apart = {entity_id: _apart(applying, found) for entity_id, found in verdicts.items()}
    for source in sources:
        _guard_distinct(apart[source["id"]], source, target)
    if any(apart.values()):
        for source, other in combinations(sources, 2):
            _guard_distinct(apart[source["id"]], source, other)
    for source in sources:
        _keep_names(applying, source, target)
        fold_aspects(applying, source["id"], target["id"])
        fold_links(applying, source["id"], target["id"])
        _move_mentions(applying, source["id"], target["id"])
        _carry_verdicts(applying, verdicts[source["id"]], target["id"])
        applying.rows.change(
            ENTITY, source["id"], status="absorbed", absorbed_into=target["id"],
            status_reason=mutation.reason or "merged",
        )  # fmt: skip
    applying.rows.change(ENTITY, target["id"], **_merged_values([target, *sources]))
    named = ", ".join(handle(ENTITY, source["id"]) for source in sources)
    return Outcome("applied", "ok", f"{named} merged into {handle(ENTITY, target['id'])}")


def _apart(applying: Applying, verdicts: list[Verdict]) -> set[int]:
    """The entities that a pass must not merge one with, by the verdicts on it; a person may."""
    return set() if applying.actor == "person" else {verdict.other for verdict in verdicts}


def _guard_distinct(apart: set[int], source: Row, other: Row) -> None:
    if other["id"] in apart:
        low, high = sorted((source["id"], other["id"]))
        raise skip("distinct", f"{handle(ENTITY, low)} and {handle(ENTITY, high)} were judged not to be the same")


def _keep_names(applying: Applying, source: Row, target: Row) -> None:
    """Every name of the source becomes an alias of the target; the source keeps its own for the day it comes back."""
    known = {target["name"], *(alias["name"] for alias in applying.rows.where(ALIAS, entity_id=target["id"]))}
    rows = (source, *applying.rows.where(ALIAS, entity_id=source["id"]))
    for name, key in sorted({(row["name"], row["canonical"]) for row in rows}):
        if name not in known:
            applying.rows.make(ALIAS, entity_id=target["id"], name=name, canonical=key, source="merge")
            known.add(name)


def _move_mentions(applying: Applying, source_id: int, target_id: int) -> None:
    mentions = applying.rows.where(MENTION, entity_id=source_id)
    if not mentions:
        return
    known = {row["attribute_id"] for row in applying.rows.where(MENTION, entity_id=target_id)}
    for row in mentions:
        if row["attribute_id"] in known:
            applying.rows.drop(MENTION, row["id"])
    applying.rows.repoint(MENTION, "entity_id", source_id, target_id)


def _carry_verdicts(applying: Applying, verdicts: list[Verdict], target_id: int) -> None:
    """What the source is not the same as, the target is not either."""
    for verdict in sorted(verdicts):
        if verdict.other != target_id:
            keep_apart(applying, verdict.other, target_id, verdict.reason)


def _merged_values(rows: list[Row]) -> dict[str, Any]:
    """Host arithmetic over merged entities, target first: min, max, sum, union."""
    typed = [row["type"] for row in rows if row["type"] not in UNTYPED]
    keeps_type = rows[0]["pinned"] or rows[0]["type"] not in UNTYPED or not typed
    return {
        "type": rows[0]["type"] if keeps_type else typed[0],
        "mentions": sum(row["mentions"] for row in rows),
        "importance": max(row["importance"] for row in rows),
        "first_seen": min((row["first_seen"] for row in rows if row["first_seen"]), default=None),
        "last_seen": max((row["last_seen"] for row in rows if row["last_seen"]), default=None),
        "sessions": united(row["sessions"] for row in rows),
    }


def _ahead(rows: WorkingRows, named: Mapping[str, Sequence[int]]) -> None:
    wanted: dict[int, None] = {}
    found = rows.load(ENTITY, "id", [*named["source"], *named["target"]])
    while found:
        wanted.update((entity["id"], None) for entity in found)
        onward = {entity["absorbed_into"] for entity in found} - wanted.keys() - {None}
        found = rows.load(ENTITY, "id", onward)
    rows.bring(ALIAS, "entity_id", wanted)
    rows.bring(MENTION, "entity_id", wanted)
    for table, *ends in ((LINK, "source_id", "target_id"), (DISTINCT_PAIR, "first_id", "second_id")):
        for end in ends:
            rows.bring(table, end, wanted)
    # Facts move where two aspects of one name meet, and fold where two of them say the same.
    aspects = rows.load(ASPECT, "entity_id", wanted)
    meeting = [aspect["id"] for aspect in repeated(aspects, "canonical")]
    facts = rows.load(ATTRIBUTE, "aspect_id", meeting, outline=True)
    same = [fact["id"] for fact in repeated(facts, "digest")]
    rows.load(ATTRIBUTE, "id", same)
    what_is_shared(rows, same)


OP = Op(
    MergeEntities, merge_entities,
    example={"op": "merge_entities", "source": ["e2"], "target": "e1", "reason": "one person under two names"},
    told=("sessions",), protects=("source",), counts=True, ahead=_ahead,
)  # fmt: skip
