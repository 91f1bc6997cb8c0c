"""A pass at a glance: the counts are those of the rows, and the examples are in the words of the graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.dream.edit import edit
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_lines
from graphdream.interfaces.output import width_of
from graphdream.interfaces.overview_text import WIDTH, examples, headline
from graphdream.journal.net import net_changes
from graphdream.journal.overview import GROUPS, Example, Kind, Overview, overview
from graphdream.journal.passes import last_pass
from graphdream.journal.undo import undo
from graphdream.mutations import model
from graphdream.mutations.op import Op
from graphdream.mutations.registry import ops
from journal.graphs import Act, acts, new_store, write_pass
from tests.laws.plans import FIRST_GRAPH, addressed, plans
from tests.support.graphs import apply, entity

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


# ---------------------------------------------------------------------- what changed a row is never shown as nothing

ADA_AND_BO: list[dict[str, object]] = [
    entity("Ada", "unknown", general=["writes notes"], job=["writes by night"], work=["plays the organ"]),
    entity("Bo", general=["plays chess"]),
    {"op": "link", "source": "e1", "target": "e2", "type": "knows"},
    {"op": "link", "source": "e1", "target": "e2", "type": "knows of"},
]
BEFORE: dict[str, list[dict[str, object]]] = {
    "unpin": [{"op": "pin", "entity": "e1"}],
    "restore": [{"op": "delete_attribute", "content": "a1", "reason": "over"}],
    "resolve_contradiction": [{"op": "flag_contradiction", "first": "a1", "second": "a2"}],
}
BEFORE_ALONE: dict[str, list[dict[str, object]]] = {
    "fold": [
        entity("Ada", work=["writes notes"]), entity("Bo", work=["writes notes"]),
        {"op": "move_attribute", "attribute": "a2", "entity": "e1"},
    ]
}  # fmt: skip
"""What has to be so for the example of an operation to change anything; of one, instead of Ada and Bo."""


@pytest.mark.parametrize("op", ops(), ids=lambda op: op.name)
def test_a_pass_of_any_operation_is_told_by_a_kind_of_its_own_and_so_is_its_undo(tmp_path: Path, op: Op) -> None:
    """Dates, constraints, names, and facts that were only heard again were shown as "no change"."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(store, BEFORE_ALONE.get(op.name) or [*ADA_AND_BO, *BEFORE.get(op.name, [])], actor="person")
        (outcome,) = apply(store, [dict(op.example)], actor="person")
        assert outcome.status == "applied", outcome.message
        undo(store, 2)
        for number in (2, 3):
            found = overview(store.connection, number - 1, number)
            assert found.counts and "rows changed otherwise" not in found.counts
            assert headline(found, "pass:") != ["pass: no change"]


def test_each_column_that_a_person_sets_is_told_with_what_is_so_of_the_fact_since(store: Store) -> None:
    told = {}
    for body in (
        {"op": "date_attribute", "attribute": "a1", "valid_from": "2020", "valid_to": "2031-05-11"},
        {"op": "mark_constraint", "attribute": "a1"}, {"op": "reinforce_attribute", "attribute": "a1", "session": "s"},
        {"op": "decay", "attribute": "a2", "importance": 0.25}, {"op": "promote", "attribute": "a2"},
    ):  # fmt: skip
        apply(store, [body], actor="person")
        number = last_pass(store.connection)
        (kind,) = overview(store.connection, number - 1, number).kinds
        told[kind.name] = [(one.before, one.after, one.handles) for one in kind.examples]
    assert told == {
        "facts dated or undated": [(("in Oslo",), "since 2020; until 2031-05-11", ("a1",))],
        "facts marked or unmarked as a constraint": [(("in Oslo",), "a constraint", ("a1",))],
        "facts heard again": [(("in Oslo",), "seen 2 times", ("a1",))],
        "facts weighed anew": [(("in Bergen",), "importance 0.25, confidence 0.8", ("a2",))],
        "facts tagged anew": [(("in Bergen",), "semantic", ("a2",))],
    }


def test_what_only_follows_from_a_merge_or_a_new_entity_is_not_told_beside_it(store: Store) -> None:
    number = change(store)
    names = {
        "facts heard again",
        "facts dated or undated",
        "facts weighed anew",
        "names added",
        "rows changed otherwise",
    }
    assert names.isdisjoint(overview(store.connection, number - 1, number).counts)
    edit(store, [model.CreateEntity(name="Bo"), model.AddAlias(entity="e5", name="Bodil")])
    assert overview(store.connection, number, number + 1).counts == {"entities added": 1}
    edit(store, [model.AddAlias(entity="e1", name="Countess")])
    (kind,) = overview(store.connection, number + 1, number + 2).kinds
    assert kind == Kind("names added", 1, (Example(("Ada Lovelace: Countess",), handles=("e1",)),))


@settings(deadline=None)
@given(plans)
def test_a_pass_that_changed_a_row_never_looks_like_one_that_did_nothing(tmp_path_factory, plan) -> None:
    with Store.open(tmp_path_factory.mktemp("plan") / "memory.db") as store:
        import_lines(store, FIRST_GRAPH, source="lines")
        drawn = [one for one in addressed(store.connection, plan) if isinstance(one, dict)]
        # A fact is not folded with itself: that is no plan, it raises.
        apply(
            store, [one for one in drawn if one.get("op") != "fold" or one["target"] not in one["source"]], actor="host"
        )
        assert bool(overview(store.connection, 1, 2).counts) == bool(net_changes(store.connection, 1, 2))


@settings(deadline=None)
@given(st.lists(acts, max_size=12), st.lists(acts, max_size=6))
def test_whatever_column_changes_something_is_told(template: Path, tmp_path_factory, first: list[Act], then: list[Act]):
    """Also by what no operation does: acts of plain SQL."""
    with new_store(tmp_path_factory.mktemp("acts"), template) as store:
        write_pass(store, first)
        write_pass(store, then)
        for before, after in ((0, 1), (1, 2), (2, 1)):
            changed = net_changes(store.connection, before, after)
            assert bool(overview(store.connection, before, after).counts) == bool(changed)


def test_every_kind_may_be_asked_for_by_one_option(store: Store) -> None:
    """A kind whose name ends as no group says would be counted and never listed."""
    listed = [kind for kinds in GROUPS.values() for kind in kinds]
    assert len(listed) == len(set(listed))
    apply(store, [{"op": "mark_constraint", "attribute": "a1"}], actor="person")
    number = last_pass(store.connection)
    every = overview(store.connection, number - 1, number, only=tuple(GROUPS))
    assert every == overview(store.connection, number - 1, number)


def test_an_import_says_what_took_the_place_of_what_it_brings_as_replaced(tmp_path: Path) -> None:
    over = {"kind": "attribute", "id": "f9", "entity_id": "1", "aspect_id": "p1", "content": "in Rome",
            "status": "superseded", "superseded_by": "f1"}  # fmt: skip
    with Store.open(tmp_path / "other.db") as store:
        import_lines(store, [*LINES, over], source="lines")
        replaced = kinds(overview(store.connection, 0, 1))["facts replaced by later ones"]
    assert [(one.before, one.after) for one in replaced.examples] == [(("Ada Lovelace: in Rome",), "in Oslo")]
