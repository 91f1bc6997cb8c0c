"""Stale values where the graph is too small to show which relations have one value at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.facts import Subject, consolidate
from support.facts_world import fact, left

ADA, BELA = Subject(1, ("Ada Birk",), "person", False), Subject(2, ("Bela Dahl",), "person", False)


def told(*lines: tuple[str, int], name: str = "Harbour", type: str = "project", others: tuple[Subject, ...] = ()):
    """What stays of facts of one entity, each with the day it was learned on."""
    facts = [fact(number, 1, content, day) for number, (content, day) in enumerate(lines)]
    found = consolidate(facts, [Subject(1, (name,), type, False), *others])
    return [f.content for f in left(facts, found)]


def people(*names: str) -> tuple[Subject, ...]:
    return tuple(Subject(100 + at, (name,), "person", False) for at, name in enumerate(names))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("parse_rows in Harbour takes 2 arguments", "parse_rows in Harbour runs in 30 ms"),
        ("src/retry_merge.ts in Harbour has 778 lines", "src/retry_merge.ts in Harbour has 12 tests"),
        ("PAGE_SIZE in Harbour is 3 words long", "PAGE_SIZE in Harbour is 25"),
    ],
)
def test_two_things_said_of_a_name_in_a_program_are_no_values_of_it(old, new):
    facts = [fact(0, 1, old, 10), fact(1, 1, new, 60), fact(2, 2, new.replace("Harbour", "Lantern"), 61)]
    subjects = [Subject(1, ("Harbour",), "project", False), Subject(2, ("Lantern",), "project", False)]
    assert not consolidate(facts, subjects).superseded


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Harbour fixed the login in PR #12", "Harbour fixed the login in PR #40"),
        ("we met about Harbour on May 3", "we met about Harbour on June 8"),
        ("Harbour opened 3 tickets", "Harbour opened 5 tickets"),
        ("room 4 is for guests of Harbour", "room 5 is for guests of Harbour"),
        ("Harbour works with Ada Birk", "Harbour works with Bela Dahl"),
        ("Ada Birk reports to Harbour", "Harbour reports to Bela Dahl"),
    ],
)
def test_what_happened_twice_and_what_may_be_a_list_stays(old, new):
    assert told((old, 10), (new, 60), others=people("Ada Birk", "Bela Dahl")) == [old, new]


@pytest.mark.parametrize(
    ("old", "teller"),
    [
        ("prefers Slack DMs for anything urgent", "no longer answers on Slack DMs"),
        ("prefers Slack DMs for anything urgent", "no longer answers on Signal; use Zoom"),
        ("the lights are on", "strict mode in Harbour was changed from on to off"),
        ("the strict mode lamp stays on", "strict mode in Harbour was changed from on to off"),
    ],
)
def test_what_is_no_longer_so_is_nothing_else_that_was_said(old, teller):
    assert told((old, 10), (teller, 60)) == [old, teller]


def test_a_date_is_replaced_by_no_sentence_about_another_date():
    lines = (("review on April 27, kickoff on May 3", 10), ("the kickoff moved from May 3 to June 8", 60))
    assert lines[0][0] in told(*lines)


def test_part_of_a_name_beside_the_whole_is_no_other_person():
    lines = (
        ("Tobias Stoica works at Atlas Copco as a colorist.", 10),
        ("Tobias Stoica: at Atlas Copco, Tobias holds the colorist position", 60),
    )
    facts = [fact(number, 1, content, day) for number, (content, day) in enumerate(lines)]
    found = consolidate(facts, [Subject(1, ("Tobias Stoica",), "person", False)])
    assert not found.superseded


@pytest.mark.parametrize(
    "teller",
    [
        "Harbour will move its headquarters from Taipei to Kigali",
        "Harbour has not moved its headquarters from Taipei to Kigali",
        "Harbour ships from Taipei to Kigali",
    ],
)
def test_what_is_meant_or_denied_or_no_change_replaces_nothing(teller):
    assert told(("HQ: Taipei", 10), (teller, 60)) == ["HQ: Taipei", teller]


def test_where_two_statements_have_the_former_value_neither_goes_by_grammar_alone():
    lines = (("the plant is in Taipei", 10), ("the archive is in Taipei", 12), ("moved from Taipei to Kigali", 60))
    assert len(told(*lines)) == 3


def test_of_two_the_one_that_shares_a_word_with_the_sentence_goes():
    lines = (("the plant is in Taipei", 10), ("the archive is in Taipei", 12))
    teller = ("the archive moved from Taipei to Kigali", 60)
    assert told(*lines, teller) == ["the plant is in Taipei", teller[0]]


def test_a_sentence_that_has_replaced_one_statement_replaces_no_other_by_its_value_alone():
    teller = ("the archive moved from Taipei to Kigali", 60)
    facts = [fact(0, 1, "the plant is in Taipei", 10), fact(1, 1, teller[0], teller[1], successor=True)]
    assert not consolidate(facts, [Subject(1, ("Harbour",), "project", False)]).superseded


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the problem in Harbour is a slow build", "the problem in Harbour is a flaky test"),
        ("the team travels to Osaka on August 23", "the team travels to Lund on April 29"),
        ("the next team visit to Accra is on September 14", "the next team visit to Accra is on January 17"),
        ("the outcome of Harbour was to ask for a quote", "the outcome of Harbour was to split the field"),
        ("the retry limit in Harbour is 8", "the retry limit in Harbour should be 5"),
        ("the cache size of Lantern is 200 GB", "the cache size of Beacon is 1 TB"),
        ("her favourite film is Stalker", "her favourite song is Hurt"),
        ("the default branch of the blog is main", "the default branch of the shop is develop"),
        ("in the kitchen the main light is warm", "in the hall the main light is cold"),
        ("favourite film for long flights: Stalker", "favourite film for winter nights: Alien"),
        ("the cache size of Lantern is 200 GB", "the cache size of Beacon was changed from 1 TB to 2 TB"),
        ("the fare to Harbour is 8", "the fare to Harbour will change from 9 to 12"),
    ],
)
def test_what_asks_something_else_or_may_have_several_answers_stays(old, new):
    others = (*people("Ada Birk"), Subject(7, ("Lantern",), "tool", False), Subject(8, ("Beacon",), "tool", False))
    assert told((old, 10), (new, 60), others=others) == [old, new]


def test_a_question_with_one_answer_that_was_answered_in_turns_is_left_alone():
    towns = ("Taipei", "Kigali", "Taipei", "Kigali")
    assert len(told(*((f"main office: {town}", 10 * at) for at, town in enumerate(towns, 1)))) == 2


def test_a_value_that_was_said_again_later_stays():
    lines = (("HQ: Taipei", 10), ("moved from Taipei to Kigali", 60), ("HQ: Taipei", 90))
    assert "HQ: Taipei" in told(*lines)


def test_leaving_a_school_does_not_make_it_untrue_that_one_was_there():
    facts, subjects = [], []
    for number, (name, town) in enumerate((("Ada Birk", "Turin"), ("Bela Dahl", "Porto"), ("Cleo Falk", "Ghent")), 1):
        subjects.append(Subject(number, (name,), "person", False))
        facts.append(fact(len(facts), number, f"{name} studied at the University of {town}", 10))
        facts.append(fact(len(facts), number, f"went to the University of {town}", 12))
        facts.append(fact(len(facts), number, f"{name} graduated from the University of {town} in {1980 + number}", 40))
    assert consolidate(facts, subjects).superseded == []


TOLD = ("go-to lunch: falafel wraps", "changed his mind: his go-to lunch is bibimbap, not falafel wraps")


def two_people(*of_bela: str) -> list[str]:
    """What stays of facts of Bela, where a sentence about Ada shows what has one value at a time."""
    facts = [fact(0, 1, TOLD[0], 10), fact(1, 1, TOLD[1], 20)]
    facts += [fact(10 + number, 2, content, 30 + 20 * number) for number, content in enumerate(of_bela)]
    return [f.content for f in left(facts, consolidate(facts, [ADA, BELA])) if f.entity == 2]


@pytest.mark.parametrize(
    "lines",
    [
        # One value in two ways of saying it, a text that was cut before its value, a story, another question.
        ("Bela's go-to lunch is pho with lime", "go-to lunch for the week: pho"),
        ("Bela's go-to lunch is pho", "Bela's go-to lunch"),
        ("Bela's go-to lunch is pho", "left her go-to lunch on the train to Oslo with both cameras in it"),
        ("Bela's go-to lunch is pho", "Bela's favourite lunch is ramen"),
        ("Bela's go-to lunch is pho", "Bela's go-to lunch was never ramen"),
        ("Bela's go-to lunch is pho", "we keep the go-to lunch for Bel"),
    ],
)
def test_what_is_no_other_answer_to_the_question_replaces_nothing(lines):
    assert lines[0] in two_people(*lines)


def test_a_fact_that_is_but_the_name_of_its_entity_is_no_value_of_it():
    facts = [
        fact(0, 1, "Harbour", 10, protected=True),
        fact(1, 1, "strict mode in Harbour was changed from on to off", 60),
    ]
    assert not consolidate(facts, [Subject(1, ("Harbour",), "project", False)]).superseded


def typed(*lines: tuple[str, int]):
    """What stays of facts of Ada that an agent told without a session, each with the minute it was told in."""
    facts = [
        replace(fact(at, 1, content, 10, source="", session=None), known_at=f"2026-05-04T09:{minute:02}:00Z")
        for at, (content, minute) in enumerate(lines)
    ]
    return [f.content for f in left(facts, consolidate(facts, [ADA]))]


def test_what_is_typed_in_one_sitting_is_a_list_and_no_update():
    """`speaks French` was archived for `speaks Polish` of a minute later, and stayed where three days were between."""
    assert typed(("Ada speaks French", 0), ("Ada speaks Polish", 1)) == ["Ada speaks French", "Ada speaks Polish"]


def test_who_says_in_the_same_sitting_that_something_is_over_is_understood():
    assert typed(("Ada lives in Oslo", 0), ("Ada moved from Oslo to Bergen", 1)) == ["Ada moved from Oslo to Bergen"]


def test_after_a_pause_it_is_another_sitting():
    assert typed(("Ada lives in Oslo", 0), ("Ada lives in Bergen", 50)) == ["Ada lives in Bergen"]
