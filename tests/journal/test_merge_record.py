"""The live false-merge rate: of the merges that a person judged, how many were wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphdream
from graphdream.errors import GraphdreamError
from graphdream.intervals import wilson
from tests.support.attacks import shell
from tests.support.dreamers import Scripted

MERGE_ALL = [{"op": "merge_entities", "source": [f"e{number}"], "target": "e1"} for number in (2, 3, 4)]
PAIRS = [{"op": "merge_entities", "source": [f"e{number + 1}"], "target": f"e{number}"} for number in (1, 3)]


@pytest.fixture
def graph(tmp_path: Path):
    """Six entities, nothing merged."""
    with graphdream.open(tmp_path / "memory.db") as graph:
        graph.edit(*({"op": "create_entity", "name": name} for name in NAMES))
        yield graph


NAMES = ("Nerissa Quayle", "N. Quayle", "Quayle", "Harbour Gate", "Harbor Gate", "Tessa Lund")


def dreamed(graph: graphdream.Graph, bodies: list[dict[str, object]], *, review: bool = False) -> int:
    """A pass that proposes these; its id."""
    report = graph.dream(compact=True, dreamer=Scripted(*bodies), review=review)
    assert report.pass_id is not None, report
    return report.pass_id


def judged(graph: graphdream.Graph) -> tuple[int, int, int]:
    record = graph.merge_record()
    assert record.rate == (record.rejected / record.judged if record.judged else None)
    assert (record.low, record.high) == wilson(record.rejected, record.judged)
    return record.merges, record.judged, record.rejected


def test_a_merge_that_nobody_looked_at_counts_neither_way(graph: graphdream.Graph) -> None:
    """They counted as right: the more was merged unseen, the lower the rate."""
    dreamed(graph, MERGE_ALL)
    assert judged(graph) == (3, 0, 0)
    graph.unmerge("e4", wrong=True)
    assert judged(graph) == (3, 1, 1)


@pytest.mark.parametrize(("first", "second"), [("e1", "e2"), ("e2", "e1"), (NAMES[0], NAMES[1])])
def test_same_of_what_is_one_already_says_that_the_merge_was_right(
    graph: graphdream.Graph, first: str, second: str
) -> None:
    merged = dreamed(graph, MERGE_ALL)
    before = graph.store.graph_hash
    same = {"op": "merge_entities", "source": [second], "target": first}
    done = graph.edit(same)
    assert done.outcomes[0].message == f"pass {merged} merged e2 into e1: that this was right is on record now"
    assert judged(graph) == (3, 1, 0) and graph.store.graph_hash == before
    assert graph.edit(same).pass_id is None, "once is enough"
    assert done.pass_id is not None and graph.replay(done.pass_id).same and graph.verify().ok
    graph.undo(done.pass_id)
    assert judged(graph) == (3, 0, 0)


def test_the_last_verdict_on_a_merge_holds(graph: graphdream.Graph) -> None:
    dreamed(graph, MERGE_ALL)
    graph.edit(MERGE_ALL[0], MERGE_ALL[1])
    assert judged(graph) == (3, 2, 0)
    graph.unmerge("e2", wrong=True)
    assert judged(graph) == (3, 2, 1)
    graph.unmerge("e3")
    assert judged(graph) == (2, 1, 1), "what was taken back without a verdict says nothing any more"


def test_what_is_decided_in_a_plan_is_a_verdict(graph: graphdream.Graph) -> None:
    plan = dreamed(graph, PAIRS, review=True)
    assert judged(graph) == (0, 0, 0)
    approved = graph.approve(plan, [0]).pass_id
    graph.reject(plan, [1])
    assert judged(graph) == (1, 2, 1)
    assert approved is not None
    graph.undo(approved, wrong=["e2"])
    assert judged(graph) == (1, 2, 2)


def test_nobody_judges_a_merge_of_a_persons_own_or_as_an_agent(graph: graphdream.Graph) -> None:
    graph.edit({"op": "merge_entities", "source": ["e5"], "target": "e4"})
    assert graph.edit({"op": "merge_entities", "source": ["e5"], "target": "e4"}).pass_id is None
    dreamed(graph, MERGE_ALL[:1])
    assert graph.edit(MERGE_ALL[0], by="agent").pass_id is None
    assert judged(graph) == (1, 0, 0)
    with pytest.raises(GraphdreamError):
        graph.edit({"op": "merge_entities", "source": ["nobody"], "target": "e1"})


def test_a_pass_that_cannot_be_read_counts_for_nothing(graph: graphdream.Graph) -> None:
    dreamed(graph, MERGE_ALL)
    graph.edit(MERGE_ALL[0])
    with shell(graph.store.path) as connection:
        connection.execute("UPDATE pass SET inputs = 'no JSON', counts = '{' WHERE kind = 'edit'")
    assert judged(graph) == (3, 0, 0)
