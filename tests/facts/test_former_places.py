"""What a memory shows of where it puts what is over, in verbs that no list has; what is told again there is not over."""

from __future__ import annotations

import pytest

from graphdream.facts import Fact, Subject, consolidate
from support.facts_world import fact

NAMES = "Alder Birch Cedar Dune Elm Fern Gorse Hazel Iris Juniper Kelp Larch Maple Nettle Oak Pine".split()
SHEDS = [Subject(at, (f"{name} Shed",), "place", False) for at, name in enumerate(NAMES)]
COLOURS = "crimson ochre teal indigo umber olive mauve sepia".split()
FORMS = (
    ("{n} has a coat of {w}", "{n} glimmered {a} over onto {w}"),
    ("{n} ist noch immer gestrichen in {w}", "{n} glomm {a} dort über {w} hinweg"),
    ("{n} lleva una capa de {w}", "{n} brillaba {a} allá sobre {w} deslucido"),
)


def _memory(says: str, change: str, *, again: bool = False) -> list[Fact]:
    """Sixteen sheds, each of a colour; of ten of them a sentence names the next one beside it, and then the next is
    told; where `again`, the former is told once more, later."""
    facts: list[Fact] = []
    for at, shed in enumerate(SHEDS[1:], 1):
        name, was, now = shed.names[0], COLOURS[at % 8], COLOURS[(at + 3) % 8]
        facts.append(fact(len(facts), at, says.format(n=name, w=was), at))
        if at > 5:
            facts.append(fact(len(facts), at, change.format(n=name, w=was, a=now), 30 + at))
            facts.append(fact(len(facts), at, says.format(n=name, w=now), 60 + at))
        if at > 5 and again:
            facts.append(fact(len(facts), at, says.format(n=name, w=was) + ", as ever", 90 + at))
    return facts


def _ended(says: str, change: str, facts: list[Fact]) -> bool:
    older = fact(1000, 0, says.format(n="Alder Shed", w="teal"), 5)
    newer = fact(1001, 0, change.format(n="Alder Shed", w="teal", a="umber"), 120)
    found = consolidate([*facts, older, newer], SHEDS)
    return any(one[0] == 1000 for one in found.superseded)


@pytest.mark.parametrize(("says", "change"), FORMS)
def test_a_memory_teaches_by_itself_how_it_tells_that_something_is_over(says: str, change: str):
    assert _ended(says, change, _memory(says, change))
    assert not _ended(says, change, [])


@pytest.mark.parametrize(("says", "change"), FORMS)
def test_what_is_told_again_later_was_not_over(says: str, change: str):
    assert not _ended(says, change, _memory(says, change, again=True))
