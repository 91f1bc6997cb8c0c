"""Where dreaming is switched off, one tier is left: facts from sessions, without a model, and nothing else is done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream import Graph
from graphdream.interfaces.cli import main
from tests.support.graphs import apply, clock, entity, facts_of
from tests.support.models import ScriptedClient, said


@pytest.fixture
def graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """Dreaming is off, with a model configured; Ada is there twice, with a fact that is there twice."""
    monkeypatch.setenv("GRAPHDREAM_DREAMING__ENABLED", "false")
    monkeypatch.setenv("GRAPHDREAM_DREAMING__MODEL", "openai/gpt-4o-mini")
    with graphdream.open(tmp_path / "memory.db", clock=clock) as graph:
        ada = entity(
            "Ada Lovelace", "person", general=["Ada Lovelace lives in London", "Ada Lovelace lives in London."]
        )
        apply(graph.store, [ada], actor="host")
        yield graph


def test_sessions_become_facts_and_the_rest_of_the_graph_stays(graph: Graph) -> None:
    """It said that no pass is due, and no fact ever came of a session."""
    assert not graph.dream_due(), "there is nothing to read"
    graph.record_session("s1", summary="Ngozi Eze lives in Lagos.")
    before = facts_of(graph.store, "Ada Lovelace")
    assert graph.dream_due() and graph.status().due is None
    report = graph.dream(trigger="if-due")
    assert (report.status, report.mode) == ("applied", "incremental") and report.pass_id is not None
    assert graph.pass_record(report.pass_id).model == ""
    assert any("Lagos" in fact for fact in facts_of(graph.store, "Ngozi Eze"))
    assert facts_of(graph.store, "Ada Lovelace") == before
    assert not graph.dream_due() and graph.replay(report.pass_id).same and graph.verify().ok


def test_dreaming_that_is_switched_on_again_looks_at_all_that_was_left(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.record_session("s1", summary="Ngozi Eze lives in Lagos.")
    graph.dream(trigger="if-due")
    monkeypatch.delenv("GRAPHDREAM_DREAMING__ENABLED")
    monkeypatch.delenv("GRAPHDREAM_DREAMING__MODEL")
    graph.dream(compact=False, trigger="if-due")
    assert facts_of(graph.store, "Ada Lovelace") == {"Ada Lovelace lives in London"}


def test_who_asks_by_hand_gets_a_whole_dream(graph: Graph) -> None:
    graph.record_session("s1", summary="Ngozi Eze lives in Lagos.")
    graph.dream()
    assert len(facts_of(graph.store, "Ada Lovelace")) == 1
    client = ScriptedClient([said()])
    graph.record_session("s2", summary="Ngozi Eze likes tea.")
    graph.dream(client=client, trigger="nightly")
    assert len(client.sent) == 1, "who brings a model along means it"


def test_with_dreaming_on_nobody_else_writes(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHDREAM_DREAMING__MODEL")
    monkeypatch.setenv("GRAPHDREAM_DREAMING__ENABLED", "true")
    graph.record_session("s1", summary="Ngozi Eze lives in Lagos.")
    assert graph.dream_due() and graph.status().due is not None
    graph.dream(trigger="if-due")
    assert len(facts_of(graph.store, "Ada Lovelace")) == 1


def test_the_command_that_hooks_start_reads_what_was_recorded(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--db", str(graph.store.path)]
    assert main(["record", "--session", "s1", "--summary", "Ngozi Eze lives in Lagos.", *where]) == 0
    assert main(["dream", "--if-due", *where]) == 0
    assert any("Lagos" in fact for fact in facts_of(graph.store, "Ngozi Eze"))
    capsys.readouterr()
    assert main(["dream", "--if-due", *where]) == 0
    assert "no pass is due" in capsys.readouterr().out
