"""What stands under a label of the notes is told anew in a sentence: in any language that has a word for now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.facts import Subject, consolidate
from support.facts_world import told_weeks_apart

HOME = Subject(1, ("Home",), "concept", False)


def _superseded(note: str, told: str) -> list[tuple[int, int]]:
    first, *others = told_weeks_apart(note, told)
    notes = [replace(first, source="file:notes/NOTES.md", session=None), *others]
    return [one[:2] for one in consolidate(notes, [HOME]).superseded]


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("Rent: 520 euros", "The rent is 560 euros now"),
        ("WLAN-Passwort: luchs44", "Das WLAN-Passwort ist jetzt dachs91"),
        ("Mot de passe : lynx44", "Le mot de passe est maintenant blaireau91"),
        ("Affitto: 520 euro", "L'affitto ora è di 560 euro"),
        ("Contraseña del wifi: lince44", "La contraseña del wifi ahora es tejon91"),
        ("Пароль от вайфая: рысь44", "Пароль от вайфая теперь барсук91"),
        ("房租: 3200元", "房租现在是3500元"),
        ("Zahnarzt: Dr. Weber", "Der Zahnarzt ist jetzt Dr. Krüger"),
        ("无线密码：lotus77", "无线密码改成了willow88"),
        ("Preis: 7,00 € pro Glas", "Der Preis liegt jetzt bei 7,50 € pro Glas"),
        ("Código de la alarma: 4417", "El código de la alarma ya no es 4417, ahora es 9023"),
    ],
)
def test_its_value_is_replaced(note: str, told: str):
    assert _superseded(note, told) == [(0, 1)]


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("Miete: 520 Euro", "Die Miete der Garage ist jetzt 60 Euro"),
        ("Loyer : 700 euros", "Le loyer du garage passe maintenant à 120 euros"),
        ("Abo: 12 Euro im Monat", "Das Abo der Nachbarn kostet jetzt 15 Euro im Monat"),
        ("Rent: 700 euros", "The rent deposit now is 900 euros"),
        ("Alquiler: 520 euros", "El seguro es ahora de 60 euros"),
        ("Senha do wifi: lince44", "A senha do alarme agora é texugo91"),
        ("Rent: 520 euros", "The rent is due on 3 May now"),
        ("Rent: 520 euros", "The rent is 3 weeks late now"),
        ("Boiler: 2 bar", "The boiler room is 19 degrees now"),
        ("Insurance: Aviva, 12 euros a month", "The insurance is 14 euros a month now"),
    ],
)
def test_of_something_else_nothing_is(note: str, told: str):
    assert not _superseded(note, told)
