"""Replay: the same graph from the log (level 1), and what today's rules would say (level 2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.dream.edit import edit
from graphdream.dream.replay import OWN_DREAMER, replay
from graphdream.dream.runner import PassOptions, dream
from graphdream.errors import NotFoundError, UsageError
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_lines
from graphdream.journal.passes import list_passes
from graphdream.journal.undo import undo
from graphdream.mutations import model
from tests.laws.plans import FIRST_GRAPH
from tests.support.dreamers import Failing, Scripted
from tests.support.graphs import apply, clock, dump, entity

DELETE = {"op": "delete_attribute", "content": "a1"}
MADE = {"op": "create_attribute", "entity": "e5", "content": "sings in a choir"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Pass 1 an import, 2 a dream, 3 a person's edit, 4 the undo of 2, 5 the undo of 4, 6 another dream."""
    with Store.open(tmp_path / "memory.db") as store:
        import_lines(store, FIRST_GRAPH, source="first graph", clock=clock)
        apply(
            store,
            [
                entity("the painter", general=["paints"]),
                {"op": "merge_entities", "source": ["e2"], "target": "e1"},
                DELETE,
            ],
        )
        edit(store, [model.Pin(entity="e5"), model.CreateEntity(name="Eve")], clock=clock)
        back = undo(store, 2, clock=clock)
        undo(store, back.pass_id, clock=clock)
        dream(store, Scripted(MADE, {"op": "nonsense"}, DELETE), PassOptions(mode="compact"), clock=clock)
        yield store


@pytest.mark.parametrize("level", [1, 2])
def test_every_kind_of_pass_gives_the_same_graph_again(store: Store, level: int) -> None:
    before, passes = dump(store), list_passes(store.connection)
    assert [record["kind"] for record in passes] == ["import", "dream", "edit", "undo", "undo", "dream"]
    for record in passes:
        report = replay(store, record["id"], level=level)
        assert report.same, report
        assert (report.hash_then, report.hash_now) == (record["hash_after"], record["hash_after"])
    assert dump(store) == before and list_passes(store.connection) == passes


def test_a_rule_that_has_changed_since_shows_as_a_difference(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph of today: a fact may no longer be made in that way, so level 2 names the mutation; level 1 as well,
    because the log cannot be applied as it was."""
    from dataclasses import replace

    from graphdream.mutations import registry
    from graphdream.mutations.outcome import skip

    def refused(mutation: object, applying: object) -> None:
        raise skip("authority", "not any more")

    changed = replace(registry.op_named("create_attribute"), handler=refused)
    monkeypatch.setitem(registry._registered, "create_attribute", changed)
    for level in (1, 2):
        report = replay(store, 6, level=level)
        assert not report.same_hash and not report.same
        [difference] = report.differences
        assert (difference.position, difference.op) == (0, "create_attribute")
        assert difference.was.startswith("applied/ok") and difference.now == "skipped/authority: not any more"


def test_what_the_moment_decided_is_not_judged_again(store: Store) -> None:
    """A stale mutation was proposed on an older graph, an over-cap one met a full budget: the log stands for both."""
    edit(store, [model.RetypeEntity(entity="e4", type="dog")], clock=clock)
    outcomes = apply(
        store,
        [{"op": "rename_entity", "entity": "e4", "name": "Rex"}, {"op": "delete_attribute", "content": "a7"}, MADE],
        seen_version=6, archive_cap=0,
    )  # fmt: skip
    assert [outcome.code for outcome in outcomes][:2] == ["stale", "over_cap"]
    assert replay(store, 8, level=2).same


def test_an_answer_of_the_local_dreamer_is_not_held_to_the_schema_of_models(store: Store) -> None:
    """It may say that dates stand apart, which no model may; replayed at level 2 those mutations were `invalid`."""
    from graphdream.dreamers.base import Thought
    from graphdream.dreamers.local import LocalDreamer
    from graphdream.mutations.applier import Proposal

    class Local(Scripted):
        name = LocalDreamer.name

        def think(self, gathered: object) -> Thought:
            facts = ("likes plum tea as of 2025-05-01", "likes plum tea")
            ids = [
                store.connection.execute("SELECT id FROM attribute WHERE content = ?", (fact,)).fetchone()[0]
                for fact in facts
            ]
            merge = model.MergeAttributes(source=(f"a{ids[0]}",), target=f"a{ids[1]}", apart=("05-01",))
            return Thought([Proposal.of(merge)])

    assert LocalDreamer.name == OWN_DREAMER
    apply(store, [entity("Flo", general=["likes plum tea", "likes plum tea as of 2025-05-01"])])
    report = dream(store, Local(), PassOptions(mode="compact"), clock=clock)
    assert [outcome.code for outcome in report.outcomes] == ["ok"]
    assert report.pass_id is not None and replay(store, report.pass_id, level=2).same


def test_what_cannot_be_replayed_is_said(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no pass 99"):
        replay(store, 99)
    with pytest.raises(UsageError, match="level 3"):
        replay(store, 1, level=3)
    with pytest.raises(RuntimeError):
        dream(store, Failing(), PassOptions(mode="compact"), clock=clock)
    with pytest.raises(UsageError, match="was failed"):
        replay(store, 7)
