"""A sentence that has a measured value and then another of its kind, and is about the same, tells where it went."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Elavgift 2,10 kr per kWh", "Elavgiften höjdes från 2,10 till 2,45 kr per kWh."),
        ("月謝：9000円", "月謝は9000円から9500円に上がった。"),
        ("Loyer : 640 euros", "Le loyer est passé de 640 à 675 euros."),
        ("Huur: 640 euro", "De huur ging van 640 naar 675 euro."),
        ("Kira: 640 lira", "Kira 640 liradan 675 liraya çıktı."),
        ("Husleie: 640 kr", "Husleien gikk opp fra 640 til 675 kr."),
        ("Vuokra: 640 euroa", "Vuokra nousi 640 eurosta 675 euroon."),
        ("Chirie: 640 lei", "Chiria a crescut de la 640 la 675 lei."),
        ("Bérleti díj: 640 euró", "A bérleti díj 640 euróról 675 euróra nőtt."),
        ("Exam: 3 May", "Exam slid from 3 May to 8 June."),
    ],
)
def test_where_a_value_went_ends_it(older: str, newer: str) -> None:
    assert ends_it(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Rent: 640 euros", "Rent will go from 640 to 675 euros."),
        ("Crew: 4", "Crew has 4 divers and 5 cooks on Sundays."),
        ("Berth: 40 euros", "The berth is 40 euros, for locals 25 euros."),
        ("Tours: 12", "Tours have 12 adults and 20 children."),
        ("Huur: 640 euro", "De huur ging niet van 640 naar 675 euro."),
        ("Vuokra: 640 euroa", "Autopaikka nousi 640 eurosta 675 euroon."),
    ],
)
def test_what_is_to_come_is_denied_or_is_of_something_else_ends_nothing(older: str, newer: str) -> None:
    assert both_stay(older, newer)
