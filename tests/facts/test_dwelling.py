"""Where somebody moved ends where he lived, in languages of which the scorer knows few words."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Vive en Jaén", "Se mudó a Huelva."),
        ("Habite à Brest", "A déménagé à Lorient."),
        ("Abita a Lecce", "Si è trasferita a Bari."),
        ("Mora em Olinda", "Mudou-se para Maceió."),
        ("Wohnt in Fulda", "Ist nach Jena umgezogen."),
        ("Woont in Zwolle", "Is naar Breda verhuisd."),
        ("Живёт в Пскове", "Переехала в Казань."),
        ("Mieszka w Łodzi", "Przeprowadziła się do Gdyni."),
        ("Bor i Umeå", "Har flyttat till Gävle."),
    ],
)
def test_where_somebody_moved_ends_where_he_lived(older: str, newer: str) -> None:
    assert ends_it(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Vive en Jaén", "Se mudó a una casa con patio."),
        ("Vive en Jaén", "Pasó a Linux."),
        ("Vive en Jaén", "No se mudó a Huelva."),
        ("Vive en Jaén con Paco", "Se mudó a Huelva."),
        ("Habite à Brest", "Passé à Linux."),
        ("Wohnt in Fulda", "Ist nach Jena gewandert."),
        ("Wohnt in Fulda", "Ist zu Tibber gewechselt."),
        ("Woont in Zwolle", "Is overgestapt naar Linux."),
        ("Bor i Umeå", "Har bytt till Tibber."),
    ],
)
def test_what_else_somebody_went_to_ends_nothing(older: str, newer: str) -> None:
    assert both_stay(older, newer)
