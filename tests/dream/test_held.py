"""What was taken back is held: left alone without being judged, until it is asked for or something new is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.dreamers.base import Judged, Thought
from graphdream.dreamers.gathered import Gathered
from graphdream.interfaces.cli import main
from graphdream.journal.mergerecord import live_merge_record
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal
from tests.support.graphs import NOW, apply, entity, facts_of


class Insisting:
    """A dreamer who proposes the same whenever it is asked, and is sure that what it archives says nothing."""

    name = "scripted"

    def __init__(self, *mutations: model.Mutation) -> None:
        self.proposals = [Proposal.of(mutation) for mutation in mutations]

    def read(self, gathered: Gathered) -> Thought:
        return Thought(())

    def think(self, gathered: Gathered) -> Thought:
        return Thought(self.proposals, judged=Judged(frozenset(range(100))))


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    """Ada Lovelace (e1), A. Lovelace (e2) and Ada King (e3), one of whom is somebody else, and a note (e4)."""
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        apply(
            graph.store,
            [
                entity("Ada Lovelace", general=["wrote the first program", "lives in London"]),
                entity("A. Lovelace", general=["translated Menabrea's paper", "lives in London"]),
                entity("Ada King", general=["keeps bees in Surrey"]),
                entity("notes", "folder", scraps=["and then we", "the kettle is broken"]),
            ],
            actor="host",
        )
        yield graph


ALL = model.MergeEntities(source=("e2", "e3"), target="e1")


def done(graph: graphdream.Graph, *mutations: model.Mutation, again: bool = False) -> Any:
    return graph.dream(compact=True, dreamer=Insisting(*mutations), loss_cap=1.0, again=again)


def taken_back(graph: graphdream.Graph, *mutations: model.Mutation, **how: Any) -> Any:
    report = done(graph, *mutations)
    assert report.status == "applied" and report.counts["applied"] == len(mutations), report.outcomes
    return graph.undo(report.pass_id, **how)


EACH = {
    "merge": ALL,
    "archived fact": model.DeleteAttribute(content="a6", reason="junk"),
    "archived entity": model.DeleteEntity(name="notes"),
    "duplicate": model.MergeAttributes(source=("a6",), target="a7", content="and then we; the kettle is broken"),
    "superseded": model.SupersedeAttribute(old="a7", new="a6"),
    "superseded by text": model.SupersedeAttribute(old="a7", new="the kettle is mended"),
    "moved": model.MoveAttribute(attribute="a5", aspect="hobbies"),
    "renamed": model.RenameEntity(entity="e4", name="scrapbook"),
    "added": model.CreateAttribute(entity="e3", content="sells honey"),
}


@pytest.mark.parametrize("mutation", EACH.values(), ids=EACH.keys())
def test_what_was_taken_back_is_left_alone_and_done_again_when_asked(
    graph: graphdream.Graph, mutation: model.Mutation
) -> None:
    taken_back(graph, mutation)
    for _ in range(2):
        report = done(graph, mutation)
        assert (report.status, report.pass_id) == ("nothing", None)
        assert report.held.startswith("1 change taken back by a person, left alone; graphdream dream --again")
    report = done(graph, mutation, again=True)
    assert (report.status, report.counts["applied"], report.held) == ("applied", 1, "")
    assert graph.verify().ok


def test_an_undo_that_is_undone_holds_nothing(graph: graphdream.Graph) -> None:
    undone = taken_back(graph, EACH["archived fact"])
    graph.undo(undone.pass_id)
    assert facts_of(graph.store, "notes") == {"the kettle is broken"}
    report = done(graph, EACH["archived fact"], EACH["superseded by text"])
    assert ([outcome.code for outcome in report.outcomes], report.held) == (["not_active", "ok"], "")


def test_the_other_way_round_and_by_way_of_a_third_is_the_same_merge(graph: graphdream.Graph) -> None:
    taken_back(graph, ALL)
    for source, target in (("e1", "e2"), ("e2", "e3"), ("e3", "e2")):
        assert done(graph, model.MergeEntities(source=(source,), target=target)).status == "nothing"


def test_the_rest_of_a_proposal_is_done(graph: graphdream.Graph) -> None:
    taken_back(graph, model.MergeEntities(source=("e2",), target="e1"))
    report = done(graph, ALL)
    assert [outcome.message for outcome in report.outcomes] == ["e3 merged into e1"]
    assert "1 change" in report.held


NEWS: dict[str, model.Mutation] = {
    "a fact": model.CreateAttribute(entity="e2", content="signs as A. A. L."),
    "a name": model.AddAlias(entity="e2", name="Ada Augusta Lovelace"),
    "another name": model.RenameEntity(entity="e2", name="Ada A. Lovelace"),
    "a link": model.Link(source="e2", target="e4", type="wrote"),
    "another type": model.RetypeEntity(entity="e2", type="poet"),
}


@pytest.mark.parametrize("news", NEWS.values(), ids=NEWS.keys())
def test_new_evidence_reopens_a_merge(graph: graphdream.Graph, news: model.Mutation) -> None:
    taken_back(graph, ALL)
    graph.edit(news)
    report = done(graph, ALL)
    assert (report.status, report.counts["applied"]) == ("applied", 1)


def test_what_passes_do_to_the_rows_is_no_new_evidence(graph: graphdream.Graph) -> None:
    taken_back(graph, ALL)
    archived = model.DeleteAttribute(content="a3", reason="junk")
    assert done(graph, archived, model.MergeEntities(source=("e4",), target="e3")).counts["applied"] == 2
    assert done(graph, ALL).status == "nothing"


def test_a_fact_that_reads_otherwise_now_is_judged_anew(graph: graphdream.Graph) -> None:
    taken_back(graph, EACH["archived fact"])
    graph.edit(model.MergeAttributes(source=("a7",), target="a6", content="and then we found the kettle is broken"))
    assert done(graph, EACH["archived fact"]).held == ""


def test_proposals_about_rows_that_are_not_there_fail_alone(graph: graphdream.Graph) -> None:
    taken_back(graph, ALL)
    report = done(
        graph,
        model.MoveAttribute(attribute="a999", aspect="x"), model.DeleteAspect(entity="nobody", aspect="x"),
        model.MergeEntities(source=("nobody", "e99"), target="e98"), model.SupersedeAttribute(old="a999", new="a998"),
        model.DeleteAttribute(content="a999"), model.MergeLinks(source=("l9",), target="l8"), EACH["archived fact"],
    )  # fmt: skip
    assert [outcome.code for outcome in report.outcomes] == ["not_found"] * 6 + ["ok"]


def test_an_undo_judges_nothing(graph: graphdream.Graph) -> None:
    report = taken_back(graph, ALL)
    assert report.rejected == () and report.held
    assert graph.store.connection.execute("SELECT count(*) FROM rejection").fetchone()[0] == 0
    record = live_merge_record(graph.store.connection)
    assert (record.merges, record.rejected, record.rate) == (0, 0, None)


def test_what_is_judged_wrong_is_not_done_when_asked_again_either(graph: graphdream.Graph) -> None:
    report = taken_back(graph, ALL, wrong=["e3"])
    assert {(pair.first_id, pair.second_id) for pair in report.rejected} == {(1, 3), (2, 3)}
    record = live_merge_record(graph.store.connection)
    assert (record.merges, record.rejected) == (1, 1)
    [outcome] = done(graph, ALL, again=True).outcomes
    assert (outcome.status, outcome.code) == ("skipped", "distinct")
    assert done(graph, model.MergeEntities(source=("e3",), target="e2"), again=True).status == "nothing"
    assert done(graph, model.MergeEntities(source=("e2",), target="e1"), again=True).status == "applied"


@pytest.mark.parametrize(
    "split",
    [
        model.SplitEntity(entity="e1", name="Ada King of Surrey", attributes=("a5",)),
        model.SplitEntity(entity="Ada Lovelace", name="Beekeeper", aliases=("Ada King",)),
        model.SplitEntity(entity="e1", name="Ada King", attributes=("a5",)),
    ],
    ids=["by its facts", "by its alias", "by its name"],
)
def test_a_split_of_a_wrong_merge_is_a_verdict_on_all_its_pairs(
    graph: graphdream.Graph, split: model.SplitEntity
) -> None:
    merged = done(graph, ALL)
    number, _ = graph.edit(split)
    pairs = graph.store.connection.execute("SELECT merged_by, first_id, second_id FROM rejection ORDER BY id")
    assert [tuple(row) for row in pairs] == [(merged.pass_id, 1, 3), (merged.pass_id, 2, 3)]
    record = live_merge_record(graph.store.connection)
    assert (record.merges, record.rejected) == (2, 1)
    graph.undo(merged.pass_id, cascade=True)
    assert number is not None and graph.verify().ok


def test_a_split_of_a_fact_that_was_always_there_judges_no_merge(graph: graphdream.Graph) -> None:
    done(graph, ALL)
    graph.edit(model.SplitEntity(entity="e1", name="The first program", attributes=("a1",)))
    assert live_merge_record(graph.store.connection).rejected == 0


def test_a_restored_entity_is_archived_by_no_pass_that_starts_by_itself(graph: graphdream.Graph) -> None:
    apply(graph.store, [{"op": "create_entity", "name": "Scratchpad", "type": "folder"}], actor="host")
    gone = model.DeleteEntity(name="e5", reason="empty")
    assert done(graph, gone).status == "applied"
    graph.edit(model.Restore(row="e5"))
    assert done(graph, gone).status == "nothing"


def test_at_the_command_line(graph: graphdream.Graph, capsys: pytest.CaptureFixture[str]) -> None:
    """What the local dreamer finds by itself, in a memory somebody wrote by hand."""
    where = ["--db", str(graph.store.path)]
    assert main(["dream", "--compact", *where]) == 0
    number = str(graph.passes()[-1].id)
    gone = graph.store.connection.execute("SELECT id FROM attribute WHERE status <> 'active' ORDER BY id").fetchall()
    assert gone, "the compaction left the notes as they were"
    capsys.readouterr()
    assert main(["undo", number, *where]) == 0
    assert "held: no pass does that again by itself" in capsys.readouterr().out
    for words in (["dream"], ["dream", "--compact"], ["dream", "--compact", "--dry-run"]):
        assert main([*words, *where]) == 0
        told = capsys.readouterr().out.splitlines()
        assert told[0].startswith("nothing to do") and sum("held:" in line for line in told) == len(told) - 1 == 1
    assert main(["dream", "--compact", "--again", *where]) == 0
    assert capsys.readouterr().out.startswith("pass ")
    again = graph.store.connection.execute("SELECT id FROM attribute WHERE status <> 'active' ORDER BY id").fetchall()
    assert [row[0] for row in again] == [row[0] for row in gone]
    assert main(["status", *where]) == 0
    assert "judged wrong" not in capsys.readouterr().out


def test_status_tells_the_rate_of_judged_merges_with_its_interval(
    graph: graphdream.Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    report = done(graph, ALL)
    where = ["--db", str(graph.store.path)]
    assert main(["undo", str(report.pass_id), "--wrong", "e3", *where]) == 0
    done(graph, model.MergeEntities(source=("e2",), target="e1"), again=True)
    capsys.readouterr()
    assert main(["status", *where]) == 0
    assert (
        "2; 1 judged by a person, 1 of them wrong: 100.00% (95 % interval: 20.65% to 100.00%)"
        in capsys.readouterr().out
    )
    assert main(["same", "e1", "e2", *where]) == 0
    assert "merged e2 into e1: that this was right is on record now" in capsys.readouterr().out
    assert main(["status", *where]) == 0
    assert (
        "2; 2 judged by a person, 1 of them wrong: 50.00% (95 % interval: 9.45% to 90.55%)" in capsys.readouterr().out
    )
    assert facts_of(graph.store, "Ada King") == {"keeps bees in Surrey"}
