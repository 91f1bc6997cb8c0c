"""Verdicts by number: what they come to, what is refused in words, and that each entry ends in an item."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.dreamers.asking.agenda import Limits, PlannedCall
from graphdream.dreamers.asking.calls import CallMaker
from graphdream.dreamers.asking.conversation import hold_conversation
from graphdream.dreamers.asking.exchange import Exchange
from graphdream.dreamers.asking.graph_plan import GraphPlanner
from graphdream.dreamers.asking.verdicts import OP, items_of, read_verdicts
from graphdream.dreamers.client.salvage import MOST_ITEMS, NUMBER_LISTS
from graphdream.dreamers.prompt.questions import VERDICTS, Question, answered, asked, numbered, open_questions
from graphdream.events.tokens import default_tokenizer
from graphdream.graph.store import Store
from graphdream.mutations.parse import parse_proposals
from tests.dreamers.views import BAND, STANDING, VIEW
from tests.support.graphs import apply, entity
from tests.support.models import ScriptedClient, said

FEW, MANY, PINNED = (False, 1), (False, 9), (True, 0)


def pair(first: int, second: int, *known: tuple[bool, int]) -> Question:
    return Question(
        "same", (first, second), f"e{first} ? e{second}", 0.5, f"{first}-{second}", known=known or (FEW, FEW)
    )


def contradiction(first: int, second: int) -> Question:
    return Question("contradiction", (1,), f"a{first} or a{second}", 1.0, f"a{first}-{second}", facts=(first, second))


QUESTIONS = numbered([contradiction(5, 6), pair(1, 2), pair(2, 3), contradiction(7, 8), pair(3, 4)])


def bodies(told: dict[str, Any], questions: dict[int, Question] = QUESTIONS) -> list[dict[str, Any]]:
    return [body for body, fault in items_of(read_verdicts(told, questions), questions, "here") if not fault]


def faults(told: dict[str, Any], questions: dict[int, Question] = QUESTIONS) -> list[str]:
    return [fault for _, fault in items_of(read_verdicts(told, questions), questions, "here") if fault]


def merges(told: dict[str, Any], questions: dict[int, Question]) -> list[tuple[str, str]]:
    return [(body["source"][0], body["target"]) for body in bodies(told, questions) if body["op"] == "merge_entities"]


def test_questions_are_numbered_as_they_are_put() -> None:
    assert [question.text for question in QUESTIONS.values()] == [
        "e1 ? e2", "e2 ? e3", "e3 ? e4", "a5 or a6", "a7 or a8",
    ]  # fmt: skip
    assert [line.split(":")[0] for line in asked(list(QUESTIONS.values())).splitlines() if line[0].isdigit()] == [
        str(number) for number in QUESTIONS
    ]


def test_each_verdict_is_a_mutation_whose_reason_names_the_question() -> None:
    found = bodies({"same": [1], "different": [2], "first": [4], "both": [5]})
    assert found == [
        {"op": "mark_distinct", "first": "e2", "second": "e3", "reason": "answer to question 2 (here): not the same"},
        {"op": "resolve_contradiction", "first": "a5", "second": "a6", "keep": "a5",
         "reason": "answer to question 4 (here): the first holds"},
        {"op": "resolve_contradiction", "first": "a7", "second": "a8",
         "reason": "answer to question 5 (here): both hold"},
        {"op": "merge_entities", "source": ["e2"], "target": "e1",
         "reason": "answer to question 1 (here): one and the same"},
    ]  # fmt: skip
    assert all(proposal.mutation is not None for proposal in parse_proposals(found))
    assert bodies({"second": [4]})[0]["keep"] == "a6"


@pytest.mark.parametrize(
    ("known", "merged"),
    [((FEW, FEW), ("e2", "e1")), ((FEW, MANY), ("e1", "e2")), ((PINNED, MANY), ("e2", "e1"))],
)
def test_the_best_known_survives(known: tuple[tuple[bool, int], ...], merged: tuple[str, str]) -> None:
    assert merges({"same": [1]}, numbered([pair(1, 2, *known)])) == [merged]


def test_a_group_is_merged_outwards_from_the_best_known_and_what_is_implied_comes_last() -> None:
    questions = numbered([pair(1, 2), pair(2, 3, FEW, MANY), pair(1, 3, FEW, MANY), pair(3, 4, MANY, FEW)])
    assert merges({"same": [1, 2, 3, 4]}, questions) == [("e2", "e3"), ("e1", "e3"), ("e4", "e3"), ("e2", "e1")]


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ({"same": [9]}, "there is no question 9; they are numbered 1 to 5"),
        ({"same": [0]}, "there is no question 0"),
        ({"same": [-1]}, "there is no question -1"),
        ({"same": [4]}, "question 4 is answered by `first` or `second` or `both`, not by `same`"),
        ({"first": [1]}, "question 1 is answered by `same` or `different`, not by `first`"),
        ({"same": [1, 1]}, "question 1 stands in `same` already"),
        ({"same": [1], "different": [1]}, "question 1 stands in `same` and `different`, so none of them counts"),
        ({"same": ["one"]}, "'one' is not the number of a question"),
        ({"same": [True]}, "True is not the number of a question"),
        ({"same": [1.5]}, "1.5 is not the number of a question"),
        ({"same": [[1]]}, "a list is not the number of a question"),
        ({"same": "all"}, "same is no list of numbers"),
        ({"same": [10**50]}, "there is no question a number without end"),
        ({"same": [1] * (MOST_ITEMS + 3)}, f"3 numbers beyond the first {MOST_ITEMS} were not read"),
    ],
)
def test_what_is_wrong_is_refused_in_words(told: dict[str, Any], fault: str) -> None:
    assert any(said.startswith(fault) for said in faults(told))
    assert all(not proposal.mutation for proposal in parse_proposals([{"op": OP}]))


def test_a_number_may_be_a_text_and_a_list_null() -> None:
    assert bodies({"same": ["1"], "different": None}) == bodies({"same": [1]})


ENTRIES = st.one_of(st.integers(-2, 8), st.sampled_from(["1", "x", None, True, 2.0, [], {}]), st.integers())
LISTS = st.dictionaries(st.sampled_from([*NUMBER_LISTS, "mutations"]), st.one_of(st.lists(ENTRIES), st.none(), ENTRIES))


@given(LISTS)
def test_every_entry_ends_in_an_item_and_a_question_has_one_verdict_at_most(told: dict[str, Any]) -> None:
    verdicts = read_verdicts(told, QUESTIONS)
    items = items_of(verdicts, QUESTIONS, "here")
    entries = sum(len(told[name]) if isinstance(told[name], list) else told[name] is not None
                  for name in NUMBER_LISTS if name in told)  # fmt: skip
    torn = sum("none of them counts" in fault for _, fault in items)
    assert entries - 2 * torn <= len(items) <= entries
    made = [body for body, fault in items if not fault]
    assert len(made) == len(verdicts.given)
    assert all(proposal.mutation is not None for proposal in parse_proposals(made))
    assert answered(QUESTIONS.values(), made) == {QUESTIONS[number].fingerprint for number in verdicts.given}
    assert all(verdict in VERDICTS[QUESTIONS[number].kind] for number, verdict in verdicts.given.items())
    json.dumps(items, ensure_ascii=False).encode()


@given(LISTS)
def test_the_order_of_the_numbers_changes_nothing(told: dict[str, Any]) -> None:
    turned = {name: entries[::-1] if isinstance(entries, list) else entries for name, entries in told.items()}
    assert bodies(told) == bodies(turned)


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)).filter(lambda ends: ends[0] < ends[1]), unique=True))
def test_each_is_merged_away_once_and_every_group_ends_as_one(ends: list[tuple[int, int]]) -> None:
    questions = numbered([pair(*two) for two in ends])
    found = merges({"same": list(questions)}, questions)
    home: dict[str, str] = {}
    for source, target in found:
        if source not in home:
            home[source] = home.get(target, target)
    first = [source for source, _ in found[: len(home)]]
    assert len(set(first)) == len(first) == len(home)  # what is implied stands behind them
    assert all(home.get(f"e{low}", f"e{low}") == home.get(f"e{high}", f"e{high}") for low, high in ends)


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["same", "different", ""]), min_size=6, max_size=6))
def test_what_was_judged_different_is_one_in_no_way_and_the_rest_of_what_is_the_same_is(verdicts: list[str]) -> None:
    """Four entities, every pair of them asked about; applied to a real file."""
    questions = numbered([pair(low, high) for low in range(1, 5) for high in range(low + 1, 5)])
    told = {name: [at for at, verdict in enumerate(verdicts, 1) if verdict == name] for name in ("same", "different")}
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "memory.db") as store:
        apply(store, [entity(name) for name in ("Ada", "Bo", "Cy", "Di")])
        outcomes = apply(store, bodies(told, questions))
        rows = store.connection.execute("SELECT id, absorbed_into FROM entity ORDER BY id")
        into = {row["id"]: row["absorbed_into"] or row["id"] for row in rows}
    home = {number: into[into[into[number]]] for number in into}
    for number, question in questions.items():
        first, second = (home[end] for end in question.entities)
        assert verdicts[number - 1] != "different" or first != second
        assert verdicts[number - 1] != "same" or first == second or "different" in verdicts
    assert {outcome.code for outcome in outcomes} <= {"ok", "distinct", "not_active"}


# ---------------------------------------------------------------------- within a conversation


@pytest.fixture
def call() -> PlannedCall:
    """Question 1 is a pair, question 2 a contradiction."""
    maker = CallMaker(STANDING, default_tokenizer().count, Limits(looks=0))
    return GraphPlanner(maker).for_questions(VIEW, open_questions(VIEW, BAND), None).calls[0]


def held(call: PlannedCall, *answers: dict[str, Any]) -> tuple[Exchange, ScriptedClient]:
    client = ScriptedClient(answers)
    return hold_conversation(client, call, Limits(looks=0), looks=None, judge=None), client


def test_numbers_are_an_answer_on_their_own(call: PlannedCall) -> None:
    exchange, client = held(call, {"same": [1], "second": [2]})
    assert exchange.ended == "answered" and len(client.sent) == 1
    assert [body["op"] for body, _ in exchange.items] == ["resolve_contradiction", "merge_entities"]
    assert call.what in exchange.items[1][0]["reason"]
    assert [proposal.mutation is not None for proposal in exchange.proposals()] == [True, True]


def test_what_is_wrong_is_asked_once_more_and_what_was_kept_is_kept(call: PlannedCall) -> None:
    exchange, client = held(call, {**said(), "same": [1, 7], "first": [2], "both": [2]}, {"both": [2], "same": [1]})
    request = client.sent[1][-1].content
    assert "1 of your verdicts can be used and are kept" in request and "same[1]: there is no question 7" in request
    assert "question 2 stands in `first` and `both`" in request
    assert [body["op"] for body, fault in exchange.items if not fault] == ["resolve_contradiction", "merge_entities"]
    assert len([fault for _, fault in exchange.items if fault]) == 2


def test_a_verdict_that_the_correction_turns_round_counts_neither_way(call: PlannedCall) -> None:
    exchange, _ = held(call, {"same": [1, 9]}, {"different": [1]})
    assert all(fault for _, fault in exchange.items) and len(exchange.items) == 2


def test_a_number_that_stands_twice_is_no_reason_to_ask_again(call: PlannedCall) -> None:
    exchange, client = held(call, {"same": [1, 1], "mutations": [], "summary": ""})
    assert len(client.sent) == 1 and len(exchange.items) == 2
