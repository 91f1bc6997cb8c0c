"""What is said of a thing of the thing, or on top of it: the rent stays what it is when the rent deposit is told."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.explain import explain_facts
from support.facts_world import told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


def _judged(before: str, after: str):
    return consolidate(told_weeks_apart(before, after), [WHO])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Rent: 520 euros", "Rent deposit is 900 euros now"),
        ("Rent: 520 euros", "Rent arrears are 120 euros"),
        ("The rent is 520 euros", "The rent deposit is now 900 euros"),
        ("The gym costs 30 euros a month", "The gym locker now costs 8 euros a month"),
        ("Ondrea's car has 120 hp", "Ondrea's car battery now has 70 Ah"),
        ("The boat is 7 m long", "The boat trailer is 5 m long"),
        ("租金：3200元", "租金押金现在是6400元"),
        ("speaks Dutch", "speaks Turkish now, too"),
        ("speaks Dutch", "also speaks Turkish now"),
        ("plays the cello", "now plays the oboe as well"),
        ("The API returns JSON", "The API now also returns CSV"),
        ("spielt Cello", "spielt jetzt auch Oboe"),
        ("habla neerlandés", "ahora también habla turco"),
    ],
)
def test_what_is_of_a_part_or_comes_on_top_replaces_nothing(before: str, after: str):
    found = _judged(before, after)
    assert not found.superseded
    assert not [
        one for one in found.open if (one.question, one.first, one.second) == ("replaces", 0, 1) and one.related
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Rent: 520 euros", "The rent for the garage is now 90 euros"),
        ("Gym: 30 euros a month", "Gym locker costs 8 euros a month now"),
        ("Port: 5433", "Port forwarding uses 8022 now"),
        ("Miete: 520 Euro", "Die Miete der Garage ist jetzt 90 Euro"),
        ("Miete: 520 Euro", "Die Kaution der Miete ist jetzt 900 Euro"),
        ("Alquiler: 520 euros", "La fianza del alquiler es ahora de 900 euros"),
        ("Loyer : 520 euros", "Le loyer du garage est maintenant de 90 euros"),
        ("租金：3200元", "租金从下月起是3400元"),
        ("家賃は520ユーロです", "家賃の敷金は900ユーロです"),
        ("The choir sings at 7", "The youth choir sings at 5 now"),
        ("Membership costs 90 euros", "Family membership costs 150 euros now"),
        ("Retries: 3", "Webhook retries are 5 now"),
        ("Der Hofladen öffnet um 9", "Der kleine Hofladen öffnet jetzt um 10"),
        ("Бассейн открыт с 7", "Детский бассейн теперь открыт с 10"),
        ("プールは9時に開く", "子供プールは今10時に開く"),
    ],
)
def test_where_it_may_be_a_part_or_a_kind_somebody_is_asked(before: str, after: str):
    found = _judged(before, after)
    assert not found.superseded
    assert ("replaces", 0, 1) in {(one.question, one.first, one.second) for one in found.open if one.related}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Rent: 520 euros", "Rent rises to 560 euros"),
        ("Rent: 520 euros", "The monthly rent is now 560 euros"),
        ("Rent: 520 euros", "Also, the rent is now 560 euros"),
        ("The rent is 520 euros", "The rent has risen to 560 euros"),
        ("Deadline: 3 May", "The project deadline moved to 9 June"),
        ("Gym: 30 euros a month", "The gym raised its fee to 38 euros a month"),
        ("The gym costs 30 euros a month", "The gym now only costs 25 euros a month"),
        ("The heating is at 18 degrees", "The heating is too warm at 23 degrees now"),
        ("Miete: 520 Euro", "Die Miete beträgt jetzt 560 Euro"),
        ("Alquiler: 520 euros", "El alquiler sube a 560 euros"),
        ("Loyer : 520 euros", "Le loyer est passé à 560 euros"),
        ("租金：3200元", "租金涨到3500元"),
        ("Rent: 520 euros", "The new rent is 560 euros"),
        ("Miete: 520 Euro", "Die neue Miete ist 560 Euro"),
        ("La cuota es de 30 euros", "La nueva cuota es de 35 euros"),
        ("The stall opens at 8", "Now the stall opens at 9"),
        ("The choir rehearses on Tuesdays", "Our choir rehearses on Thursdays now"),
    ],
)
def test_another_value_of_the_thing_itself_replaces_the_former(before: str, after: str):
    assert [one[:2] for one in _judged(before, after).superseded] == [(0, 1)]


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("The gym costs 30 euros a month", "The gym locker costs 30 euros a month"),
        ("The boat is 7 m long", "The boat trailer is 7 m long"),
        ("Der Server läuft mit Debian 12", "Der alte Server läuft mit Debian 12"),
    ],
)
def test_what_is_said_of_another_thing_takes_nothing_in(less: str, more: str):
    found = _judged(less, more)
    assert not found.duplicates


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("The rent is 520 euros", "The rent deposit is now 900 euros", "about something of what it is about"),
        ("speaks Dutch", "also speaks Turkish now", "comes on top"),
        ("The choir sings at 7", "The youth choir sings at 5 now", "a kind of what it is about"),
    ],
)
def test_explain_says_what_holds_it(before: str, after: str, reason: str):
    assert reason in explain_facts(told_weeks_apart(before, after), [WHO], 0, 1).as_text()
