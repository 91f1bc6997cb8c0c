"""A person's edits: all or none, with a person's rights, on record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.dream.edit import edit
from graphdream.errors import ConflictError, GraphdreamError, NotFoundError, UsageError
from graphdream.graph.store import Store
from graphdream.journal.passes import get_pass, list_passes, mutations_of
from graphdream.journal.undo import undo
from graphdream.mutations import model
from tests.support.graphs import apply, clock, dump, entity, facts_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ada (e1: a1, a2), another Ada (e2: a3), Bo (e3: a4), pinned."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(store, [entity("Ada", general=["likes tea", "lives in London"]), entity("Ida", general=["sings"]),
                      entity("Bo", general=["plays chess"])])  # fmt: skip
        apply(
            store,
            [{"op": "rename_entity", "entity": "e2", "name": "ADA"}, {"op": "pin", "entity": "e3"}],
            actor="person",
        )
        yield store


def test_an_edit_is_a_pass_that_can_be_taken_back(store: Store) -> None:
    before = dump(store)
    number, outcomes = edit(
        store, [model.MergeEntities(source=("e2",), target="e1"), model.Pin(entity="e1")], clock=clock
    )
    assert number == 3 and [outcome.code for outcome in outcomes] == ["ok", "ok"]
    record = get_pass(store.connection, 3)
    assert (record["kind"], record["trigger"], record["status"]) == ("edit", "person", "applied")
    assert "merged into e1" in record["summary"] and "pinned" in record["summary"]
    assert [item["op"] for item in mutations_of(store.connection, 3)] == ["merge_entities", "pin"]
    undo(store, 3, clock=clock)
    assert dump(store) == before


@pytest.mark.parametrize(
    ("mutation", "error", "words"),
    [
        (model.Pin(entity="Nobody"), NotFoundError, "'Nobody'"),
        (model.DeleteAttribute(content="a99"), NotFoundError, "a99"),
        (model.Pin(entity="ada"), ConflictError, "e1, e2"),
        (model.Link(source="e1", target="e1", type="knows"), UsageError, "itself"),
        (model.CreateEntity(name="\u200b"), UsageError, "no name for an entity"),
        (model.CreateAttribute(entity="e1", content=" "), UsageError, "needs words"),
        (model.CreateAttribute(entity="e1", content="was here", known_at="yesterday"), UsageError, "yesterday"),
    ],
    ids=lambda value: getattr(value, "op", ""),
)
def test_what_cannot_be_done_is_said_and_nothing_of_the_edit_is_done(
    store: Store, mutation: model.Mutation, error: type[GraphdreamError], words: str
) -> None:
    before, passes = dump(store), len(list_passes(store.connection))
    with pytest.raises(error, match=words):
        edit(store, [model.Unpin(entity="e3"), mutation], clock=clock)
    assert dump(store) == before and len(list_passes(store.connection)) == passes


def test_an_edit_that_is_true_already_is_no_pass(store: Store) -> None:
    number, outcomes = edit(store, [model.Pin(entity="Bo")], clock=clock)
    assert number is None and [outcome.code for outcome in outcomes] == ["nothing_to_do"]
    assert len(list_passes(store.connection)) == 2


def test_a_person_may_change_what_is_pinned_and_bring_back_what_was_forgotten(store: Store) -> None:
    edit(store, [model.RenameEntity(entity="Bo", name="Bob"), model.DeleteAttribute(content="a4")], clock=clock)
    assert facts_of(store, "Bob") == set()
    edit(store, [model.Restore(row="a4")], clock=clock)
    assert facts_of(store, "Bob") == {"plays chess"}


def test_what_a_person_says_is_said_by_the_user_and_not_derived(store: Store) -> None:
    edit(store, [model.CreateAttribute(entity="Bo", content="is left-handed", kind="constraint")], clock=clock)
    row = store.connection.execute("SELECT kind, authority, derived FROM attribute ORDER BY id DESC").fetchone()
    assert tuple(row) == ("constraint", "user", 0)
