"""A pass at a glance: the counts are those of the rows, and the examples are in the words of the graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphdream.dream.edit import edit
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_lines
from graphdream.interfaces.output import width_of
from graphdream.interfaces.overview_text import WIDTH, examples, headline
from graphdream.journal.overview import Example, Kind, Overview, overview
from graphdream.journal.undo import undo
from graphdream.mutations import model

LINES = [
    {"kind": "entity", "id": "1", "name": "Ada Lovelace"},
    {"kind": "entity", "id": "2", "name": "Dr. Ada Lovelace"},
    {"kind": "entity", "id": "3", "name": "A. Lovelace"},
    {"kind": "entity", "id": "4", "name": "and then we"},
    *({"kind": "aspect", "id": f"p{n}", "entity_id": str(n), "name": "general"} for n in (1, 2, 3, 4)),
    {"kind": "attribute", "id": "f1", "entity_id": "1", "aspect_id": "p1", "content": "in Oslo"},
    {"kind": "attribute", "id": "f2", "entity_id": "1", "aspect_id": "p1", "content": "in Bergen"},
    {"kind": "attribute", "id": "f3", "entity_id": "2", "aspect_id": "p2", "content": "Dr. Ada Lovelace keeps bees"},
    {"kind": "attribute", "id": "f4", "entity_id": "3", "aspect_id": "p3", "content": "keeps bees"},
    {"kind": "attribute", "id": "f5", "entity_id": "1", "aspect_id": "p1", "content": "***"},
]


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "memory.db") as store:
        import_lines(store, LINES, source="lines")
        yield store


def change(store: Store) -> int:
    pass_id, outcomes = edit(
        store,
        [
            model.MergeEntities(source=("e2", "e3"), target="e1"),
            model.SupersedeAttribute(old="a1", new="a2"),
            model.MergeAttributes(source=("a4",), target="a3"),
            model.DeleteAttribute(content="a5", reason="no words"),
            model.DeleteEntity(name="e4", reason="names nothing"),
        ],
    )
    assert pass_id is not None and {one.status for one in outcomes} == {"applied"}
    return pass_id


def kinds(found: Overview) -> dict[str, Kind]:
    return {kind.name: kind for kind in found.kinds}


def test_each_kind_is_counted_and_told_by_name_and_text(store: Store) -> None:
    number = change(store)
    found = kinds(overview(store.connection, number - 1, number))
    told = {name: [replace(one, handles=(), into="") for one in kind.examples] for name, kind in found.items()}
    assert told["entities merged"] == [Example(("Dr. Ada Lovelace", "A. Lovelace"), "Ada Lovelace")]
    assert told["facts replaced by later ones"] == [Example(("Ada Lovelace: in Oslo",), "in Bergen")]
    assert told["duplicate facts folded"] == [Example(("keeps bees",), "Dr. Ada Lovelace keeps bees")]
    for kind in found.values():
        for one in kind.examples:
            assert len(one.handles) == len(one.before) and bool(one.into) == bool(one.after)
    assert [one.before for one in found["facts archived"].examples] == [("***",)]
    assert {name: kind.count for name, kind in found.items()} == {
        "entities merged": 2, "facts replaced by later ones": 1, "duplicate facts folded": 1, "facts archived": 1,
        "entities archived": 1,
    }  # fmt: skip


def test_what_was_told_and_was_over_in_one_pass_is_told_as_replaced(store: Store) -> None:
    number = change(store)
    found = kinds(overview(store.connection, 0, number))
    replaced = found["facts replaced by later ones"]
    assert [(one.before, one.after) for one in replaced.examples] == [(("Ada Lovelace: in Oslo",), "in Bergen")]
    assert all("Oslo" not in text for one in found["facts added"].examples for text in one.before)


def test_facts_that_go_along_with_a_merge_are_no_moves(store: Store) -> None:
    number = change(store)
    found = overview(store.connection, number - 1, number)
    assert "facts moved" not in found.counts


def test_the_lines_begin_with_the_counts_and_say_what_became_what(store: Store) -> None:
    number = change(store)
    found = overview(store.connection, number - 1, number)
    lines = [*headline(found, f"pass {number}:"), *examples(found)]
    assert lines[0].startswith("pass 2: 2 entities merged, 1 fact replaced by a later one, 1 duplicate fact folded,")
    assert "  Dr. Ada Lovelace, A. Lovelace → Ada Lovelace" in lines
    assert "  Ada Lovelace: in Oslo → in Bergen" in lines


def test_a_pass_keeps_its_words_whatever_comes_later_and_its_undo_has_its_own(store: Store) -> None:
    number = change(store)
    before = overview(store.connection, number - 1, number)
    edit(store, [model.RenameEntity(entity="e1", name="Countess")])
    assert overview(store.connection, number - 1, number) == before
    undo(store, number + 1)
    undo(store, number)
    back = kinds(overview(store.connection, number + 2, number + 3))
    assert back["entities brought back"].count == 3 and back["facts brought back"].count == 4 - 1


def test_of_many_there_are_ten_and_the_rest_as_a_number(store: Store) -> None:
    edit(store, [model.CreateEntity(name=f"Station {n}") for n in range(1, 26)])
    found = overview(store.connection, 1, 2)
    lines = list(examples(found))
    assert lines[0] == "Entities added: 25" and len(lines) == 12 and lines[-1] == "  … and 15 more"
    assert len(list(examples(overview(store.connection, 1, 2, most=None), width=None))) == 26


@pytest.mark.parametrize(
    "example",
    [
        Example(("x" * 300, "y" * 300), "z" * 300), Example(("鍵は青い箱にある" * 20,), "鍵は赤い箱にある" * 20),
        Example(("a" * 200, "b" * 200)), Example(tuple(f"name {n}" for n in range(50)), "one"), Example(("q" * 200,)),
    ],
)  # fmt: skip
def test_no_line_is_wider_than_a_page(example: Example) -> None:
    many = Overview((Kind("entities merged", 5_000, (example,)),), (("aspects merged", 10**9),))
    assert all(width_of(line) <= WIDTH for line in [*headline(many, "pass 7:"), *examples(many)])


def test_two_texts_that_begin_alike_show_where_they_differ() -> None:
    start = "we set the maximum batch of the naming window for all of the caption files of the studio to"
    kind = Kind("facts replaced by later ones", 1, (Example((f"{start} 40 items",), f"{start} 60 items"),))
    told = "\n".join(examples(Overview((kind,))))
    assert "40 items" in told and "60 items" in told
