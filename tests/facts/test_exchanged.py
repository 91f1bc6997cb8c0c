"""The same sentence of two things: `the red bike has 7 gears`, `the blue bike has 21 gears`. Both hold."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.exchanged import turn_round_figures
from graphdream.facts.explain import explain_facts
from support.facts_world import fact, reading_of, told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


def _judged(before: str, after: str):
    return consolidate(told_weeks_apart(before, after), [WHO])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The red bike has 7 gears", "The blue bike has 21 gears"),
        ("The red bike has 7 gears", "The blue bike now has 21 gears"),
        ("Ondrea's left eye has -2.5", "Ondrea's right eye has -3.0"),
        ("Ondrea's right eye has -3.0", "Ondrea's left eye has -2.5"),
        ("The kitchen wall is 4 m long", "The bedroom wall is 3 m long"),
        ("The front door code is 4471", "The garage door code is 9920"),
        ("The limit is 5 on weekdays", "The limit is 9 on weekends"),
        ("The upstairs flat pays 600 euros", "The downstairs flat pays 450 euros a month"),
        ("Router in the attic: 192.168.1.4", "Router in the cellar: 192.168.1.9"),
        ("El piso de arriba paga 600 euros", "El piso de abajo paga 450 euros"),
        ("Die große Katze frisst nur Huhn", "Die kleine Katze frisst nur Fisch"),
        ("La clé de la cave est chez Paul", "La clé du grenier est chez Marie"),
        ("Bram owes Ida 20 euros", "Ida now owes Bram 35 euros"),
        ("opens at 9:00", "closes at 18:00 now"),
        ("starts at 9", "ends at 17 now"),
        ("Olga schuldet Pavel 30 Euro", "Pavel schuldet Olga jetzt 45 Euro"),
    ],
)
def test_neither_ends_the_other_and_nobody_is_asked(before: str, after: str):
    found = _judged(before, after)
    assert not found.superseded
    assert not [one for one in found.open if {one.first, one.second} == {0, 1} and one.related]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The gym costs 30 euros a month", "The gym raised its fee to 38 euros a month"),
        ("The database runs on port 5432", "The database now listens on port 6000"),
        ("Ondrea's desk is in room 210", "Ondrea moved to room 318"),
        ("The choir meets on Mondays", "The choir meets on Thursdays from now on"),
        ("Ondrea's shoe size is 38", "Ondrea's shoe size is 39"),
        ("El gimnasio cuesta 30 euros", "El gimnasio cuesta ahora 38 euros"),
        ("The default interval is 6 hours", "The default interval is 5 minutes"),
        ("The backup interval is set to 6 hours", "the backup interval: 12 hours"),
        ("Miete: 430 Euro warm", "Die Miete ist auf 465 Euro gestiegen"),
        ("Lena and Omar live in Lyon", "Omar and Lena live in Nantes now"),
        ("Ondrea meets us on Tuesdays at 18:30", "Ondrea now meets us on Thursdays at 19:00"),
        ("Der Kurs ist dienstags um 18 Uhr", "Der Kurs ist jetzt donnerstags um 19 Uhr"),
        ("La lezione è il martedì alle 18", "La lezione è ora il giovedì alle 19"),
    ],
)
def test_one_value_of_one_thing_is_replaced(before: str, after: str):
    assert [one[:2] for one in _judged(before, after).superseded] == [(0, 1)]


def test_explain_says_what_holds_it():
    told = explain_facts(
        told_weeks_apart("The limit is 5 on weekdays", "The limit is 9 on weekends"), [WHO], 0, 1
    ).as_text()
    assert "did the second replace the first? yes" in told and "it is the same sentence of another thing" in told


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Server 0 told thing 1 of the quarry.", "Server 1 told thing 0 of the quarry.", False),
        ("Gate 4 opens at 7", "Gate 7 opens at 4", False),
        ("3 crates on shelf 5", "5 crates on shelf 3", False),
        ("Schleuse 4 hebt 7 Kähne", "Schleuse 7 hebt 4 Kähne", False),
        ("la compuerta 4 abre a las 7", "la compuerta 7 abre a las 4", False),
        ("Gate 4 opens at 7", "at 7 gate 4 opens", True),
        ("Gate 4 opens at 7 and closes at 7", "gate 4 opens at 7 and closes at 7.", True),
    ],
)
def test_figures_in_each_other_s_place_are_another_fact(one: str, other: str, alike: bool) -> None:
    """Nothing may be lost by it, told at once or weeks apart, whichever came first."""
    first, second = reading_of(one), reading_of(other)
    assert turn_round_figures(first, second) == turn_round_figures(second, first) == (not alike)
    if not alike:
        for before, after in ((one, other), (other, one)):
            assert not consolidate(told_weeks_apart(before, after), [WHO]).duplicates
            assert not consolidate([fact(0, 1, before), fact(1, 1, after)], [WHO]).duplicates
