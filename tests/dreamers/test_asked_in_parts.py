"""An answer that was cut off at its longest: the same is asked again in parts, twice over at most."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from graphdream.dreamers.asking.agenda import Agenda, Limits, PlannedCall
from graphdream.dreamers.asking.answers import MOST_SPLITS, Answers, Desk, hold_all
from graphdream.dreamers.asking.calls import CallMaker
from graphdream.dreamers.asking.exchange import Exchange, digest_of
from graphdream.dreamers.asking.graph_plan import GraphPlanner
from graphdream.dreamers.asking.session_plan import SessionPlanner
from graphdream.dreamers.client.base import Message, Reply, Usage
from graphdream.dreamers.client.errors import ProviderError
from graphdream.dreamers.gathered import Gathered, SeenEntity, SeenSession
from graphdream.dreamers.model import Asking, ModelDreamer
from graphdream.dreamers.prompt.questions import open_questions
from graphdream.events.tokens import default_tokenizer
from tests.dreamers.views import NOW, STANDING, WITH_SESSION, fact
from tests.support.models import ScriptedClient, said

count = default_tokenizer().count
LIMITS = Limits(looks=0, parallel=1)
PEOPLE = tuple(SeenEntity(n, f"Ada Lovelace {n}", "person", pinned=False) for n in range(1, 9))
CROWD = Gathered("compact", 1, NOW, entities=PEOPLE, facts=tuple(fact(n, n, f"keeps boat {n}") for n in range(1, 9)))
BAND = (("1", "2", 0.6), ("3", "4", 0.6), ("5", "6", 0.6), ("7", "8", 0.6))
CUT = Reply('{"mutations": [{"op": "merge_entities", "sou', "length", "scripted/model", Usage(1, 1_000, 100, 0, 0.01))

Script = Callable[[Sequence[Message]], Reply | dict[str, object]]


def questions_in(messages: Sequence[Message]) -> int:
    return messages[-1].content.count(" ? ")


@pytest.fixture
def maker() -> CallMaker:
    return CallMaker(STANDING, count, LIMITS)


@pytest.fixture
def asked_all(maker: CallMaker) -> PlannedCall:
    (call,) = GraphPlanner(maker).for_questions(CROWD, open_questions(CROWD, BAND), None).calls
    assert len(call.questions) == 4
    return call


def hold(client: ScriptedClient, *calls: PlannedCall) -> Answers:
    return hold_all(client, Agenda(calls=list(calls)), LIMITS, Desk())


def fingerprints(calls: Sequence[PlannedCall]) -> list[str]:
    return sorted(question.fingerprint for call in calls for question in call.questions)


def test_what_was_cut_off_is_asked_again_in_halves(asked_all: PlannedCall) -> None:
    client = ScriptedClient(lambda messages: CUT if questions_in(messages) > 2 else said())
    answers = hold(client, asked_all)
    assert [call.what for call, _ in answers.held] == [f"{asked_all.what}, part {n} of 2" for n in (1, 2)]
    assert fingerprints([call for call, _ in answers.held]) == fingerprints([asked_all])
    assert [exchange.ended for _, exchange in answers.held if exchange] == ["answered", "answered"]
    assert [exchange.ended for exchange in answers.replaced] == ["cut"] and answers.left == []


def test_halves_are_halved_once_more_and_then_no_further(asked_all: PlannedCall) -> None:
    client = ScriptedClient(lambda messages: CUT if questions_in(messages) > 1 else said())
    assert [len(call.questions) for call, _ in hold(client, asked_all).held] == [1, 1, 1, 1]
    stubborn = ScriptedClient(lambda _: CUT)
    answers = hold(stubborn, asked_all, asked_all)
    assert len(stubborn.sent) <= 2 * sum(2**level for level in range(MOST_SPLITS + 1))
    assert {exchange.ended for _, exchange in answers.held if exchange} == {"cut"}


def test_the_whole_stands_where_no_part_is_answered(asked_all: PlannedCall) -> None:
    whole = replace(CUT, text='{"mutations": [{"op": "merge_entities", "source": ["e2"], "target": "e1"}, {"op"')
    failing = ScriptedClient(lambda messages: whole if questions_in(messages) > 2 else ProviderError("gone"))
    answers = hold(failing, asked_all)
    ((call, exchange),) = answers.held
    assert call == asked_all and exchange is not None and exchange.ended == "cut" and len(exchange.items) >= 1
    assert answers.replaced == [] and len(answers.left) == 2


def test_all_of_it_is_paid_for_and_what_was_cut_off_proposes_nothing() -> None:
    merge = {"op": "merge_entities", "source": ["e2"], "target": "e1"}
    client = ScriptedClient(lambda messages: CUT if questions_in(messages) > 2 else said(merge))
    dreamer = ModelDreamer(client, Asking(STANDING, LIMITS))
    thought = dreamer.answer(dreamer.plan_tidying(CROWD, BAND, thorough=False))
    assert thought.figures["calls_asked_in_parts"] == 1 and thought.figures["calls"] == 3
    assert thought.tokens_out >= CUT.usage.tokens_out and thought.cost == pytest.approx(0.012)
    assert [proposal.body for proposal in thought.proposals] == [merge, merge]
    assert len(thought.exchanges) == 2 and len(thought.done | thought.declined) == 4


def test_sessions_are_read_in_two_groups_and_a_long_one_in_two_pieces(maker: CallMaker) -> None:
    sessions = tuple(SeenSession(f"s{n}", "session", NOW, ((n, f"Ada sold boat {n}. " * 120),)) for n in range(1, 4))
    (call,) = SessionPlanner(maker).plan(replace(WITH_SESSION, sessions=sessions), ()).calls
    first, second = call.parts()
    assert (first.sessions, second.sessions) == (("s1", "s2"), ("s3",))
    pieces = second.parts()
    assert [piece.sessions for piece in pieces] == [("s3",), ("s3",)]
    words = [re.findall(r"sold boat", piece.messages[-1].content) for piece in pieces]
    assert sum(map(len, words)) == 120 and all(words)
    assert all(piece.parts() == [] for piece in pieces)
    short = replace(WITH_SESSION, sessions=(SeenSession("s9", "session", NOW, ((9, "Ada sold a boat."),)),))
    assert SessionPlanner(maker).plan(short, ()).calls[0].parts() == []


def test_a_walk_in_parts_shows_everything_once_and_keeps_likely_duplicates_together(maker: CallMaker) -> None:
    (call,) = GraphPlanner(maker).for_walk(CROWD, open_questions(CROWD, BAND)).calls
    parts = call.parts()
    assert len(parts) >= 2 and fingerprints(parts) == fingerprints([call])
    shown = [handle for part in parts for handle in re.findall(r"^(e\d) Ada", part.messages[-1].content, re.MULTILINE)]
    assert sorted(shown) == [f"e{n}" for n in range(1, 9)]


def test_a_part_that_was_answered_before_an_interruption_is_not_asked_again(asked_all: PlannedCall) -> None:
    kept: dict[str, Exchange] = {}

    class Notes:
        def find(self, digest: str) -> Exchange | None:
            found = kept.get(digest)
            return found if found is not None and found.ended == "answered" else None

        def keep(self, exchange: Exchange) -> None:
            kept[exchange.digest] = exchange

    desk = Desk(notebook=Notes())
    client = ScriptedClient(lambda messages: CUT if questions_in(messages) > 2 else said())
    hold_all(client, Agenda(calls=[asked_all]), LIMITS, desk)
    again = ScriptedClient(lambda messages: CUT)
    answers = hold_all(again, Agenda(calls=[asked_all]), LIMITS, desk)
    assert len(again.sent) == 1 and answers.resumed == 2
    assert {digest_of(again.model, call) for call, _ in answers.held} <= kept.keys()
