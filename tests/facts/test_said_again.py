"""What is said again in other words is not over by that; nor is it said by what has another value."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphdream.facts import consolidate
from graphdream.facts.former import tells_former
from graphdream.facts.instead import tells_what_took_its_place
from graphdream.facts.reading import Reading
from graphdream.facts.setto import tells_what_it_was_set_to
from graphdream.mutations.specifics import tokens
from support.facts_world import ONDREA, both_stay, judged_weeks_apart, reading_of, told_weeks_apart


@pytest.mark.parametrize(
    ("tells", "before", "after"),
    [
        (tells_what_it_was_set_to, "invoice 4871: £87, Ondrea", "invoice 4871 with Ondrea came to £87 (ledger)"),
        (tells_former, "we have Ondrea since a lamb was left out", "Ondrea dates from the time a lamb was left out"),
        (tells_what_took_its_place, "gauge 9620 read in feet instead of Ells", "had feet instead of Ells until 8820"),
    ],
)
def test_nothing_is_over_by_being_said_again(tells: Callable[[Reading, Reading], bool], before: str, after: str):
    assert not tells(*(reading_of(text) for text in (before, after)))


@pytest.mark.parametrize("text", ["ear tag: O left", "Ohrmarke: A links", "gate: B", "grupo: O."])
def test_a_letter_that_is_all_that_a_label_leads_to_is_a_specific(text: str):
    assert [token.proper for token in tokens(text) if len(token.text) == 1 and token.kind == "word"] == [True]


@pytest.mark.parametrize("text", ["Nota: O prazo acaba na sexta", "Note: I agree", "Nota: A porta fica aberta"])
def test_a_word_of_one_letter_that_begins_a_sentence_is_none(text: str):
    assert not any(token.proper for token in tokens(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ear tag: O left", "by the ledger Ondrea has ear tag B left"),
        ("Ohrmarke: A links", "Ondrea trägt die Ohrmarke O links"),
        ("marca: O izquierda", "marca: A izquierda"),
        ("gate: A", "gate: B"),
        ("FALLBACK_LOCALE is pt-PT", "sets FALLBACK_LOCALE to pt-BR"),
    ],
)
def test_a_letter_that_is_all_that_is_said_is_a_value(one: str, other: str):
    assert not judged_weeks_apart(one, other).duplicates


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Office: Tartu", "moved its office from Narva"),
        ("milk yield is 310 litres", "milk yield went from 22"),
    ],
)
def test_where_something_came_from_is_not_where_it_is(before: str, after: str):
    assert both_stay(before, after)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the ferry to Tartu goes on 19 October", "the ferry from Tartu comes on 10 October"),
        ("On 23 April the vet comes by", "On 7 May the vet comes by"),
    ],
)
def test_two_days_of_what_happens_more_than_once_both_stay(one: str, other: str):
    assert not consolidate(told_weeks_apart(one, other), [ONDREA]).superseded
