"""Runs of many mutations, carried out in memory: which mutations take part, and what they will want to read.

The handlers are the same as for a single mutation; only where they find the rows differs. So a run ends exactly as its
mutations one by one would have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import (
    ALIAS,
    ASPECT,
    ATTRIBUTE,
    CONTRADICTION,
    DISTINCT_PAIR,
    ENTITY,
    EVIDENCE,
    LINK,
    MENTION,
    Table,
)
from graphdream.mutations import model
from graphdream.mutations.bulk_rows import Values, WorkingRows

FEWEST = 32  # in a row, and never under 2: for less, one by one is as quick
MOST = 5_000  # in one go: bounds the memory, and what has to be done again where a run cannot be written

_ADDRESSED: dict[str, dict[str, Table]] = {
    "merge_entities": {"source": ENTITY, "target": ENTITY},
    "delete_entity": {"name": ENTITY},
    "delete_aspect": {"entity": ENTITY},
    "merge_attributes": {"source": ATTRIBUTE, "target": ATTRIBUTE},
    "supersede_attribute": {"old": ATTRIBUTE, "new": ATTRIBUTE},
    "delete_attribute": {"content": ATTRIBUTE},
    "move_attribute": {"attribute": ATTRIBUTE, "entity": ENTITY},
    "flag_contradiction": {"first": ATTRIBUTE, "second": ATTRIBUTE},
    "unlink": {"link": LINK},
    "merge_links": {"source": LINK, "target": LINK},
}
"""The mutations whose handlers reach the graph through `Applying.rows` alone, and which fields address rows."""

_MAY_BE_BLANK = frozenset({("move_attribute", "entity")})


def suits(mutation: model.Proposable | model.Reserved) -> bool:
    """Whether a mutation can take part in a run: its handler can, and it names every row by a handle."""
    fields = _ADDRESSED.get(mutation.op)
    return fields is not None and all(
        (parsed := parse_handle(reference)) is not None and parsed[0] is table
        for field, table in fields.items()
        for reference in _references(mutation, field)
    )


def _references(mutation: Any, field: str) -> Sequence[str]:
    value: str | tuple[str, ...] = getattr(mutation, field)
    if value == "" and (mutation.op, field) in _MAY_BE_BLANK:
        return ()
    return (value,) if isinstance(value, str) else value


def read_ahead(rows: WorkingRows, mutations: Iterable[model.Proposable | model.Reserved]) -> None:
    """Read with a few queries what a run will ask for. What is missed here is read when it is asked for."""
    named: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))  # op, table -> ids
    for mutation in mutations:
        for field, table in _ADDRESSED[mutation.op].items():
            named[mutation.op][table.name].extend(int(reference[1:]) for reference in _references(mutation, field))
    _ahead_of_merges(rows, named["merge_entities"]["entity"])
    _ahead_of_facts(rows, {op: tables["attribute"] for op, tables in named.items() if tables["attribute"]})
    _ahead_of_deletes(rows, named["delete_entity"]["entity"], named["delete_aspect"]["entity"])
    rows.load(ENTITY, "id", named["move_attribute"]["entity"])
    links = rows.load(LINK, "id", [*named["unlink"]["link"], *named["merge_links"]["link"]])
    rows.load(ENTITY, "id", (end for link in links for end in (link["source_id"], link["target_id"]) if end))


def _ahead_of_merges(rows: WorkingRows, ids: Sequence[int]) -> None:
    wanted: dict[int, None] = {}
    found = rows.load(ENTITY, "id", ids)
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
    meeting = [aspect["id"] for aspect in _shared(aspects, "canonical")]
    facts = rows.load(ATTRIBUTE, "aspect_id", meeting, outline=True)
    same = [fact["id"] for fact in _shared(facts, "digest")]
    rows.load(ATTRIBUTE, "id", same)
    _shareable(rows, same)


def _ahead_of_facts(rows: WorkingRows, named: dict[str, list[int]]) -> None:
    facts = rows.load(ATTRIBUTE, "id", (fact for ids in named.values() for fact in ids))
    aspects = rows.load(ASPECT, "id", (fact["aspect_id"] for fact in facts))
    rows.load(ENTITY, "id", (aspect["entity_id"] for aspect in aspects))
    if named.get("move_attribute"):
        moved = {fact["aspect_id"] for fact in rows.load(ATTRIBUTE, "id", named["move_attribute"])}
        rows.load(ASPECT, "entity_id", (aspect["entity_id"] for aspect in rows.load(ASPECT, "id", moved)))
    merged = named.get("merge_attributes", [])
    if merged:
        under = {fact["aspect_id"] for fact in rows.load(ATTRIBUTE, "id", merged)}
        rows.load(ALIAS, "entity_id", (aspect["entity_id"] for aspect in rows.load(ASPECT, "id", under)))
        _shareable(rows, merged)
    settled = [*named.get("supersede_attribute", []), *named.get("flag_contradiction", [])]
    rows.load(CONTRADICTION, "first_id", settled)


def _ahead_of_deletes(rows: WorkingRows, entities: Sequence[int], owners: Sequence[int]) -> None:
    rows.load(ENTITY, "id", (*entities, *owners))
    rows.load(ASPECT, "entity_id", owners)
    rows.load(ATTRIBUTE, "aspect_id", (aspect["id"] for aspect in rows.load(ASPECT, "entity_id", entities)))
    for end in ("source_id", "target_id"):
        rows.bring(LINK, end, entities)


def _shareable(rows: WorkingRows, facts: Iterable[int]) -> None:
    """What a fact gives to the one that absorbs it."""
    listed = list(facts)
    rows.bring(EVIDENCE, "attribute_id", listed)
    rows.bring(MENTION, "attribute_id", listed)


def _shared(rows: Sequence[Values], column: str) -> list[Values]:
    """The rows whose value another one has too."""
    count = Counter([row[column] for row in rows])
    return [row for row in rows if count[row[column]] > 1]
