"""A client that a program gives is held as one is that is made from a name: credentials, budget, record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import graphdream
from graphdream import Graph
from graphdream.dreamers.client.base import Reply, Usage
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.ledgered import LedgeredClient
from tests.support.graphs import clock
from tests.support.models import ScriptedClient, said

KEY = "sk-ant-api03-" + "x9Qf3LmT" * 12
TOLD = f"Ngozi Eze lives in Lagos. Her key is {KEY} for now."


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """A session and a turn with a credential in them, which the file keeps as they were told."""
    with graphdream.open(tmp_path / "memory.db", clock=clock) as graph:
        graph.edit({"op": "create_entity", "name": "Ngozi Eze", "type": "person"})
        graph.record_session("s1", summary=TOLD)
        graph.observe([{"kind": "turn", "session": "s1", "role": "user", "content": f"I am Ngozi Eze: {KEY}"}])
        yield graph


@pytest.mark.parametrize(
    "asks",
    [
        lambda graph, client: graph.dream(compact=False, client=client),
        lambda graph, client: graph.ask_again(
            graph.dream(compact=False, client=ScriptedClient([said()])).pass_id, client=client
        ),
        lambda graph, client: graph.cycle(client=client),
    ],
    ids=["dream", "ask_again", "cycle"],
)
def test_no_credential_reaches_a_client_that_is_given(graph: Graph, asks: Callable[..., object]) -> None:
    client = ScriptedClient(lambda messages: {"mutations": []})
    asks(graph, client)
    sent = "\n".join(client.prompt(number) for number in range(len(client.sent)))
    assert "Ngozi" in sent and KEY not in sent and "[redacted:" in sent


def test_the_budget_of_a_pass_stops_a_client_that_takes_more_than_it_was_thought_to(graph: Graph) -> None:
    """It made three calls of half a million tokens with a budget of 25,000, one for each question and each repair."""
    dear = Reply("I would rather not say", "stop", "scripted/model", Usage(1, 500_000, 50, 0, 5.0))
    client = ScriptedClient(lambda messages: dear)
    with pytest.raises(graphdream.ClientError):
        graph.dream(compact=False, client=client, budget=1_000)
    assert client.sent == []
    with pytest.raises(graphdream.GraphdreamError, match="unreadable"):
        graph.dream(compact=False, client=client, budget=25_000)
    assert len(client.sent) == 1


def test_what_a_given_client_was_sent_is_on_record(graph: Graph) -> None:
    done = graph.dream(compact=False, client=ScriptedClient([said()]))
    assert done.pass_id is not None
    (request,) = graph.cost_sheet(done.pass_id)["requests"]
    assert sum(request["redacted"].values()) > 0


def test_a_client_with_a_ledger_of_its_own_stays_in_that(graph: Graph) -> None:
    ledger = Ledger(1_000)
    client = ScriptedClient([said()])
    with pytest.raises(graphdream.ClientError):
        graph.dream(compact=False, client=LedgeredClient(client, ledger))
    assert client.sent == [] and ledger.entries == ()
