"""Two things that are told in much the same words, each by its name: what holds of the one ends nothing of the other."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from support.facts_world import told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("space 12 is free", "space 15 is now free"),
        ("la taquilla 14 está libre", "la taquilla 21 está ahora libre"),
        ("Schrank 12 ist frei", "Schrank 31 ist jetzt frei"),
        ("дорожка 3 закрыта", "дорожка 5 теперь закрыта"),
        ("2番倉庫は空いている", "4番倉庫は今は空いている"),
        ("pump 3 runs at night", "pump 5 now runs at night"),
        ("metformin 500 mg", "ramipril is now 5 mg"),
        ("right eye -2.5", "left eye is now -3.0"),
        ("work phone 555 0101", "new mobile phone: 555 0999"),
        ("landline 555 0101", "her mobile number is 555 0999 now"),
        ("gate code 4471", "the alarm code is 9920 now"),
        ("student season ticket 60 pounds a year", "adult season ticket is now 135 pounds a year"),
        ("full plot 70 pounds a year", "half plot is now 42 pounds a year"),
        ("assam 12 euros a kilo", "darjeeling is now 31 euros a kilo"),
        ("cuota infantil 28 euros al mes", "la cuota de adultos es ahora 45 euros al mes"),
        ("Paperless listens on port 8200", "Grafana now listens on port 3200"),
        ("Die API lauscht auf Port 8080", "Der Worker lauscht nun auf Port 9090"),
        ("la zona este se riega los martes", "la zona oeste se riega ahora los sábados"),
        ("el armario norte guarda 30 sillas", "el armario sur guarda ahora 12 sillas"),
    ],
)
def test_what_holds_of_the_one_ends_nothing_of_the_other(before: str, after: str):
    assert not consolidate(told_weeks_apart(before, after), [WHO]).superseded


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("rent 640 euros", "the rent is now 660 euros"),
        ("gate code 4471", "new gate code: 9920"),
        ("Die API lauscht auf Port 8080", "Die API lauscht nun auf 9090"),
        ("metformin 500 mg", "metformin is now 850 mg"),
        ("opens at 8 in winter", "opens now at 9 in winter"),
        ("la cuota 28 euros al mes", "la cuota es ahora 30 euros al mes"),
        ("Grafana listens on port 3100", "Grafana now listens on port 3200"),
    ],
)
def test_what_holds_now_of_one_thing_ends_what_held(before: str, after: str):
    assert [one[:2] for one in consolidate(told_weeks_apart(before, after), [WHO]).superseded] == [(0, 1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("su madre vive en Reus", "vive en Reus"),
        ("seine Schwester hat ein rotes Kanu", "hat ein rotes Kanu"),
        ("sa mère habite à Nantes", "habite à Nantes"),
        ("её брат живёт в Туле", "живёт в Туле"),
        ("booked the ferry to Santander for 9 June", "cancelled the ferry to Santander for 9 June"),
        ("debe 40 euros a Ermelinda", "ya ha pagado los 40 euros a Ermelinda"),
    ],
)
def test_what_is_said_of_somebodys_own_or_with_another_verb_is_no_copy(one: str, other: str):
    assert not consolidate(told_weeks_apart(one, other), [WHO]).duplicates
