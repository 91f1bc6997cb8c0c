"""One merge is taken back: the old row under its old handle, with what was its own, and nothing else moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.errors import ConflictError, NotFoundError, UsageError
from graphdream.interfaces.cli import main
from graphdream.journal.mergerecord import live_merge_record
from graphdream.journal.passes import current_hash
from tests.support.graphs import NOW, apply, dump, entity, facts_of

MERGE = {"op": "merge_entities", "source": ["e2"], "target": "e1"}
BOTH = {"op": "merge_entities", "source": ["e2", "e3"], "target": "e1"}


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    """Ada Lovelace (e1), A. Lovelace (e2), Ada King (e3), Charles Babbage (e4), linked and with facts in common."""
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        fact = {"op": "create_attribute", "session": "s1", "tags": ["verse"], "importance": 0.9, "confidence": 0.95}
        link = {"op": "link", "type": "wrote_to", "target": "e4"}
        apply(
            graph.store,
            [
                entity("Ada Lovelace", general=["lives in London", "wrote the first program"]),
                entity("A. Lovelace", "poet", general=["lives in London"], work=["translated Menabrea's paper"]),
                entity("Ada King", general=["lives in London", "keeps bees in Surrey"]),
                entity("Charles Babbage", general=["builds engines"]),
                {**fact, "entity": "e2", "aspect": "general", "content": "plays the harp", "known_at": "1830-01-01"},
                {**fact, "entity": "e2", "aspect": "general", "content": "wrote the first program", "turns": ["t1"]},
                {"op": "add_alias", "entity": "e2", "name": "A. A. L."},
                {"op": "mark_distinct", "first": "e2", "second": "e4", "reason": "another person"},
                *({**link, "source": source, "strength": 0.5 + number / 10}
                  for number, source in enumerate(("e1", "e2", "e3"))),
                {**link, "source": "e2", "target": "e1"},
                {**link, "source": "e4", "target": "e2", "type": "taught"},
            ],
            actor="host",
        )  # fmt: skip
        yield graph


def state(graph: graphdream.Graph) -> dict[str, list[tuple[Any, ...]]]:
    return dump(graph.store)


def statuses(graph: graphdream.Graph) -> list[str]:
    return [row[0] for row in graph.store.connection.execute("SELECT status FROM entity ORDER BY id")]


@pytest.mark.parametrize("source", ["e1", "e2", "e3"])
@pytest.mark.parametrize("target", ["e1", "e2", "e3"])
def test_where_a_pass_made_one_merge_to_unmerge_is_to_undo(graph: graphdream.Graph, source: str, target: str) -> None:
    if source == target:
        return
    before, sealed = state(graph), current_hash(graph.store.connection)
    apply(graph.store, [{"op": "merge_entities", "source": [source], "target": target}])
    merged = state(graph)
    report = graph.unmerge(source)
    assert (report.entity, report.from_entity) == (source, target)
    assert state(graph) == before and current_hash(graph.store.connection) == sealed
    assert graph.verify().ok
    graph.undo(report.pass_id)
    assert state(graph) == merged


def test_of_several_merged_at_once_one_comes_back_and_the_others_stay(graph: graphdream.Graph) -> None:
    apply(graph.store, [BOTH])
    report = graph.unmerge("e2")
    assert statuses(graph) == ["active", "active", "absorbed", "active"]
    assert report.facts == 4
    assert facts_of(graph.store, "A. Lovelace") == {
        "lives in London", "translated Menabrea's paper", "plays the harp", "wrote the first program",
    }  # fmt: skip
    assert facts_of(graph.store, "Ada Lovelace") == {
        "lives in London", "wrote the first program", "keeps bees in Surrey",
    }  # fmt: skip
    seen = graph.store.connection.execute("SELECT reinforcement FROM attribute WHERE id = 1").fetchone()[0]
    assert seen == 2, "its own sighting and that of Ada King"
    names = graph.store.connection.execute("SELECT name FROM alias WHERE entity_id = 1").fetchall()
    assert [row[0] for row in names] == ["Ada King"]
    graph.unmerge("e3")
    assert graph.verify().ok
    assert facts_of(graph.store, "Ada King") == {"lives in London", "keeps bees in Surrey"}


def test_both_unmerged_in_either_order_give_the_graph_before(graph: graphdream.Graph) -> None:
    before = state(graph)
    for order in (("e2", "e3"), ("e3", "e2")):
        apply(graph.store, [BOTH])
        for name in order:
            graph.unmerge(name)
        assert state(graph) == before


def test_one_merged_by_way_of_another_comes_out_of_both(graph: graphdream.Graph) -> None:
    apply(graph.store, [MERGE])
    apply(graph.store, [{"op": "merge_entities", "source": ["e1"], "target": "e3"}])
    report = graph.unmerge("e2")
    assert report.from_entity == "e3"
    assert statuses(graph) == ["absorbed", "active", "active", "active"]
    names = graph.store.connection.execute("SELECT name FROM alias WHERE entity_id = 3").fetchall()
    assert [row[0] for row in names] == ["Ada Lovelace"]
    assert graph.verify().ok


def test_what_the_same_pass_had_merged_into_it_stays_behind(graph: graphdream.Graph) -> None:
    before = state(graph)
    apply(graph.store, [{**MERGE, "source": ["e3"], "target": "e2"}, MERGE])
    graph.unmerge("e2")
    assert statuses(graph) == ["active", "active", "absorbed", "active"]
    assert facts_of(graph.store, "Ada Lovelace") >= {"keeps bees in Surrey"}
    assert "keeps bees in Surrey" not in facts_of(graph.store, "A. Lovelace")
    graph.unmerge("e3")
    assert statuses(graph) == ["active"] * 4
    assert {row[:6] for row in state(graph)["entity"]} == {row[:6] for row in before["entity"]}
    assert graph.verify().ok


def test_what_came_since_stays_and_what_gave_way_stands_again(graph: graphdream.Graph) -> None:
    apply(graph.store, [MERGE])
    apply(
        graph.store,
        [
            {"op": "create_attribute", "entity": "e1", "aspect": "general", "content": "likes oranges"},
            {"op": "supersede_attribute", "old": "a4", "new": "a2", "slot": "work"},
        ],
    )
    apply(graph.store, [{"op": "merge_attributes", "source": ["a2"], "target": "a8",
                         "content": "plays the harp and wrote the first program"}])  # fmt: skip
    graph.unmerge("e2")
    assert "translated Menabrea's paper" in facts_of(graph.store, "A. Lovelace")
    assert facts_of(graph.store, "Ada Lovelace") == {"lives in London", "wrote the first program", "likes oranges"}
    assert graph.verify().ok


def test_it_is_held_and_judged_only_where_somebody_says_so(graph: graphdream.Graph) -> None:
    apply(graph.store, [BOTH])
    report = graph.unmerge("e2")
    assert report.rejected == ()
    record = live_merge_record(graph.store.connection)
    assert (record.merges, record.rejected) == (1, 0)
    graph.undo(report.pass_id)
    report = graph.unmerge("e2", wrong=True)
    assert {(pair.first_id, pair.second_id) for pair in report.rejected} == {(1, 2), (2, 3)}
    record = live_merge_record(graph.store.connection)
    assert (record.merges, record.rejected) == (2, 1)
    assert graph.verify().ok


def test_a_merge_into_an_entity_that_the_same_pass_made_is_judged_too(graph: graphdream.Graph) -> None:
    """Seen: `unmerge --wrong` said that the entity was not merged there."""
    apply(graph.store, [entity("Ada Byron"), {"op": "merge_entities", "source": ["e2"], "target": "e5"}])
    report = graph.unmerge("e2", wrong=True)
    assert [(pair.first_id, pair.second_id) for pair in report.rejected] == [(2, 5)]
    assert statuses(graph)[1] == "active" and graph.verify().ok


def test_what_was_not_merged_is_refused(graph: graphdream.Graph) -> None:
    for reference, error in (
        ("e1", ConflictError),
        ("e99", NotFoundError),
        ("Ada King", UsageError),
        ("a1", UsageError),
    ):
        with pytest.raises(error):
            graph.unmerge(reference)
    apply(graph.store, [entity("Ada B.", general=["is new"]), {**MERGE, "source": ["Ada B."]}])
    with pytest.raises(ConflictError) as refused:
        graph.unmerge("e5")
    assert refused.value.hint == "graphdream undo 2"
    apply(graph.store, [MERGE])
    apply(graph.store, [{"op": "delete_entity", "name": "e1"}])
    with pytest.raises(ConflictError) as refused:
        graph.unmerge("e2")
    assert refused.value.hint == "graphdream restore e1"


def test_at_the_command_line(graph: graphdream.Graph, capsys: pytest.CaptureFixture[str]) -> None:
    apply(graph.store, [BOTH])
    where = ["--db", str(graph.store.path)]
    assert main(["unmerge", "e2", *where]) == 0
    told = capsys.readouterr().out
    assert "e2 ('A. Lovelace') is back with 4 facts, out of e1; pass 2 had merged them" in told and "--again" in told
    assert main(["undo", "3", *where]) == 0
    assert main(["unmerge", "e2", "--wrong", *where]) == 0
    assert "not the same: 2 pairs" in capsys.readouterr().out
    assert main(["verify", *where]) == 0


def test_every_merge_of_a_compaction_can_be_taken_back_alone(tmp_path: Path, fixtures: Path) -> None:
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        graph.import_graph(fixtures / "small.jsonl.gz")
        compaction = graph.dream(compact=True, loss_cap=1.0)
        absorbed = [row[0] for row in graph.store.connection.execute(
            "SELECT id FROM entity WHERE status = 'absorbed' ORDER BY id"
        )]  # fmt: skip
        first = live_merge_record(graph.store.connection).merges
        for number in absorbed[::6]:
            graph.unmerge(f"e{number}")
        assert live_merge_record(graph.store.connection).merges == first - len(absorbed[::6])
        assert graph.verify().ok
        again = graph.dream(compact=True, loss_cap=1.0)
        back = {f"e{number}" for number in absorbed[::6]}
        merged = {
            name
            for proposal, outcome in zip(again.proposals, again.outcomes, strict=True)
            if outcome.status == "applied" and proposal.body["op"] == "merge_entities"
            for name in proposal.body["source"]
        }
        targets = {
            (name, proposal.body["target"])
            for proposal in compaction.proposals
            if proposal.body["op"] == "merge_entities"
            for name in proposal.body["source"]
        }
        assert not {(name, target) for name, target in targets if name in back & merged and target in merged}
        assert graph.dream(compact=True, loss_cap=1.0).status == "nothing"
