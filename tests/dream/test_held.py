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
from tests.support.attacks import shell
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


# ---------------------------------------------------------------------- rejected in a plan


def rejected(graph: graphdream.Graph, *mutations: model.Mutation) -> int:
    """Put mutations into a plan and reject it; returns the pass that says so."""
    planned = graph.dream(compact=True, dreamer=Insisting(*mutations), loss_cap=1.0, review=True)
    assert planned.status == "planned" and planned.pass_id is not None
    decision = graph.reject(planned.pass_id)
    assert decision.pass_id is None and decision.rejected_by is not None
    assert {item.decided_by for item in graph.plan(planned.pass_id)} == {decision.rejected_by}
    return decision.rejected_by


_ACTIVE = "SELECT 'e' || id FROM entity WHERE status = 'active'"
OTHERS = {name: mutation for name, mutation in EACH.items() if name != "merge"}


@pytest.mark.parametrize("mutation", OTHERS.values(), ids=OTHERS.keys())
def test_what_was_rejected_in_a_plan_is_held_as_if_it_were_taken_back(
    graph: graphdream.Graph, mutation: model.Mutation
) -> None:
    """The next dream did it."""
    rejected(graph, mutation)
    for _ in range(2):
        report = done(graph, mutation)
        assert (report.status, report.pass_id) == ("nothing", None)
        assert report.held.startswith("1 change rejected by a person, left alone"), "nobody had taken anything back"
    report = done(graph, mutation, again=True)
    assert (report.status, report.counts["applied"], report.held) == ("applied", 1, "")
    assert graph.verify().ok


def test_what_was_rejected_is_told_beside_what_was_taken_back(graph: graphdream.Graph) -> None:
    """All of it was said to have been taken back."""
    taken_back(graph, EACH["moved"])
    rejected(graph, EACH["duplicate"], EACH["renamed"])
    report = done(graph, EACH["moved"], EACH["duplicate"], EACH["renamed"])
    assert report.held.startswith("1 change taken back and 2 changes rejected by a person, left alone; ")


def test_a_merge_rejected_in_a_plan_is_a_verdict_that_its_entities_are_distinct(graph: graphdream.Graph) -> None:
    judge = rejected(graph, ALL)
    pairs = graph.store.connection.execute("SELECT first_id, second_id FROM distinct_pair ORDER BY 1, 2").fetchall()
    assert [tuple(pair) for pair in pairs] == [(1, 2), (1, 3), (2, 3)]
    assert done(graph, ALL).status == "nothing"
    for source, target in (("e1", "e2"), ("e2", "e3"), ("e3", "e1")):
        report = done(graph, model.MergeEntities(source=(source,), target=target), again=True)
        assert [outcome.code for outcome in report.outcomes] == ["distinct"], "a verdict holds where all is done anew"
    assert graph.pass_record(judge).kind == "edit" and graph.replay(judge).same and graph.verify().ok


def test_a_rejection_that_is_undone_is_no_verdict_and_holds_nothing(graph: graphdream.Graph) -> None:
    before = graph.store.graph_hash
    judge = rejected(graph, ALL, EACH["archived fact"])
    assert graph.merge_record().rejected == 2
    graph.undo(judge)
    assert graph.store.graph_hash == before and graph.merge_record().rejected == 0
    report = done(graph, ALL, EACH["archived fact"])
    assert [outcome.code for outcome in report.outcomes] == ["ok", "ok"] and graph.verify().ok


def test_entities_that_were_told_apart_stay_apart_when_one_of_them_was_merged_since(graph: graphdream.Graph) -> None:
    planned = graph.dream(compact=True, dreamer=Insisting(ALL), loss_cap=1.0, review=True).pass_id
    assert planned is not None
    graph.edit(model.MergeEntities(source=("e2",), target="e4"))
    graph.reject(planned)
    pairs = graph.store.connection.execute("SELECT first_id, second_id FROM distinct_pair ORDER BY 1, 2").fetchall()
    assert [tuple(pair) for pair in pairs] == [(1, 3), (1, 4), (3, 4)]


def test_new_evidence_reopens_what_was_rejected_but_no_verdict(graph: graphdream.Graph) -> None:
    rejected(graph, EACH["superseded by text"], ALL)
    graph.edit(
        model.MergeAttributes(source=("a6",), target="a7", content="the kettle is broken, and then we mended it")
    )
    graph.edit(NEWS["a fact"])
    report = done(graph, EACH["superseded by text"], ALL)
    assert [outcome.code for outcome in report.outcomes] == ["ok", "distinct"]


def test_what_was_rejected_before_a_pass_told_of_it_is_held_too(graph: graphdream.Graph) -> None:
    judge = rejected(graph, ALL, EACH["archived fact"])
    graph.undo(judge)
    with graph.store.writing():
        graph.store.connection.execute("UPDATE planned SET decided_by = NULL")
    assert done(graph, ALL, EACH["archived fact"]).status == "nothing"


def test_a_plan_whose_rejections_are_not_as_they_were_sealed_stops_a_pass(graph: graphdream.Graph) -> None:
    """Else somebody could have what no person rejected left alone for ever."""
    planned = graph.dream(compact=True, dreamer=Insisting(EACH["archived fact"]), loss_cap=1.0, review=True).pass_id
    with shell(graph.store.path) as connection:
        connection.execute("UPDATE planned SET verdict = 'rejected'")
    with pytest.raises(graphdream.IntegrityError, match=f"plan {planned} is not the one that was made|planned"):
        done(graph, EACH["archived fact"])


def test_what_the_command_rejects_is_neither_merged_nor_asked_about_by_the_next_dream(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`plan reject` and then `dream --compact` merged what had been rejected."""
    memory = str(tmp_path / "memory.db")
    where = ["--db", memory]
    with graphdream.open(memory, clock=lambda: NOW) as graph:
        facts = ("owns the billing service", "works at Norrland Data", "speaks Igbo and Swedish")
        for name in ("Wilhelmina Okafor", "Okafor, Wilhelmina"):
            graph.edit(entity(name, "person", general=[f"Wilhelmina Okafor {fact}" for fact in facts]))
    assert main(["dream", "--compact", "--review", *where]) == 0
    with graphdream.open(memory) as graph:
        plan = graph.plans()[-1].id
        assert "merge_entities" in {item.op for item in graph.plan(plan)}
    capsys.readouterr()
    assert main(["plan", "reject", str(plan), *where]) == 0
    told = capsys.readouterr().out
    assert f"rejected in plan {plan}" in told and f"graphdream undo {plan + 1}" in told
    assert main(["dream", "--compact", *where]) == 0
    with graphdream.open(memory) as graph:
        assert {row[0] for row in graph.store.connection.execute(_ACTIVE)} == {"e1", "e2"}
        graph.undo(plan + 1)
        graph.dream(compact=True)
        assert len(graph.store.connection.execute(_ACTIVE).fetchall()) == 1, "what is undone is no verdict any more"
