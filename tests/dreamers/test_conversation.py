"""One conversation: looks, the repair round, how it can end; and many of them beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from graphdream.dreamers.asking.agenda import Agenda, Limits, PlannedCall
from graphdream.dreamers.asking.answers import Desk, hold_all
from graphdream.dreamers.asking.calls import CallMaker
from graphdream.dreamers.asking.conversation import hold_conversation
from graphdream.dreamers.asking.exchange import (
    Exchange,
    NoNotebook,
    digest_of,
    messages_from_json,
    messages_to_json,
)
from graphdream.dreamers.asking.graph_plan import GraphPlanner
from graphdream.dreamers.asking.looks import Looks
from graphdream.dreamers.client.base import Message
from graphdream.dreamers.client.errors import BudgetError, ProviderError
from graphdream.dreamers.prompt.questions import open_questions
from graphdream.events.record import record
from graphdream.events.tokens import default_tokenizer
from graphdream.graph.store import Store
from tests.dreamers.views import BAND, STANDING, VIEW
from tests.support.graphs import apply, clock, entity
from tests.support.models import ScriptedClient, looking, said

count = default_tokenizer().count
MERGE = {"op": "merge_entities", "source": ["e2"], "target": "e1"}


@pytest.fixture
def call() -> PlannedCall:
    maker = CallMaker(STANDING, count, Limits())
    planned = GraphPlanner(maker).for_questions(VIEW, open_questions(VIEW, BAND), None).calls[0]
    return replace(planned, looks=True)


@pytest.fixture
def looks(tmp_path: Path) -> Looks:
    """Ada (e1, linked with the Engine e2) and Ada B. (e3); a session s1."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(
            store,
            [
                entity("Ada Lovelace", general=["lives in London"]),
                entity("Analytical Engine", "system", general=["is driven by steam"]),
                entity("Ada Lovelace B.", general=["lives in Rome"]),
                {"op": "link", "source": "e1", "target": "e2", "type": "works_on"},
                {"op": "supersede_attribute", "old": "a1", "new": "lives in Paris"},
            ],
        )
        record(store, "s1", summary="Ada was here.", transcript=[{"speaker": "Ada", "text": "Hello"}], clock=clock)
    return Looks(path, count, 200)


def hold(client: ScriptedClient, call: PlannedCall, around: Looks | None = None, *, looks: int = 6) -> Exchange:
    return hold_conversation(client, call, Limits(looks=looks), looks=around, judge=None)


def bodies(exchange: Exchange) -> tuple[dict[str, object], ...]:
    return tuple(body for body, _ in exchange.items)


def test_an_answer_is_kept_with_all_that_was_said(call: PlannedCall) -> None:
    exchange = hold(ScriptedClient([said(MERGE, summary="one Ada")]), call)
    assert (exchange.ended, bodies(exchange), exchange.summary) == ("answered", (MERGE,), "one Ada")
    assert exchange.digest == digest_of("scripted/model", call)
    assert messages_from_json(messages_to_json(exchange.messages)) == exchange.messages
    assert "one Ada" in exchange.transcript() and "Are these one" in exchange.prompt()


@pytest.mark.parametrize(
    ("tool", "arguments", "shows"),
    [
        ("search", {"query": "Where does Ada live?"}, "lives in Paris"),
        ("entity", {"entity": "e1"}, "lives in Paris"),
        ("neighbours", {"entity": "Ada Lovelace"}, "Analytical Engine"),
        ("similar", {"entity": "e1"}, "e3 Ada Lovelace B."),
        ("session", {"key": "s1"}, "Ada: Hello"),
        ("history", {"fact": "a1"}, "superseded"),
        ("entity", {"entity": "nobody"}, "nobody"),
        ("entity", {}, "takes one text"),
        ("drop_table", {"x": "y"}, "there is no tool"),
    ],
)
def test_a_model_may_look_around(
    call: PlannedCall, looks: Looks, tool: str, arguments: dict[str, str], shows: str
) -> None:
    client = ScriptedClient([looking(tool, **arguments), said(MERGE)])
    exchange = hold(client, call, looks)
    shown = client.sent[1][-1]
    assert (shown.role, shown.tool_call_id) == ("tool", "call-1") and shows in shown.content
    assert bodies(exchange) == (MERGE,) and f"looks: {tool}" in exchange.transcript()


def test_a_look_is_short_and_says_what_it_leaves_out(looks: Looks, call: PlannedCall) -> None:
    client = ScriptedClient([looking("entity", entity="e1"), said()])
    hold(client, call, Looks(looks._path, count, 30))
    assert "more lines; ask for something narrower" in client.sent[1][-1].content


def test_looks_are_bounded_and_the_last_call_offers_none(looks: Looks, call: PlannedCall) -> None:
    client = ScriptedClient([looking("entity", entity="e1"), looking("entity", entity="e2"), said(MERGE)])
    assert hold(client, call, looks, looks=2).items == ((MERGE, ""),)
    assert [bool(tools) for tools in client.tools] == [True, True, False]


def test_a_model_that_never_answers_is_given_up(looks: Looks, call: PlannedCall) -> None:
    exchange = hold(ScriptedClient(lambda _: looking("entity", entity="e1")), call, looks, looks=3)
    assert exchange.ended == "failed" and exchange.usage.tokens_in and "gave no answer" in exchange.summary


def test_what_is_wrong_is_sent_back_once_and_corrections_are_added(call: PlannedCall) -> None:
    wrong = {"op": "merge_entities", "source": []}
    client = ScriptedClient([said(wrong, MERGE), said({**MERGE, "source": ["e3"]})])
    exchange = hold(client, call)
    assert bodies(exchange) == (wrong, MERGE, {**MERGE, "source": ["e3"]}) and exchange.faults
    request = client.sent[1][-1].content
    assert "mutations[0]" in request and "'target' is a required property" in request and "mutations[1]" not in request


def test_a_repair_that_fails_leaves_the_first_answer_as_it_was(call: PlannedCall) -> None:
    exchange = hold(ScriptedClient([said({"op": "nonsense"}, MERGE), ProviderError("out of reach")]), call)
    assert exchange.ended == "answered" and bodies(exchange)[1] == MERGE and exchange.attempts == 1


def test_an_unreadable_answer_gets_one_more_chance(call: PlannedCall) -> None:
    assert hold(ScriptedClient(["I would rather not say.", said(MERGE)]), call).items == ((MERGE, ""),)
    twice = hold(ScriptedClient(["no", "still no"]), call)
    assert (twice.ended, twice.items, twice.attempts) == ("unreadable", (), 2)


@pytest.mark.parametrize(("finish", "ended"), [("refusal", "refused"), ("length", "cut")])
def test_how_else_a_conversation_can_end(call: PlannedCall, finish: str, ended: str) -> None:
    client = ScriptedClient(["I cannot help with that"], finish=finish)  # type: ignore[arg-type]
    assert hold(client, call).ended == ended


# ---------------------------------------------------------------------- many


class Kept(NoNotebook):
    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    def find(self, digest: str) -> Exchange | None:
        return next((one for one in self.exchanges if one.digest == digest and one.ended == "answered"), None)

    def keep(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)


def agenda(*names: str) -> Agenda:
    return Agenda([PlannedCall(name, (Message("user", name),), ("merge_entities",), 100, 10) for name in names])


def by_name(answers: dict[str, object]) -> ScriptedClient:
    def script(messages: Sequence[Message]) -> object:
        return answers[messages[0].content]

    return ScriptedClient(script)  # type: ignore[arg-type]


def test_what_is_on_record_is_not_asked_again() -> None:
    notebook = Kept()
    client = by_name({"one": said(MERGE), "two": ProviderError("out of reach")})
    first = hold_all(client, agenda("one", "two"), Limits(), Desk(notebook=notebook))
    assert [exchange is not None for _, exchange in first.held] == [True, False]
    assert first.left == ["two: out of reach"]
    again = by_name({"two": said()})
    second = hold_all(again, agenda("one", "two"), Limits(), Desk(notebook=notebook))
    assert [one[0].content for one in again.sent] == ["two"] and second.resumed == 1 and not second.left


def test_where_no_call_is_answered_the_fault_is_raised() -> None:
    with pytest.raises(ProviderError, match="out of reach"):
        hold_all(by_name({"one": ProviderError("out of reach")}), agenda("one"), Limits(), Desk())


def test_a_call_that_had_to_wait_for_the_budget_is_made_once_the_others_have_ended() -> None:
    tried: list[str] = []

    def script(messages: Sequence[Message]) -> object:
        name = messages[0].content
        tried.append(name)
        return BudgetError(100, 10) if name == "two" and tried.count("two") == 1 else said()

    answers = hold_all(ScriptedClient(script), agenda("one", "two"), Limits(), Desk())  # type: ignore[arg-type]
    assert tried.count("two") == 2 and all(exchange is not None for _, exchange in answers.held)
