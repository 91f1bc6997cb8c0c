"""A sentence that says two things: what ends the one takes nothing of the other."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.explain import explain_facts
from support.facts_world import told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Ondrea drives a Skoda and is allergic to cats", "Ondrea drives a Volvo now"),
        ("Ondrea's phone number is 5512, she prefers text messages", "Ondrea's phone number is 7741"),
        ("Max upload is 20 MB, only images are allowed", "Max upload is 50 MB now"),
        ("Ondrea lives in Oslo; her sister lives in Hamar", "Ondrea lives in Bergen now"),
        ("The server is called heron and has 16 GB of memory", "The server has 32 GB of memory now"),
        ("Die Miete beträgt 940 Euro und der Hund heißt Bolle", "Die Miete beträgt jetzt 985 Euro"),
        ("El alquiler cuesta 940 euros y el perro come pescado", "El alquiler cuesta ahora 985 euros"),
        ("L'affitto costa 940 euro e il cane ha 3 anni", "L'affitto costa ora 985 euro"),
        ("Cache: Memcached 1.6 behind port 11311", "The cache now answers on port 11400"),
        ("The kiln fires at 1240 degrees for 9 hours", "The kiln now fires for 11 hours"),
        ("Ferry KL1234 leaves Lyon at 07:10", "The ferry now leaves at 07:45"),
        ("The loft is above the stable, its gate code is 4471", "The gate code of the loft was changed to 5582"),
        ("The sauna is heated, entry costs 6 euros", "Entry to the sauna costs 7 euros now"),
        ("The choir rehearses in the crypt, dues are 30 euros", "Dues of the choir are 35 euros now"),
        ("The vet is Dr. Okoye, visits are on Thursdays", "Visits of the vet are on Tuesdays now"),
        ("Lager: Ghent, 3. Stock, 12 Plätze", "Das Lager hat jetzt 15 Plätze"),
        ("Insurance: Aviva, 12 euros a month", "Insurance is 14 euros a month now"),
        ("Miete: 520 Euro, fällig am 3.", "Die Miete beträgt jetzt 560 Euro"),
        ("Locker: phone 5512, room 14", "The locker moved from room 14 to room 22"),
        ("Milo (beagle, 7 y): phenobarbital 75 mg twice a day", "Milo's phenobarbital went up from 75 mg to 90 mg"),
        ("Luna (cat): insulin 2 units at 7:30 and 19:30", "Luna gets insulin 3 units now, no longer 2"),
        ("Server: 16 GB, Debian 11, port 8080", "The server moved from Debian 11 to Debian 13"),
        ("Ondrea: baker, works nights, allergic to sesame", "Ondrea is no longer allergic to sesame"),
        ("Ondrea is allergic to nuts and works on Tuesdays", "Ondrea works on Thursdays, no longer on Tuesdays"),
        ("Ondrea works on Tuesdays, is allergic to nuts", "Ondrea works on Thursdays, no longer on Tuesdays"),
        ("allergic to penicillin and lives in Oslo", "lives in Bergen now, no longer in Oslo"),
        ("allergic to nuts, lives in Leeds", "moved from Leeds to York"),
        ("nurse, single mother of two, lives in Oslo", "moved from Oslo to Bergen"),
        ("diabetic, swims on Mondays", "swims on Fridays, no longer on Mondays"),
        ("diabetic and swims on Mondays", "swims on Fridays, no longer on Mondays"),
        ("alérgica al látex, trabaja los martes", "trabaja los jueves, ya no los martes"),
        ("аллергия на пенициллин, работает по вторникам", "работает по четвергам, больше не по вторникам"),
        ("Diabetiker, schwimmt montags", "schwimmt freitags, nicht mehr montags"),
        ("Die Katze ist blind, wohnt in Kiel", "wohnt jetzt in Husum, nicht mehr in Kiel"),
        ("Ondrea is allergic to nuts; phone 555 0101", "Ondrea's new phone is 555 0999"),
        ("Ondrea drives a Skoda and keeps two ponies", "Ondrea sold the Skoda and drives a Kia now"),
        ("Ondrea fährt einen Saab und hält zwei Ponys", "Ondrea hat den Saab verkauft und fährt jetzt einen Kia"),
        ("The exporter writes Parquet to the bucket osprey", "The exporter writes Avro now instead of Parquet"),
        ("La estufa está en el anexo y quema abedul", "La estufa quema ahora aliso en vez de abedul"),
        ("Печь стоит в пристройке и топится берёзой", "Печь теперь топится ольхой вместо берёзы"),
    ],
)
def test_the_other_thing_is_asked_about_and_stays(before: str, after: str):
    found = consolidate(told_weeks_apart(before, after), [WHO])
    assert not found.superseded
    assert ("replaces", 0, 1) in {(one.question, one.first, one.second) for one in found.open}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Ondrea drives a Skoda", "Ondrea drives a Volvo now"),
        ("The rent is 640 euros, due on the 1st", "The rent is 700 euros now, due on the 1st"),
        ("Ondrea drives a Skoda, as usual", "Ondrea drives a Volvo now"),
        ("Ondrea's phone number is 5512", "Ondrea's phone number is 7741, she prefers text messages"),
        ("Max upload is 20 MB and only images are allowed", "Max upload is 50 MB now and only images are allowed"),
        ("Team lead is Ondine Vask since 2021", "Team lead is now Bram Okker"),
        ("The trial runs until 4 March 2026 at 12:00", "The trial now runs until 9 April"),
        ("The quiet room was 12 and became 8", "The quiet room is 4 now"),
        ("The berth costs 205 a week, no longer 51", "The berth costs 230 a week now"),
        ("The notice period is 3 days", "The notice period is a month now"),
        ("Ondrea is paid £31 an hour", "Ondrea's pay was changed from £31 to £12 an hour"),
        ("El código de la verja es 4471", "El código de la verja ahora es 9052"),
        ("Il codice del cancello è 4471", "Il codice del cancello ora è 9052"),
    ],
)
def test_what_says_nothing_else_is_replaced(before: str, after: str):
    assert [one[:2] for one in consolidate(told_weeks_apart(before, after), [WHO]).superseded] == [(0, 1)]


def test_explain_says_what_holds_it():
    facts = told_weeks_apart("Ondrea drives a Skoda and is allergic to cats", "Ondrea drives a Volvo now")
    told = explain_facts(facts, [WHO], 0, 1).as_text()
    assert "did the second replace the first? yes" in told and "it says something besides" in told
