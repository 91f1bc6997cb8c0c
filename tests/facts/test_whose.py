"""A longer statement is not the shorter one where it is about what the subject has, or narrows what is said."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.statements import StatementMaker
from graphdream.facts.whose import is_of_another
from support.facts_world import fact, told_weeks_apart


def _judged(name: str, less: str, more: str):
    facts = told_weeks_apart(less, more, weeks=1, besides=f"{name} ")
    return consolidate(facts, [Subject(1, (name,), "unknown", False)])


@pytest.mark.parametrize(
    ("name", "less", "more"),
    [
        ("Ondrea", "Ondrea was born in Ghent", "Ondrea's mother was born in Ghent"),
        ("Ondrea", "Ondrea nació en Gante", "La madre de Ondrea nació en Gante"),
        ("Ondrea", "Ondrea wohnt in Gent", "Die Tante von Ondrea wohnt in Gent"),
        ("Ondrea", "Ondrea wohnt in Gent", "Ondreas Tante wohnt in Gent"),
        ("Atlas", "The report is finished", "The draft of the report is finished"),
        ("Atlas", "Atlas is written in Rust", "The client of Atlas is written in Rust"),
        ("Ondrea", "Ondrea isst Fisch", "Ondrea isst nur im Sommer Fisch"),
        ("Ondrea", "Ondrea eats fish", "Ondrea eats fish only in summer"),
    ],
)
def test_what_is_of_another_or_narrower_absorbs_nothing(name: str, less: str, more: str):
    found = _judged(name, less, more)
    assert not [one for one in found.duplicates if {one[0], one[1]} == {0, 1}]
    assert not [one for one in found.open if {one.first, one.second} == {0, 1} and one.question == "same"]


@pytest.mark.parametrize(
    ("name", "less", "more"),
    [
        ("Atlas", "Atlas is written in Rust", "Atlas client is written in Rust"),
        ("Atlas", "Atlas is written in Rust", "Atlas still is written in Rust"),
        ("Ondrea", "Lia vive a Pescara", "La sorella di Lia vive a Pescara"),
        ("Malin", "Malin bor i Visby", "Syster till Malin bor i Visby"),
        ("Ondrea", "Sanne woont in Delft", "De zus van Sanne woont in Delft"),
        ("Ruud", "Ruud closes at 6", "On Fridays Ruud closes at 6"),
    ],
)
def test_what_has_something_before_it_is_asked_about(name: str, less: str, more: str):
    found = _judged(name, less, more)
    assert not [one for one in found.duplicates if {one[0], one[1]} == {0, 1}]
    assert [one.question for one in found.open if {one.first, one.second} == {0, 1}] == ["same"]


def test_what_says_more_of_the_same_absorbs_it():
    found = _judged("Ondrea", "Ondrea was born in Ghent", "Ondrea was born in Ghent in 1981")
    assert [one[:2] for one in found.duplicates] == [(0, 1)]
    found = _judged("Ondrea", "The shop closes at 6", "Reminder: the shop closes at 6")
    assert [{*one[:2]} for one in found.duplicates] == [{0, 1}]


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("time zone: CET", "Atlas's time zone is CET"),
        ("the size cap: 2,000 tokens", "we set the size cap of Atlas to 2,000 tokens"),
        ("The worker count is 4", "According to Bo, the worker count for Atlas: 4"),
    ],
)
def test_a_word_that_the_shorter_one_has_too_is_no_other_thing(less: str, more: str):
    facts = [fact(0, 1, less, day=2), fact(1, 1, more, day=3)]
    made = StatementMaker(facts, [Subject(1, ("Atlas",), "unknown", False)], ReadingMemory()).make(facts)
    assert not is_of_another(made[1].reading, made[0].reading, ("Atlas",))
