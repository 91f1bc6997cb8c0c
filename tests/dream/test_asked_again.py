"""Replay at level 3: a past pass dreamed again on the input it had, with its recorded answers or another model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream import Graph
from graphdream.errors import UsageError
from graphdream.mutations import model
from tests.support.graphs import clock, dump
from tests.support.models import ScriptedClient, said

TEA = {"op": "create_attribute", "entity": "e1", "aspect": "likes", "content": "Ada likes green tea", "session": "s1"}
RAIN = {"op": "create_attribute", "entity": "e1", "aspect": "likes", "content": "Ada dislikes rain", "session": "s1"}


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """Pass 1 makes Ada, pass 2 is a dream with a model on session s1, and then more happens."""
    with graphdream.open(tmp_path / "memory.db", clock=clock) as graph:
        graph.edit(model.CreateEntity(name="Ada", type="person"))
        graph.record_session("s1", summary="Ada came. Ada likes green tea and dislikes rain.")
        assert graph.dream(compact=False, client=ScriptedClient([said(TEA)])).pass_id == 2
        graph.edit(model.CreateEntity(name="Bo"), model.RenameEntity(entity="e1", name="Ada Lovelace"))
        graph.record_session("s2", summary="Bo plays chess on Fridays.")
        yield graph


def ops(plan: Any) -> list[str]:
    return [one.body["content"] for one in plan]


def test_recorded_answers_give_the_same_plan(graph: Graph) -> None:
    found = graph.ask_again(2)
    assert found.same and ops(found.both) == ["Ada likes green tea"]
    assert (found.model_then, found.model_now, found.tokens) == ("scripted/model", "recorded", 0)


def test_another_model_is_asked_word_for_word_the_same(graph: Graph) -> None:
    before, passes = dump(graph.store), len(graph.passes())
    other = ScriptedClient([said({**TEA, "reason": "said so"}, RAIN)])
    found = graph.ask_again(2, client=other)
    assert found.same_input is True and "s2" not in other.prompt() and "Bo" not in other.prompt()
    assert (ops(found.both), ops(found.only_then), ops(found.only_now)) == (
        ["Ada likes green tea"], [], ["Ada dislikes rain"]
    )  # fmt: skip
    assert dump(graph.store) == before and len(graph.passes()) == passes and graph.verify().ok
    whats = [row[0] for row in graph.store.connection.execute("SELECT what FROM exchange ORDER BY id")]
    assert whats == ["1 session", "replay of pass 2: 1 session"]


def test_levels_1_and_2_hold_for_a_pass_of_a_model(graph: Graph) -> None:
    assert graph.replay(2).same and graph.replay(2, level=2).same


def test_what_was_no_dream_cannot_be_dreamed_again(graph: Graph) -> None:
    with pytest.raises(UsageError, match="no applied dream"):
        graph.ask_again(1)


def test_the_first_pass_of_a_file_is_dreamed_again_without_what_came_later(tmp_path: Path) -> None:
    """It ended in sqlite's IntegrityError: what came later was marked as read by pass 1, which was not there yet."""
    with graphdream.open(tmp_path / "memory.db", clock=clock) as graph:
        graph.record_session("s1", summary="Ada Byron lives in Oslo. Ada Byron likes green tea.")
        assert graph.dream().pass_id == 1
        said_later = [{"role": "user", "content": "Bo never wins at chess."}]
        graph.record_session("s2", summary="Bo Hart plays chess.", observations=["Bo is late."], transcript=said_later)
        found = graph.ask_again(1)
        assert found.same and found.both and not [one for one in found.both if "Bo" in one.key]
        assert graph.status().backlog.sessions == 1 and graph.verify().ok
