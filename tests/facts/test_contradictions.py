"""Contradictions: two answers told at one time to a question that has one are flagged; a list is none."""

from __future__ import annotations

import pytest

from graphdream.facts import Subject, consolidate
from support.facts_world import fact

MIRELA = Subject(1, ("Mirela",), "person", False)
TOWNS = [Subject(2 + at, (name,), "place", False) for at, name in enumerate(("Ísafjörður", "Höfn", "Görlitz", "Lugo"))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lives in Ísafjörður", "lives in Höfn"),
        ("thesis due on May 3", "thesis due on June 3"),
        ("the deadline is May 3", "the deadline is June 3"),
        ("monthly rent is 620 crowns", "monthly rent is 655 crowns"),
        ("wohnt in Görlitz", "wohnt in Höfn"),
        ("vive en Lugo", "vive en Höfn"),
        ("allergic to walnuts", "not allergic to walnuts"),
    ],
)
def test_two_answers_to_a_question_with_one_are_flagged_and_both_stay(one: str, other: str) -> None:
    besides = [fact(2 + at, 1, text, 2) for at, text in enumerate(("hums when it rains", "keeps old maps"))]
    found = consolidate([fact(0, 1, one, 2), fact(1, 1, other, 2), *besides], [MIRELA, *TOWNS])
    assert [(a, b) for a, b, *_ in found.contradictions] == [(0, 1)]
    assert not found.superseded and not found.duplicates and not found.junk


def test_what_else_was_told_of_somebody_hides_no_contradiction() -> None:
    """Any further short sentence about the same person had counted as a third answer, which makes a list."""
    told = ("Mirela lives in Höfn.", "Mirela keeps goats.", "Mirela lives in Lugo.", "Mirela dislikes sloes.")
    found = consolidate([fact(at, 1, text, 2) for at, text in enumerate(told)], [MIRELA, *TOWNS])
    assert [(a, b) for a, b, *_ in found.contradictions] == [(0, 2)]


@pytest.mark.parametrize(
    "told",
    [
        ("lives in Höfn", "lives in Lugo", "lives in Görlitz"),
        ("has been to Ísafjörður", "has been to Höfn"),
        ("likes walnuts", "likes sloes", "likes cumin"),
        ("daughter Ísa", "daughter Hild"),
        ("hat Görlitz besucht", "hat Höfn besucht"),
        ("visitó Lugo", "visitó Höfn"),
        ("paid 620 crowns", "paid 655 crowns"),
    ],
)
def test_what_has_many_answers_is_not_flagged(told: tuple[str, ...]) -> None:
    found = consolidate([fact(at, 1, text, 2) for at, text in enumerate(told)], [MIRELA, *TOWNS])
    assert not found.contradictions and not found.superseded
