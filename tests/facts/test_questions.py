"""What a memory shows of how a question is answered, of one type of entity and of all."""

from __future__ import annotations

import numpy as np

from graphdream.facts import Fact, Subject
from graphdream.facts.evidence import gather_evidence
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.signals import SIGNALS
from graphdream.facts.statements import StatementMaker
from support.facts_world import fact

SUBJECTS = [
    Subject(1, ("Ottermole",), "barge", False),
    Subject(2, ("Pikehythe",), "barge", False),
    Subject(3, ("Quillan",), "ferry", False),
]


NAMES = tuple(
    f"{of}{name}" for of in ("", "any_") for name in ("turned_least", "turned_most", "beside_least", "answers")
)


def _shown(*told: tuple[int, str, int]) -> dict[str, float]:
    """What is shown of the question that the first two facts answer; each (entity, text, day)."""
    facts: list[Fact] = [fact(at, entity, text, day) for at, (entity, text, day) in enumerate(told)]
    evidence = gather_evidence(facts, (), SUBJECTS, StatementMaker(facts, SUBJECTS, ReadingMemory()), frozenset())
    older, newer, table = evidence.in_time()
    home = {found.id: statement.at for statement in evidence.said for found in statement.facts}
    (row,) = np.flatnonzero((older + newer == home[0] + home[1]) & np.isin(older, (home[0], home[1])))
    return {name: float(table[row, SIGNALS.index(f"frame_{name}")]) for name in NAMES}


def _told_at(entity: int, *days: int) -> list[tuple[int, str, int]]:
    """Berth 4, berth 9, berth 4 again."""
    return [(entity, f"lies at berth {berth}", day) for berth, day in zip((4, 9, 4), days, strict=False)]


def test_answers_of_which_the_former_was_told_once_show_nothing_of_turns():
    shown = _shown(*_told_at(1, 10, 40))
    assert (shown["turned_least"], shown["turned_most"]) == (0, 1)


def test_a_former_answer_that_was_told_again_was_told_in_turns():
    shown = _shown(*_told_at(1, 10, 40, 70))
    assert shown["turned_least"] > 0 and shown["turned_most"] == 1


def test_a_former_answer_that_was_told_twice_before_might_have_been_and_was_not():
    shown = _shown(*_told_at(1, 10, 60, 30))
    assert shown["turned_least"] == 0 and shown["turned_most"] < 1


def test_answers_on_one_occasion_are_told_beside_each_other():
    assert _shown(*_told_at(1, 10, 10))["beside_least"] > _shown(*_told_at(1, 10, 40))["beside_least"] == 0


def test_no_turn_in_many_tests_leaves_less_open_than_none_in_one():
    few = _shown(*_told_at(1, 10, 60, 30))
    many = _shown(*_told_at(1, 10, 60, 30), *_told_at(2, 11, 61, 31))
    assert many["turned_most"] < few["turned_most"]


def test_what_entities_of_another_type_show_counts_apart():
    alone, beside = _shown(*_told_at(1, 10, 40)), _shown(*_told_at(1, 10, 40), *_told_at(3, 10, 40, 70))
    of_its_type = [name for name in NAMES if not name.startswith("any_")]
    assert [alone[name] for name in of_its_type] == [beside[name] for name in of_its_type]
    assert alone["any_turned_least"] == 0 < beside["any_turned_least"]
