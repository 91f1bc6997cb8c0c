"""Two things of an entity, each told by name: what is told of the one ends nothing of the other."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.explain import explain_facts
from graphdream.facts.subjects import are_of_two_subjects
from support.facts_world import judged_weeks_apart, reading_of, told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


def _judged(before: str, after: str):
    return consolidate(told_weeks_apart(before, after), [WHO])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Rent: 870 euros", "Insurance costs 460 euros a year now"),
        ("Gym: 30 euros", "Parking costs 45 euros a month now"),
        ("Boiler: 21 degrees", "Freezer is now at 18 degrees"),
        ("Deadline: 3 May", "Kickoff is now on 9 June"),
        ("The rent is 870 euros", "The insurance costs 460 euros now"),
        ("Ondrea's rent is 870 euros", "Ondrea's insurance is now 460 euros"),
        ("Alquiler: 870 euros", "El seguro cuesta ahora 460 euros"),
        ("Miete: 870 Euro", "Die Versicherung kostet jetzt 460 Euro"),
        ("租金：3200元", "保险现在是460元"),
        ("служба поддержки работает с 9", "склад теперь работает с 10"),
        ("works at Harrow", "her husband works at Kestrel now"),
        ("uses Helix", "Bo uses Zed now"),
        ("On staging the limit is 40", "On production the limit is 60 now"),
    ],
)
def test_what_is_told_of_another_thing_replaces_nothing(before: str, after: str):
    assert not _judged(before, after).superseded


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Rent: 870 euros", "now pays 910 euros a month"),
        ("Rent: 870 euros", "The rent is 910 euros now"),
        ("Role: junior editor", "was promoted to senior editor"),
        ("Ondrea's rent is 870 euros", "Ondrea's rent is now 910 euros"),
        ("works at Harrow Labs", "now works at Kestrel"),
        ("works at Harrow", "she works at Kestrel now"),
    ],
)
def test_what_is_told_of_the_thing_or_of_the_entity_itself_does(before: str, after: str):
    assert [one[:2] for one in _judged(before, after).superseded] == [(0, 1)]


def test_an_adverb_is_nobody():
    facts = told_weeks_apart("works at Harrow", "currently works at Kestrel")
    assert "about something else" not in explain_facts(facts, [WHO], 0, 1).as_text()


def test_what_the_older_speaks_of_is_nobody_else():
    facts = told_weeks_apart("[ ] replace the scheduler", "The scheduler was replaced by Temporal.")
    assert "about something else" not in explain_facts(facts, [WHO], 0, 1).as_text()


def test_explain_says_what_holds_it():
    facts = told_weeks_apart("Rent: 870 euros", "Insurance costs 460 euros a year now")
    assert "about something else" in explain_facts(facts, [WHO], 0, 1).as_text()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Rate limit is now 5 per minute", "Ondrea crew size is 1"),
        ("La quota è ora 5 euro", "Ondrea capienza è 1"),
        ("El cupo es ahora 5 por minuto", "Ondrea aforo es 1"),
    ],
)
def test_what_its_own_thing_is_ends_nothing_of_another(before: str, after: str):
    assert are_of_two_subjects(*(reading_of(text) for text in (before, after)))
    assert not judged_weeks_apart(before, after).superseded
