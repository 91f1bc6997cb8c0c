"""What was, what may be, what is asked and what is not: none of them ends what is."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.explain import explain_facts
from graphdream.facts.present import did_not_stay
from graphdream.facts.reading import Reader, ReadingMemory
from support.facts_world import fact, told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


def _judged(before: str, after: str):
    return consolidate(told_weeks_apart(before, after), [WHO])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The rent is 870 euros", "Until 2024 the rent was 800 euros"),
        ("The rent is 870 euros", "The rent was 800 euros back in 2023"),
        ("The rent is 870 euros", "The rent was 870 euros in 2023"),
        ("El alquiler es de 870 euros", "En 2023 el alquiler era de 800 euros"),
        ("Die Miete ist 870 Euro", "Die Miete war 2023 noch 800 Euro"),
        ("房租是3200元", "以前房租是2800元"),
        ("The rent is 870 euros", "The rent may rise to 910 euros"),
        ("The rent is 870 euros", "The rent would be 910 euros with parking"),
        ("The rent is 870 euros", "Is the rent 910 euros now?"),
        ("The rent is 870 euros", "The rent is not 910 euros"),
        ("Le loyer est de 870 euros", "Non, le loyer n'est pas de 910 euros"),
        ("The rent is 870 euros", "The rent did not rise from 870 to 910 euros"),
        ("El alquiler es de 870 euros", "El alquiler no es de 910 euros, como decía el cartel"),
        ("Ondrea lives in Oslo", "Ondrea moved away from Narva"),
    ],
)
def test_it_replaces_nothing(before: str, after: str):
    assert not _judged(before, after).superseded


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The rent is 870 euros", "The rent is now 910 euros, which came up again in May"),
        ("The rent was 870 euros", "The rent was raised to 910 euros"),
        ("The deadline is 3 May", "The deadline was moved to 9 June"),
        ("The deadline is 3 May", "The deadline is 9 June now, formerly 3 May"),
        ("Die Miete beträgt 870 Euro", "Die Miete ist jetzt 910 Euro, früher 870"),
        # Who denies what was says what is, too.
        ("The sculpture class is on Mondays", "The sculpture class is on Fridays, no longer on Tuesdays"),
        ("Le cours de poterie coûte 40 euros", "Le cours de poterie n'est plus à 40 euros mais à 55 euros"),
        # `from` leads in to no more than what stands with it.
        ("The gallery opens at 10:00", "From now on the gallery opens at 12:00"),
    ],
)
def test_what_is_now_does(before: str, after: str):
    assert [one[:2] for one in _judged(before, after).superseded] == [(0, 1)]


@pytest.mark.parametrize(
    ("before", "after", "came_back"),
    [
        ("O ateliê cobra R$ 90 por aula", "A aula no ateliê passou de R$ 90 para R$ 120", False),
        ("The keys are with Kofi", "The keys went from Kofi to Mina and back to Kofi", True),
    ],
)
def test_a_unit_stands_twice_and_nothing_came_back(before: str, after: str, came_back: bool):
    facts = [fact(0, 1, before), fact(1, 1, after)]
    one, other = (Reader(facts, [WHO], ReadingMemory()).read(each) for each in facts)
    assert did_not_stay(one, other) is came_back


def test_explain_says_what_holds_it():
    facts = told_weeks_apart("The rent is 870 euros", "The rent may rise to 910 euros")
    assert "does not say what holds now" in explain_facts(facts, [WHO], 0, 1).as_text()
