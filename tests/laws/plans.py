"""Random mutations as a dreamer, a person or an attacker may propose them: valid, wrong, and hostile.

Which rows there are is known only when a plan is applied. So plans are drawn with placeholders, and `addressed` puts
in their places what is there: `e?4` is the handle of some entity, `name?4` the name of one, `words?4` the words of a fact.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Any, Literal, get_args, get_origin

from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from graphdream.mutations.base import Part, parts_of
from graphdream.mutations.registry import ops

Body = dict[str, Any]
Bodies = st.SearchStrategy[Body]

# Few of each, so that they meet: a plan without collisions proves little.
NAMES = (
    "Ada", "Ada's", "**ada**", "Bo", "bo ", "Cy Müller", "C++", "e1", "a1", "a²", "Robert'); DROP TABLE entity;--",
    'say "so"', "nul\x00inside", "🜁 Ωmega", "\u202eevil\u202c", "שלום", "name OR other*", '{"absorbed_into":[null,1]}',
)  # fmt: skip
NO_NAMES = ("", "   ", "\u200b", "nobody of that name", "lone \ud800")
TEXTS = (
    "likes tea", "Likes tea.", "likes coffee", "lives in Oslo", "lives in Oslo since 2021", "was born on May 4 in Oslo",
    "rate is 50 EUR", "rate is 60 EUR", "see https://example.org/a?b=1", 'said "no" and \\ left', "a1", "a²",
    "nul\x00inside a fact", "emoji 🙂‍↔️ and \u202eright to left\u202c", "NEAR(a, b) AND content:* -",
)  # fmt: skip
ASPECTS = ("general", "General:", "work", "home ")
TYPES = ("person", "tool", "unknown")
TIMES = ("", "2025-03-01", "2026-02-03T04:05:06+02:00", "2031-01-01T00:00:00Z")
SESSIONS = ("", "s1", "s2", "s\x00")
LINK_TYPES = ("knows", "uses")

some_texts, some_names = st.sampled_from(TEXTS), st.sampled_from(NAMES)
huge = st.just(20_000).map(lambda length: "long " * (length // 5))
texts = st.one_of(some_texts, some_texts, some_texts, some_texts, st.text(min_size=1, max_size=8), huge)
names = st.one_of(some_names, some_names, some_names, some_names, st.text(min_size=1, max_size=6), huge)
junk = st.one_of(
    st.sampled_from(
        [None, 7, -1.0, [], {}, "", "yesterday", "e999", "a999", f"a{10**17}", "a²", "e" + "9" * 5_000, ["a1"]]
    ),
    st.sampled_from(NO_NAMES),
)
reasons = st.sampled_from(["", "because", "forgotten: so", "superseded"])
shares = st.sampled_from([0.0, 0.3333333333, 0.5, 1])
numbers = st.integers(0, 99)


def placeholders(what: str) -> st.SearchStrategy[str]:
    """For a row or a text that is there; see `addressed`."""
    return numbers.map(lambda number: f"{what}?{number}")


entities, facts, links = placeholders("e"), placeholders("a"), placeholders("l")
somebody = st.one_of(*[entities] * 6, placeholders("name"), names)
told = st.one_of(*[facts] * 4, placeholders("words"))
rows = st.one_of(facts, facts, entities, links, placeholders("s"))
_PLACE = re.compile(r"(e|a|l|s|name|words)\?(\d+)")
_FILLED = {
    "e": "SELECT 'e' || id FROM entity", "a": "SELECT 'a' || id FROM attribute", "l": "SELECT 'l' || id FROM link",
    "s": "SELECT 's' || id FROM aspect", "name": "SELECT name FROM entity", "words": "SELECT content FROM attribute",
}  # fmt: skip


def addressed(connection: sqlite3.Connection, item: Any) -> Any:
    """An item with its placeholders filled: by active rows where the number is no multiple of four, else by any."""
    if isinstance(item, dict):
        return {key: addressed(connection, value) for key, value in item.items()}
    if isinstance(item, (list, tuple)):
        return [addressed(connection, value) for value in item]
    found = _PLACE.fullmatch(item) if isinstance(item, str) else None
    if found is None:
        return item
    number, sql = int(found[2]), _FILLED[found[1]]
    active = connection.execute(f"{sql} WHERE status = 'active' ORDER BY id").fetchall() if number % 4 else []
    there = active or connection.execute(f"{sql} ORDER BY id").fetchall()
    return there[number % len(there)][0] if there else f"{found[1]}{number}"


ROLES: dict[str | None, st.SearchStrategy[Any]] = {
    "entity": somebody, "fact": told, "link": links, "row": rows, "aspect": st.sampled_from(ASPECTS), "name": names,
    "type": st.sampled_from((*TYPES, *LINK_TYPES)), "text": texts, "replacement": st.one_of(facts, texts),
    "rewording": placeholders("words"), "session": st.sampled_from(SESSIONS), "turn": st.sampled_from(["t1", "t2"]),
    "quote": st.one_of(st.just(""), some_texts, texts), "time": st.sampled_from(TIMES), "slot": st.sampled_from(["", "home", "rate"]),
    "tag": st.sampled_from(["a", "b", "\x00"]),
}  # fmt: skip
"""What may stand in a field, by what it stands for."""


def bodies(kind: type[BaseModel]) -> Bodies:
    """Bodies of one kind of mutation, or of what it holds, drawn from what its fields stand for."""
    needed: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for part in parts_of(kind):
        field = kind.model_fields[part.name]
        value = _values(part, field)
        if part.many:
            value = st.lists(value, min_size=int(field.is_required()), max_size=3)
        (needed if field.is_required() or part.name == "op" else optional)[part.name] = value
    return st.fixed_dictionaries(needed, optional=optional)


def _values(part: Part, field: FieldInfo) -> st.SearchStrategy[Any]:
    if part.holds is not None:
        return bodies(part.holds)
    if get_origin(field.annotation) is Literal:
        return st.sampled_from(get_args(field.annotation))
    if field.annotation is float:
        return shares
    if field.annotation is bool:
        return st.booleans()
    if part.name == "reason":
        return reasons
    if part.role == "fact" and any(getattr(mark, "pattern", None) for mark in field.metadata):
        return facts
    return facts if part.many and part.role == "fact" else ROLES.get(part.role, some_texts)


BY_OP: dict[str, Bodies] = {op.name: bodies(op.kind) for op in ops()}

no_mutations = st.sampled_from(
    [
        None, 7, "merge e1 into e2", [], {}, {"op": None}, {"op": "drop_table"}, {"op": ["pin"]}, {"op": "pin"},
        {"op": "merge_entities", "source": "e1", "target": "e2"},
        {"op": "merge_entities", "source": ["e1"], "target": "e1"},
        {"op": "delete_entity", "name": "e1", "id": 1, "extra": {"nested": [1, 2]}},
        {"op": "create_attribute", "entity": "e1", "content": {"not": "a text"}},
        {"op": "create_attribute", "entity": "e1", "content": "half an emoji \ud83d"},
        {"op": "link", "source": "e1", "target": "e2", "type": "knows", "strength": "strong"},
    ]
)  # fmt: skip

_by_anybody = st.one_of(list(BY_OP.values()))
_by_dreamer = st.one_of([BY_OP[op.name] for op in ops() if op.by == "pass"])
_by_person = st.one_of([BY_OP[op.name] for op in ops() if op.by != "host"])


@st.composite
def spoiled(draw: st.DrawFn) -> Body:
    """A mutation with junk in one of its fields, or with a field that it does not have."""
    body = draw(_by_anybody)
    return {**body, draw(st.sampled_from([*body, "more"])): draw(junk)}


plans = st.lists(
    st.one_of(*[_by_dreamer] * 9, _by_anybody, spoiled(), no_mutations),
    min_size=1, max_size=10,
)  # fmt: skip
edits = st.lists(st.one_of(*[_by_person] * 6, spoiled()), min_size=1, max_size=2)

# A graph to begin with, as an import makes it: dangling and double links, history without a successor, a removed row.
FIRST_GRAPH: list[Body] = [
    {"kind": "session", "id": "s1", "started_at": "2025-01-01T00:00:00Z"},
    {"kind": "entity", "id": "n1", "name": "Ada", "type": "person", "mentions": 3, "created_at": "2025-01-01T00:00:00Z"},
    {"kind": "entity", "id": "n2", "name": "Ada's", "mentions": 2, "created_at": "2024-06-01T00:00:00Z",
     "updated_at": "2025-06-01T00:00:00Z"},
    {"kind": "entity", "id": "n3", "name": "Bo", "type": "person", "pinned": True},
    {"kind": "entity", "id": "n4", "name": "**Bo**"},
    {"kind": "entity", "id": "n5", "name": "C++", "type": "tool"},
    {"kind": "entity", "id": "n6", "name": "e1"},
    *({"kind": "aspect", "id": f"p{number}", "entity_id": f"n{number}", "name": "general"} for number in range(1, 7)),
    {"kind": "aspect", "id": "p7", "entity_id": "n1", "name": "work"},
    {"kind": "attribute", "id": "f1", "entity_id": "n1", "aspect_id": "p1", "content": "likes tea", "session_id": "s1"},
    {"kind": "attribute", "id": "f2", "entity_id": "n2", "aspect_id": "p2", "content": "Likes tea."},
    {"kind": "attribute", "id": "f3", "entity_id": "n3", "aspect_id": "p3", "content": "plays chess on Fridays"},
    {"kind": "attribute", "id": "f4", "entity_id": "n4", "aspect_id": "p4", "content": "plays chess on Fridays"},
    {"kind": "attribute", "id": "f5", "entity_id": "n1", "aspect_id": "p1", "content": "likes tea", "attribute_kind": "constraint"},
    {"kind": "attribute", "id": "f6", "entity_id": "n2", "aspect_id": "p2", "content": "lives in Rome", "status": "superseded",
     "superseded_by": "f7"},
    {"kind": "attribute", "id": "f7", "entity_id": "n2", "aspect_id": "p2", "content": "lives in Oslo"},
    {"kind": "attribute", "id": "f8", "entity_id": "n1", "aspect_id": "p7", "content": "engineer", "status": "superseded"},
    {"kind": "attribute", "id": "f9", "entity_id": "n5", "aspect_id": "p5", "content": "has version 20"},
    {"kind": "edge", "id": "d1", "source_id": "n1", "target_id": "n3", "type": "knows"},
    {"kind": "edge", "id": "d2", "source_id": "n2", "target_id": "n3", "type": "knows"},
    {"kind": "edge", "id": "d3", "source_id": "n2", "target_id": "n1", "type": "knows"},
    {"kind": "edge", "id": "d4", "source_id": "n1", "target_id": "gone", "type": "uses"},
    {"kind": "edge", "id": "d5", "source_id": "n4", "target_id": "n5", "type": "uses"},
]  # fmt: skip
