"""What is denied as what was so: all of it is over; a part of it leaves the rest, and somebody is asked."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it, judged_weeks_apart


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Tap by plot 8 drips", "The tap by plot 8 no longer drips."),
        ("Winnie rents plot 3", "Winnie doesn't rent plot 3 any more."),
        ("L'asino Berto è zoppo", "L'asino Berto non è più zoppo."),
        ("Der Brunnen im Hof ist trocken", "Der Brunnen im Hof ist nicht mehr trocken."),
        ("Le portail grince", "Le portail ne grince plus."),
        ("La fuente pierde agua", "La fuente ya no pierde agua."),
        ("O portão range", "O portão já não range."),
        ("Калитка скрипит", "Калитка больше не скрипит."),
        ("Brama skrzypi", "Brama już nie skrzypi."),
        ("Grinden gnisslar", "Grinden gnisslar inte längre."),
        ("De poort klemt", "De poort klemt niet meer."),
        ("水车漏水", "水车不再漏水。"),
    ],
)
def test_what_is_so_no_more_is_over(older: str, newer: str) -> None:
    assert ends_it(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The mill grinds rye and oats", "The mill no longer grinds oats."),
        ("Bo coaches the girls and the boys", "Bo no longer coaches the boys."),
        ("Rehearsals are on Mondays and Thursdays", "Rehearsals are no longer on Thursdays."),
        ("Kaja plays the harp", "Kaja no longer plays the harp in church."),
        ("Anna works at the mill", "Anna's sister no longer works at the mill."),
        ("The mill grinds rye and oats", "The mill no longer grinds oats but spelt."),
        ("Kaja teaches harp and flute", "Kaja teaches the lute now, no longer the flute."),
        ("El bar sirve café y té", "El bar ya no sirve té sino mate."),
        ("Der Laden führt Brot und Käse", "Der Laden führt keinen Käse mehr."),
        ("La tienda vende pan y queso", "La tienda ya no vende queso."),
        ("Le magasin vend du pain et du fromage", "Le magasin ne vend plus de fromage."),
        ("Магазин продаёт хлеб и сыр", "Магазин больше не продаёт сыр."),
        ("The crane lifts 6 tons", "The crane does not lift more than 6 tons."),
    ],
)
def test_what_is_denied_in_part_stays_and_is_asked_about(older: str, newer: str) -> None:
    assert both_stay(older, newer)
    found = judged_weeks_apart(older, newer)
    assert any({one.first, one.second} == {0, 1} for one in found.open)
