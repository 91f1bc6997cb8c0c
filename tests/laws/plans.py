"""Random mutations as a dreamer, a person or an attacker may propose them: valid, wrong, and hostile."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from graphdream.mutations.model import HOST_ONLY, PERSON_ONLY

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
ASPECTS = ("general", "General:", "work", "home ", "")
TYPES = ("person", "tool", "unknown", "")
TIMES = ("", "2025-03-01", "2026-02-03T04:05:06+02:00", "2031-01-01T00:00:00Z", "yesterday")
SESSIONS = ("", "s1", "s2", "s\x00")
LINK_TYPES = ("knows", "uses", "part_of")

few = st.integers(1, 12)
many = st.integers(1, 40)
wild = st.sampled_from([0, 77, 999, 10**17, 10**19, "²"])
huge = st.just(20_000).map(lambda length: "long " * (length // 5))
some_texts, some_names = st.sampled_from(TEXTS), st.sampled_from(NAMES)
texts = st.one_of(some_texts, some_texts, some_texts, st.text(max_size=8), huge)
names = st.one_of(some_names, some_names, some_names, st.text(max_size=6), st.sampled_from(NO_NAMES), huge)
reasons = st.sampled_from(["", "because", "forgotten", "superseded"])
shares = st.sampled_from([0.0, 0.3333333333, 0.5, 1.0, -1.0, 2.0])


def handles(letter: str, numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[str]:
    """Handles of one kind of row: most of them there, some not, a few of another kind."""
    right = numbers.map(lambda number: f"{letter}{number}")
    return st.one_of(right, right, right, right, right, wild.map(lambda number: f"{letter}{number}"), st.just("x1"))


entities = handles("e", few)
facts = handles("a", many)
links = handles("l", few)
somebody = st.one_of(entities, entities, names)
rows = st.one_of(facts, facts, entities, links, handles("s", few))

new_facts = st.fixed_dictionaries(
    {"content": texts},
    optional={
        "kind": st.sampled_from(["attribute", "constraint", "rule"]), "confidence": shares, "importance": shares,
        "tags": st.lists(st.sampled_from(["a", "b", "\x00"]), max_size=2), "session": st.sampled_from(SESSIONS),
        "turns": st.lists(st.sampled_from(["t1", "t2"]), max_size=2), "quote": texts, "known_at": st.sampled_from(TIMES),
        "valid_from": st.sampled_from(TIMES), "occurred_at": st.sampled_from(TIMES),
        "slot": st.sampled_from(["", "home", "rate"]),
    },
)  # fmt: skip
new_aspects = st.fixed_dictionaries({"name": st.sampled_from(ASPECTS), "attributes": st.lists(new_facts, max_size=3)})


def mutation(op: str, needed: dict[str, Any] | None = None, **optional: Any) -> Bodies:
    """Bodies of one kind of mutation; optional fields are there or not."""
    return st.fixed_dictionaries({"op": st.just(op), **(needed or {})}, optional={**optional, "reason": reasons})


aspects = st.sampled_from(ASPECTS)
BY_OP: dict[str, Bodies] = {
    "create_entity": mutation(
        "create_entity", {"name": names}, type=st.sampled_from(TYPES), aspects=st.lists(new_aspects, max_size=2)
    ),
    "merge_entities": mutation("merge_entities", {"source": st.lists(somebody, max_size=3), "target": somebody}),
    "delete_entity": mutation("delete_entity", {"name": somebody}),
    "update_aspect": mutation(
        "update_aspect", {"entity": somebody, "aspect": aspects, "attributes": st.lists(new_facts, max_size=3)}
    ),
    "delete_aspect": mutation("delete_aspect", {"entity": somebody, "aspect": aspects}),
    "supersede_attribute": mutation(
        "supersede_attribute", {"old": st.one_of(facts, texts), "new": st.one_of(facts, texts)},
        entity=somebody, aspect=aspects, session=st.sampled_from(SESSIONS), slot=st.sampled_from(["", "home"]),
    ),
    "create_attribute": st.builds(
        lambda place, fact: {"op": "create_attribute", **place, **fact},
        st.fixed_dictionaries({"entity": somebody}, optional={"aspect": aspects}), new_facts,
    ),
    "delete_attribute": mutation(
        "delete_attribute", {"content": st.one_of(facts, texts)}, entity=somebody, aspect=aspects
    ),
    "rename_entity": mutation("rename_entity", {"entity": somebody, "name": names}),
    "retype_entity": mutation("retype_entity", {"entity": somebody, "type": st.sampled_from(TYPES)}),
    "split_entity": mutation(
        "split_entity", {"entity": somebody, "name": names}, type=st.sampled_from(TYPES),
        attributes=st.lists(facts, max_size=3), links=st.lists(links, max_size=2), aliases=st.lists(names, max_size=2),
    ),
    "merge_aspects": mutation(
        "merge_aspects", {"entity": somebody, "source": st.lists(aspects, max_size=2), "target": aspects}
    ),
    "merge_attributes": mutation(
        "merge_attributes", {"source": st.lists(facts, max_size=3), "target": facts}, content=texts
    ),
    "move_attribute": mutation("move_attribute", {"attribute": facts}, entity=somebody, aspect=aspects),
    "reinforce_attribute": mutation(
        "reinforce_attribute", {"attribute": facts}, session=st.sampled_from(SESSIONS), known_at=st.sampled_from(TIMES)
    ),
    "link": mutation(
        "link", {"source": somebody, "target": somebody, "type": st.sampled_from(LINK_TYPES)}, strength=shares
    ),
    "unlink": mutation("unlink", {"link": links}),
    "merge_links": mutation("merge_links", {"source": st.lists(links, max_size=2), "target": links}),
    "add_alias": mutation("add_alias", {"entity": somebody, "name": names}),
    "mark_distinct": mutation("mark_distinct", {"first": somebody, "second": somebody}),
    "flag_contradiction": mutation("flag_contradiction", {"first": facts, "second": facts}),
    "resolve_contradiction": mutation("resolve_contradiction", {"first": facts, "second": facts}, keep=facts),
    "restore": mutation("restore", {"row": rows}),
    "decay": mutation("decay", {"attribute": facts, "importance": shares}),
    "promote": mutation("promote", {"attribute": facts}),
    "pin": mutation("pin", {"entity": somebody}),
    "unpin": mutation("unpin", {"entity": somebody}),
    "mark_constraint": mutation("mark_constraint", {"attribute": facts}, constraint=st.booleans()),
}  # fmt: skip

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

_BY_DREAMER = [BY_OP[op] for op in BY_OP if op not in PERSON_ONLY | HOST_ONLY]
by_person = st.one_of([BY_OP[op] for op in BY_OP if op not in HOST_ONLY])
plans = st.lists(st.one_of(*_BY_DREAMER, st.one_of(list(BY_OP.values())), no_mutations), min_size=1, max_size=10)
edits = st.lists(by_person, min_size=1, max_size=2)

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
