"""A figure that is told of now in the words of an older statement ends the one that stood there."""

from __future__ import annotations

import pytest

from support.facts_world import both_stay, ends_it


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Der Proxy horcht auf Port 3128", "Der Proxy horcht nun auf 3129."),
        ("La bomba gira a 900 vueltas", "La bomba gira ahora a 1100."),
        ("Reports run nightly at 3 am", "Reports run at 5 am now."),
        ("Le four chauffe à 210 degrés", "Le four chauffe maintenant à 230."),
    ],
)
def test_a_figure_told_anew_ends_the_older(older: str, newer: str) -> None:
    assert ends_it(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Der Proxy horcht auf Port 3128 im Labor", "Der Proxy horcht nun auf 3129."),
        ("Der Proxy horcht auf Port 3128", "Der Proxy horcht nun auch auf 3129."),
        ("Der Proxy horcht auf Port 3128", "Horcht der Proxy nun auf 3129?"),
        ("La bomba gira a 900 vueltas", "La bomba vieja gira ahora a 1100."),
    ],
)
def test_what_may_be_true_beside_it_ends_nothing(older: str, newer: str) -> None:
    assert both_stay(older, newer)
