"""A change is told by a verb in any language: `verschoben`, `déménagé`, `перенесли`; and verbs of change are said of much else."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.words import CHANGE, FUNCTION_WORDS, INTENT, NOW
from support.facts_world import told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


def _superseded(before: str, after: str) -> list[tuple[int, int]]:
    return [one[:2] for one in consolidate(told_weeks_apart(before, after), [WHO]).superseded]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Die Sitzung ist am Dienstag", "Die Sitzung wurde auf Donnerstag verschoben"),
        ("Nora arbeitet bei Brenner", "Nora ist von Brenner zu Sietas gewechselt"),
        ("La reunión es el martes", "La reunión se aplazó al jueves"),
        ("Marta trabaja en Iberdrola", "Marta cambió Iberdrola por Naturgy"),
        ("Le loyer est de 700 euros", "Le loyer a augmenté à 740 euros"),
        ("Julie habite à Nantes", "Julie a déménagé de Nantes à Brest"),
        ("La riunione è martedì", "La riunione è stata rinviata a giovedì"),
        ("Rui mora em Braga", "Rui mudou de Braga para Faro"),
        ("Собрание во вторник", "Собрание перенесли на четверг"),
        ("De vergadering is op dinsdag", "De vergadering is verplaatst naar donderdag"),
        ("Zebranie jest we wtorek", "Zebranie przełożono na czwartek"),
        ("Hyra: 5200 kronor", "Hyran är nu 5600 kronor"),
        ("kira 520 euro", "kira artık 560 euro"),
    ],
)
def test_a_verb_or_an_adverb_tells_the_change(before: str, after: str):
    assert _superseded(before, after) == [(0, 1)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Die Sitzung ist am Dienstag", "Das Sommerfest wurde auf den 9. August verschoben"),
        ("Nora arbeitet bei Brenner", "Nora hat die Winterreifen gewechselt"),
        ("Marta trabaja en Iberdrola", "Marta cambió las ruedas del coche"),
        ("Le loyer est de 700 euros", "Le prix du gaz a augmenté à 90 euros"),
        ("Julie habite à Nantes", "Le bureau a déménagé à Brest"),
        ("Marco lavora da Barilla", "Marco ha cambiato le gomme"),
        ("Rui mora em Braga", "A irmã mudou para Faro"),
        ("Олег работает в Яндексе", "Олег сменил пароль"),
        ("De vergadering is op dinsdag", "De kast is verplaatst naar de gang"),
        ("Zebranie jest we wtorek", "Zmieniono hasło do alarmu"),
    ],
)
def test_something_else_that_changes_ends_nothing(before: str, after: str):
    assert not _superseded(before, after)


def test_no_word_of_change_is_one_of_grammar_or_of_intent():
    assert not CHANGE & (FUNCTION_WORDS - NOW | INTENT)
