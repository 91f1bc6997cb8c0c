"""An initial is what its own facts spell: a P. Quennell who is Peter is no Paula."""

from __future__ import annotations

import pytest

from graphdream.entities import Record, resolve
from graphdream.entities.spelled import spells_otherwise

REST = (
    Record("r1", "Wilma Stroop", "person", ("lives in Zwolle",)),
    Record("r2", "Kestrel Basic", "product", ("9 euros a month, one user",)),
    Record("r3", "FC Northwick", "team", ("plays in blue, league two",)),
    Record("r4", "Brandaris", "place", ("lighthouse on Terschelling, 52 metres",)),
)

SPELLED = [
    ("K. Vasquez", "Karla, dentist in Tunja", "Kevin Vasquez"),
    ("K. Vasquez", "her full name is Karla Vasquez", "Kevin Vasquez"),
    ("S. Ito", "Sumire, judge at the dahlia show", "Satoru Ito"),
    ("L. Abernathy", "Louis, father of Lionel, runs the ferry", "Lionel Abernathy"),
    ("T. Okafor", "his first name is Tunde", "Temi Okafor"),
    ("С. Попов", "Степан, брат Сергея, тоже тренер по гребле", "Серёжа Попов"),
]


@pytest.mark.parametrize(("initial", "said", "other"), SPELLED, ids=[said for _, said, _ in SPELLED])
def test_an_initial_stands_for_the_name_that_its_own_facts_tell(initial, said, other):
    a = Record("a", initial, "person", (said, "dentist in Tunja"))
    b = Record("b", other, "person", ("dentist in Tunja",))
    assert spells_otherwise(a, b)
    got = resolve([a, b, *REST])
    assert got.clusters["a"] != got.clusters["b"]


NOT_SPELLED = [
    ("K. Vasquez", "Karla, dentist in Tunja", "Karla Vasquez"),
    ("R. Lindqvist", "Bob, or Rob, repairs accordions", "Robert Lindqvist"),
    ("R. Lindqvist", "Rob, repairs accordions", "Robert Lindqvist"),
    ("P. Quennell", "Pianist, plays in the quartet", "Paula Quennell"),
    ("K. Vasquez", "brother of Karla Vasquez", "Kevin Vasquez"),
    ("K. Vasquez", "Kyoto is where the dentist was born", "Kevin Vasquez"),
    ("K. Vasquez", "Karla, dentist in Tunja", "Kevin Moreno"),
]


@pytest.mark.parametrize(("initial", "said", "other"), NOT_SPELLED, ids=[f"{s} ({o})" for _, s, o in NOT_SPELLED])
def test_an_initial_is_not_spelled_by_any_word_with_a_capital(initial, said, other):
    assert not spells_otherwise(Record("a", initial, "person", (said,)), Record("b", other, "person"))
