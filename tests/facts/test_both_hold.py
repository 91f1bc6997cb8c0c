"""What a newer sentence with *now* says of another kind, of a part, or as one of several answers, ends nothing."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it, judged_weeks_apart


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # several answers
        ("Ada speaks Danish", "Ada now speaks Finnish."),
        ("Ada is allergic to nuts", "Ada is allergic to milk now."),
        ("Needs a visa for India", "Needs a visa for Kenya now."),
        ("Ada plays the harp", "Ada plays the oboe now."),
        ("Ada is a member of the choir", "Ada is a member of the rowing club now."),
        ("Ada habla danés", "Ada ahora habla finés."),
        # of a part alone
        ("Lunch is at noon", "Lunch is at one on Fridays now."),
        ("Parking costs 4 euros", "Parking costs 6 euros for buses now."),
        ("The ferry takes 40 minutes", "The ferry takes 55 minutes in winter now."),
        ("Das Bad öffnet um 7", "Das Bad öffnet sonntags jetzt um 9."),
        ("Das Bad öffnet um 7", "Das Bad öffnet jetzt in den Ferien um 9."),
        ("La piscina abre a las 7", "La piscina abre ahora a las 9 los domingos."),
        ("La piscine ouvre à 7 h", "La piscine ouvre maintenant à 9 h le dimanche."),
        ("Shipping takes 3 days", "Shipping takes 9 days to Greenland now."),
        # of another kind
        ("Guest Wi-Fi password: reed41", "The office Wi-Fi password is now heron12."),
        ("Front door code: 4417", "The back door code is 9920 now."),
        ("Clave del taller: lince44", "La clave del almacén ahora es zorro12."),
        ("Oslo office: 12 desks", "The Bergen office has 20 desks now."),
        ("Left pump: 3 bar", "The right pump is at 4 bar now."),
        ("Ruth's phone: 5512", "Ruth's work phone is 7781 now."),
        # of somebody or something else
        ("Ondrea's mother lives in Ghent", "Ondrea lives in Bruges now."),
        ("Ondrea lives in Bruges", "Ondrea's mother lives in Ghent now."),
        ("His mother lives in Ghent", "Ondrea lives in Bruges now."),
        ("Ondrea is insured with Folk", "Ondrea's car is insured with Alka now."),
        ("is insured with Folk", "The car is insured with Alka now."),
        ("La madre de Ondrea vive en Gante", "Ondrea vive ahora en Brujas."),
        ("Ondrea vive en Gante", "La madre de Ondrea vive ahora en Brujas."),
        ("Ondrea works with Kai at Kiwi", "Kai works at Rema now."),
        ("Ondrea's daughter is 4", "Ondrea's son is 7 now."),
        ("Ondrea eats at 7", "Ondrea wakes at 6 now."),
        # to whom, and how much
        ("Otto owes Ruth 20 euros", "Otto owes Kim 35 euros now."),
    ],
)
def test_it_ends_nothing(older: str, newer: str) -> None:
    assert both_stay(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ada lives in Oslo", "Ada lives in Bergen now."),
        ("Ada works as a nurse", "Ada works as a teacher now."),
        ("Lunch is at noon", "Lunch is at one now."),
        ("Office Wi-Fi password: reed41", "The office Wi-Fi password is now heron12."),
        ("Gate code: 4417", "The gate code is 9920 now."),
        ("Night shift: 10 to 6", "The night shift is 11 to 7 now."),
        ("Current supplier: Lowfield", "The new supplier is Hartmann."),
        ("Ruth's phone: 5512", "Ruth's phone is 7781 now."),
        ("Otto owes Ruth 20 euros", "Otto now owes Ruth 35 euros."),
    ],
)
def test_what_is_of_the_same_ends_it(older: str, newer: str) -> None:
    assert ends_it(older, newer)


def test_a_goal_in_much_the_same_words_is_asked_about() -> None:
    found = judged_weeks_apart("Goal: run a half marathon", "The goal is now a full marathon.")
    assert not found.superseded and not found.duplicates
    assert ("replaces", 0, 1) in [(one.question, one.first, one.second) for one in found.open]
