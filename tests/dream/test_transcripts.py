"""A transcript that nobody summed up: it makes a pass due, what people said in it is read, and it is read once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream.dream.replay import replay
from graphdream.dream.trigger import DreamingSettings, gates
from graphdream.events.counter import backlog
from tests.support.graphs import NOW, facts_of

TALK = [
    {"id": "t1", "role": "user", "content": "Tobiah Wren runs the night shift. Can you note that?"},
    {"id": "t2", "role": "assistant", "content": "Philippa Sorrel runs nothing, as far as I know."},
    {"id": "t3", "role": "user", "content": "thanks"},
]


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    """An empty memory with a clock that stands still."""
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        yield graph


def test_a_transcript_alone_makes_a_pass_due(graph: graphdream.Graph) -> None:
    assert not graph.dream_due()
    graph.record_session("s1", transcript=TALK)
    assert (backlog(graph.store).sessions, backlog(graph.store).oldest) == (1, NOW)
    assert graph.dream_due()
    graph.dream()
    assert backlog(graph.store).sessions == 0
    assert not graph.dream_due()


def test_after_the_first_pass_it_is_due_when_it_has_waited_long_enough(graph: graphdream.Graph) -> None:
    graph.record_session("s0", summary="Nothing happened.")
    graph.dream()
    graph.record_session("s1", transcript=TALK)
    due = gates(graph.store, DreamingSettings(), "2026-01-01T07:00:00Z").due
    assert due is not None and due.trigger == "interval"


def test_what_people_said_is_read_and_what_the_machine_said_is_not(graph: graphdream.Graph) -> None:
    graph.record_session("s1", transcript=TALK)
    graph.dream()
    assert [row[0] for row in graph.store.connection.execute("SELECT name FROM entity")] == ["Tobiah Wren"]
    assert facts_of(graph.store, "Tobiah Wren") == {"Tobiah Wren runs the night shift."}
    evidence = graph.store.connection.execute("SELECT session_key, turn_uid, quote FROM evidence").fetchall()
    assert [tuple(row) for row in evidence] == [("s1", "t1", "Tobiah Wren runs the night shift.")]


def test_what_the_assistant_alone_said_makes_nothing_due(graph: graphdream.Graph) -> None:
    graph.record_session("s1", transcript=TALK[1:2])
    assert backlog(graph.store).sessions == 0


def test_a_transcript_with_a_summary_is_read_by_its_summary(graph: graphdream.Graph) -> None:
    graph.record_session("s1", summary="Ximena Arrow fixed the lift.", transcript=TALK)
    graph.dream()
    assert [row[0] for row in graph.store.connection.execute("SELECT name FROM entity")] == ["Ximena Arrow"]


def test_what_a_later_summary_of_the_host_says_otherwise_is_no_contradiction(graph: graphdream.Graph) -> None:
    """Both summaries that the host had written were read, and the older one stood against the newer."""
    rows = [
        {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": f"Ximena Arrow lives in {place}."}}
        for place in ("Bergen", "Stavanger")
    ]  # fmt: skip
    assert graph.record_session("s1", transcript=rows).summaries == 1
    graph.dream()
    assert facts_of(graph.store, "Ximena Arrow") == {"Ximena Arrow lives in Stavanger."}
    assert graph.store.connection.execute("SELECT count(*) FROM contradiction").fetchone()[0] == 0


def test_a_talk_that_goes_on_is_read_on(graph: graphdream.Graph) -> None:
    graph.record_session("s1", transcript=TALK)
    graph.dream()
    more = {"id": "t4", "role": "user", "content": "Tobiah Wren owns a canoe."}
    graph.record_session("s1", transcript=[*TALK, more])
    assert backlog(graph.store).sessions == 1
    graph.dream()
    assert facts_of(graph.store, "Tobiah Wren") == {"Tobiah Wren runs the night shift.", "Tobiah Wren owns a canoe."}
    counts = graph.store.connection.execute("SELECT reinforcement FROM attribute").fetchall()
    assert [row[0] for row in counts] == [1, 1]
    assert graph.dream().status == "nothing"


def test_undo_makes_it_unread_and_undoing_the_undo_read_again(graph: graphdream.Graph) -> None:
    graph.record_session("s1", transcript=TALK)
    done = graph.dream()
    assert done.pass_id is not None
    undone = graph.undo(done.pass_id)
    assert backlog(graph.store).sessions == 1
    graph.undo(undone.pass_id)
    assert backlog(graph.store).sessions == 0


def test_a_pass_over_a_transcript_is_replayed(graph: graphdream.Graph) -> None:
    graph.record_session("s1", transcript=TALK)
    done = graph.dream()
    assert done.pass_id is not None
    assert replay(graph.store, done.pass_id, level=2).same


def test_two_sessions_that_say_the_same_are_one_fact_seen_twice(graph: graphdream.Graph) -> None:
    graph.record_session("s1", transcript=TALK)
    graph.dream()
    graph.record_session("s2", transcript=TALK)
    graph.dream()
    rows = graph.store.connection.execute("SELECT content, reinforcement FROM attribute").fetchall()
    assert [tuple(row) for row in rows] == [("Tobiah Wren runs the night shift.", 2)]
