"""Lines of a list under one label: the newer came after the older, and ended nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.facts import FactFindings, Subject, consolidate
from graphdream.facts.calibration import shipped
from graphdream.facts.cuts import Cuts
from graphdream.facts.judge import judge
from support.facts_world import fact

GLASSHOUSE = Subject(1, ("Glasshouse",), "project", False)
EASY = Cuts(edited=0.3, unlike=0.3)  # what two lines show by themselves is enough, so that the list alone decides

Line = tuple[str, int]


def _judged(*told: Line, cuts: Cuts = EASY, seen: tuple[int, int] | None = None) -> FactFindings:
    """What is found of lines, each with its day; `seen`: the importer saw the second edited in the first one's place."""
    facts = [
        fact(at, 1, text, day, aspect="Glasshouse / Plans", source="file:notes/glasshouse.md", session=None)
        for at, (text, day) in enumerate(told)
    ]
    if seen:
        facts[seen[1]] = replace(facts[seen[1]], instead_of=seen[0])
    return judge(facts, [GLASSHOUSE], shipped(), cuts=cuts)


def _ended(found: FactFindings) -> list[tuple[int, int]]:
    return [(old, new) for old, new, _, _ in found.superseded]


LISTS = [
    [
        ("Planner: rainfall yield estimate", 3),
        ("Planner: bed layout drawing", 3),
        ("Planner: seed packet printing", 3),
        ("Planner: frost yield estimate", 40),
    ],
    [
        ("Planner: temperature log export", 10),
        ("Planner: bed layout drawing", 3),
        ("Planner: wind log export", 40),
    ],
    [("完了: 屋根のガラス交換", 10), ("完了: 北側の棚を塗装", 3), ("完了: 入口の扉の交換", 40)],
]


@pytest.mark.parametrize("told", LISTS)
def test_a_line_of_a_list_ends_no_other_and_is_asked_about(told: list[Line]) -> None:
    assert _ended(_judged(told[0], told[-1])) == [(0, 1)]
    found = _judged(*told)
    assert not _ended(found)
    assert [(one.first, one.second) for one in found.open if one.question == "replaces"] == [(0, len(told) - 1)]


def test_an_edited_line_of_a_list_is_over() -> None:
    lines = [("Bench: sawing guide from oak, 40 cm", 3), ("Bench: vice mount", 3)]
    assert _ended(_judged(*lines, ("Bench: sawing guide from oak, 55 cm", 40), cuts=Cuts())) == [(0, 2)]


def test_answers_that_all_came_one_after_the_other_are_no_list() -> None:
    found = _judged(("Next job: wire the lamp", 3), ("Next job: paint the door", 20), ("Next job: lay the slabs", 40))
    assert {old for old, _ in _ended(found)} == {0, 1}


def test_one_that_stays_keeps_all_of_its_list() -> None:
    """The person told the first one, so no line of a file ends it; it shows that the others are a list, too."""
    told = [("Job: wire the lamp", 3), ("Job: paint the door", 20), ("Job: lay the slabs", 40)]
    facts = [
        fact(at, 1, text, day, aspect="Glasshouse / Plans", source="file:notes/glasshouse.md", session=None)
        for at, (text, day) in enumerate(told)
    ]
    facts[0] = replace(facts[0], authority="user")
    assert not judge(facts, [GLASSHOUSE], shipped(), cuts=EASY).superseded


def test_what_the_importer_saw_edited_is_over() -> None:
    told = LISTS[0]
    assert _ended(_judged(*told, seen=(0, len(told) - 1))) == [(0, len(told) - 1)]


def test_lines_under_another_heading_are_of_another_list() -> None:
    aspects = ["Glasshouse / Plans", "Glasshouse / Wishes", "Glasshouse / Plans"]
    facts = [
        fact(at, 1, text, day, aspect=aspect, source="file:notes/glasshouse.md", session=None)
        for at, ((text, day), aspect) in enumerate(zip(LISTS[1], aspects, strict=True))
    ]
    assert _ended(judge(facts, [GLASSHOUSE], shipped(), cuts=EASY)) == [(0, 2)]


@pytest.mark.parametrize("told", LISTS)
def test_a_second_look_finds_nothing_more(told: list[Line]) -> None:
    facts = [
        fact(at, 1, text, day, aspect="Glasshouse / Plans", source="file:notes/glasshouse.md", session=None)
        for at, (text, day) in enumerate(told)
    ]
    found = consolidate(facts, [GLASSHOUSE])
    assert not found.superseded and not found.duplicates and not found.junk
