"""What a memory shows of how a question is answered, of one type of entity and of all."""

from __future__ import annotations

import numpy as np
import pytest

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


def _shown(*told: tuple[int, str, int]) -> dict[str, float]:
    """What is shown of the question that the first two facts answer, counts as counts; each (entity, text, day)."""
    facts: list[Fact] = [fact(at, entity, text, day) for at, (entity, text, day) in enumerate(told)]
    evidence = gather_evidence(facts, (), SUBJECTS, StatementMaker(facts, SUBJECTS, ReadingMemory()), frozenset())
    older, newer, table = evidence.in_time()
    home = {found.id: statement.at for statement in evidence.said for found in statement.facts}
    (row,) = np.flatnonzero((older + newer == home[0] + home[1]) & np.isin(older, (home[0], home[1])))
    names = ("tests", "turned", "beside", "chances", "most", "any_tests", "any_turned", "any_beside", "any_chances")
    return {name: round(float(np.expm1(table[row, SIGNALS.index(f"frame_{name}")]))) for name in names}


@pytest.mark.parametrize(
    ("days", "turned", "beside", "chances"),
    [
        ((10, 40), 0, 0, 0),  # one after the other
        ((10, 40, 70), 1, 0, 1),  # the former was told again after the newer
        ((10, 10), 0, 1, 0),  # both on one occasion
    ],
)
def test_answers_in_turns_and_on_one_occasion_are_counted(
    days: tuple[int, ...], turned: int, beside: int, chances: int
) -> None:
    values = ("lies at berth 4", "lies at berth 9", "lies at berth 4")
    shown = _shown(*((1, value, day) for value, day in zip(values, days, strict=False)))
    wanted = {"tests": 1, "turned": turned, "beside": beside, "chances": chances, "most": 2}
    assert {name: shown[name] for name in wanted} == wanted


def test_what_entities_of_another_type_show_counts_apart() -> None:
    two = (1, "lies at berth 4", 10), (1, "lies at berth 9", 40)
    turns = tuple((3, f"lies at berth {berth}", day) for berth, day in ((5, 10), (7, 40), (5, 70)))
    alone, beside = _shown(*two), _shown(*two, *turns)
    assert {name: alone[name] for name in ("tests", "turned", "any_tests", "any_turned")} == {
        "tests": 1, "turned": 0, "any_tests": 1, "any_turned": 0,
    }  # fmt: skip
    assert {name: beside[name] for name in ("tests", "turned", "any_tests", "any_turned")} == {
        "tests": 1, "turned": 0, "any_tests": 2, "any_turned": 1,
    }  # fmt: skip


def test_an_answer_that_was_told_at_several_times_might_have_been_told_in_turns() -> None:
    told = (1, "lies at berth 4", 10), (1, "lies at berth 9", 60), (1, "lies at berth 4", 30)
    assert (_shown(*told)["chances"], _shown(*told)["turned"]) == (1, 0)
