"""What two statements count: pages and chapters are two things, six hours and five minutes one value."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.counted import count_otherwise
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.statements import StatementMaker
from support.facts_world import fact, told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The team has 5 members", "The team has 2 open positions now"),
        ("The API has 12 endpoints", "The API has 3 deprecated endpoints now"),
        ("The book has 300 pages", "The book has 12 chapters now"),
        ("Das Buch hat 300 Seiten", "Das Buch hat jetzt 12 Kapitel"),
        ("El coche tiene 5 puertas", "El coche tiene ahora 2 llaves"),
        ("The rent is 520 euros", "The rent is 3 weeks late now"),
        ("Die Miete beträgt 520 Euro", "Die Miete ist jetzt 3 Wochen überfällig"),
        ("has read 12 books this year", "has read 3 papers now"),
        ("The price is 40 euros for adults", "The price is now 20 euros for children"),
        ("The flat has two bedrooms", "The flat has three balconies now"),
        ("Das Haus hat zwei Etagen", "Das Haus hat jetzt drei Balkone"),
        ("The pool opens at 8", "The pool opens on 2 September now"),
        ("The fair is on Saturdays", "The fair is at 9:30 now"),
        ("Die Probe ist donnerstags", "Die Probe ist jetzt um 20 Uhr"),
        ("Paul has a dog", "Paul has a cat now"),
        ("The flat has a balcony", "The flat has a dishwasher now"),
        ("Paul hat einen Hund", "Paul hat jetzt eine Katze"),
        ("Ana tiene un perro", "Ana tiene ahora un gato"),
    ],
)
def test_what_counts_something_else_replaces_nothing(before: str, after: str):
    assert not consolidate(told_weeks_apart(before, after), [WHO]).superseded


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The book has 300 pages", "The book has 320 pages now"),
        ("The default interval is 6 hours", "The default interval is 5 minutes"),
        ("The server has 16 GB of RAM", "The server now has 32 GB of RAM"),
        ("The default delay is 2 Stunden", "The default delay is 45 Minuten now"),
        ("The flat has two bedrooms", "The flat has three bedrooms now"),
        ("The market is on Saturdays", "The market is on 3 May now"),
        ("Meeting: 9:00", "Meeting is at 10 now"),
        ("We have an office in Ghent", "We have an office in Lille now"),
        ("Mila drives a Skoda", "Mila drives a Volvo now"),
    ],
)
def test_another_number_of_the_same_or_another_span_of_time_does(before: str, after: str):
    assert [one[:2] for one in consolidate(told_weeks_apart(before, after), [WHO]).superseded] == [(0, 1)]


JOINERS = [Subject(1, ("Kerstin Hallmann",), "unknown", False), Subject(2, ("Ilse Overkamp",), "unknown", False)]


@pytest.mark.parametrize(
    ("other", "before", "after"),
    [
        ("Kerstin Hallmann leitet die Schreinerei.", "Ilse Overkamp bestellt jeden Monat vier Stühle.",
         "Ilse Overkamp bestellt jetzt jeden Monat sechs Stühle."),
        ("Kerstin Hallmann sweeps the yard.", "Ilse Overkamp hires out seven barrows every week.",
         "Ilse Overkamp hires out nine barrows every week."),
        ("Kerstin Hallmann barre la cour.", "Ilse Overkamp loue sept brouettes chaque semaine.",
         "Ilse Overkamp loue neuf brouettes chaque semaine."),
        ("Керстин метёт двор.", "Ilse Overkamp берёт семь тачек каждую неделю.",
         "Ilse Overkamp берёт девять тачек каждую неделю."),
    ],
)  # fmt: skip
def test_another_number_in_words_is_not_said_by_the_first(other: str, before: str, after: str):
    facts = [
        fact(0, 1, other, 1),
        fact(1, 2, before, 8),
        fact(2, 2, after, 15),
        fact(3, 1, f"{other[:-1]}, mostly.", 15),
    ]
    assert not [one for one in consolidate(facts, JOINERS).duplicates if {1, 2} & {*one[:2]}]


@pytest.mark.parametrize(
    ("one", "other", "otherwise"),
    [
        ("orders four chairs", "orders six chairs", True),
        ("orders four chairs", "orders four stools", False),
        ("orders chairs", "orders six chairs", False),
        ("pide cuatro sillas", "pide seis sillas", True),
    ],
)
def test_numbers_in_words_are_values(one: str, other: str, otherwise: bool):
    facts = [fact(0, 1, one), fact(1, 1, other)]
    readings = [statement.reading for statement in StatementMaker(facts, JOINERS, ReadingMemory()).make(facts)]
    assert count_otherwise(*readings) is otherwise
