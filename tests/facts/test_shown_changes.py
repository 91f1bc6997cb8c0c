"""What a memory itself shows of a question weighs more than what its words may ask: days that had passed."""

from __future__ import annotations

import pytest

from graphdream.facts import Fact, Subject, consolidate
from graphdream.facts.othertimes import moved_another
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.statements import StatementMaker
from support.facts_world import fact

NAMES = "Alder Birch Cedar Dune Elm Fern Gorse Hazel Iris Juniper Kelp Larch Maple Nettle Oak Pine".split()
SURVEYS = [Subject(at, (f"{name} Survey",), "project", False) for at, name in enumerate(NAMES)]
MONTHS = ("March", "April", "May")


def _memory(says: str, change: str) -> list[Fact]:
    """Sixteen surveys and a day of each; every third is said to have moved, where `change` says so."""
    facts: list[Fact] = []
    for at, survey in enumerate(SURVEYS):
        name, day, later = survey.names[0], f"{3 + at} {MONTHS[at % 3]}", f"{5 + at} June"
        facts.append(fact(len(facts), at, says.format(n=name, d=day), 10 + at))
        if change and at and at % 3 == 0:
            facts.append(fact(len(facts), at, change.format(n=name, d=day, e=later), 20 + at))
            facts.append(fact(len(facts), at, says.format(n=name, d=later), 24 + at))
    return facts


@pytest.mark.parametrize(
    ("says", "change"),
    [
        ("{n} closes on {d}", "{n} closes on {e}, no longer on {d}"),
        ("the deadline of {n} is {d}", "the deadline of {n} moved from {d} to {e}"),
        ("{n} is due on {d}", "{n} is due on {e} instead of {d}"),
    ],
)
def test_a_day_that_had_passed_is_over_where_the_memory_tells_changes_of_it(says: str, change: str):
    newer = fact(100, 0, says.format(n="Alder Survey", d="9 July"), 120)  # told on 30 April, of 3 March
    shown = consolidate([*_memory(says, change), newer], SURVEYS)
    nothing = consolidate([*_memory(says, ""), newer], SURVEYS)
    assert (0, 100) in [one[:2] for one in shown.superseded]
    assert (0, 100) not in [one[:2] for one in nothing.superseded]


@pytest.mark.parametrize(
    ("before", "after", "another"),
    [
        ("the club meets on 12 January", "the club meeting moved from 3 June to 10 June", True),
        ("der Chor probt am 12. Januar", "die Probe des Chors wurde vom 3. Juni auf den 10. Juni verschoben", True),
        ("el coro ensaya el 12 de enero", "el ensayo pasó del 3 de junio al 10 de junio", True),
        ("the club meets on 3 June", "the club meeting moved from 3 June to 10 June", False),
        ("the club meets on 12 January", "the club meets on 10 June", False),
        ("the club meets on 12 January", "the meeting of the club was moved to 9 June", False),
        ("the club meets in Oslo", "the club meeting moved from 3 June to 10 June", False),
    ],
)
def test_a_change_of_another_day_is_one_of_another_time(before: str, after: str, another: bool):
    facts = [fact(0, 0, before, 5), fact(1, 0, after, 130)]
    one, other = StatementMaker(facts, SURVEYS, ReadingMemory()).make(facts)
    assert moved_another(one.reading, other.reading) is another


def test_what_happened_at_another_time_stays():
    found = consolidate(
        [
            fact(0, 0, "board meeting on 12 January", 5),
            fact(1, 0, "the board meeting moved from 3 June to 10 June", 150),
        ],
        SURVEYS,
    )
    assert not found.superseded and [(one.first, one.second) for one in found.open] == [(0, 1)]
