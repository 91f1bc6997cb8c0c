"""What a memory adds to whatever it says is no further fact, in any language; what is said of one kind of thing is."""

from __future__ import annotations

import pytest

from graphdream.facts import Fact, Subject, consolidate
from graphdream.facts.asides import Asides
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.statements import StatementMaker
from support.facts_world import fact

TYPES = ("person", "place", "project")
THINGS = [Subject(at, (f"Thing{at}",), TYPES[at % 3], False) for at in range(9)]
SAYINGS = (
    "smells of resin", "leans to the left", "hums at dusk", "was painted twice", "sleeps till noon", "has a brass knob",
    "drifts in the rain", "keeps a ledger", "counts the swans",
)  # fmt: skip


def _without(added: str, text: str, types: dict[int, str], times: int = 9) -> tuple[str, ...]:
    """The words of a sentence without asides, in a memory in which something is added to different sentences."""
    facts: list[Fact] = [fact(at, at, f"Thing{at} {SAYINGS[at]}{added}") for at in range(times)]
    facts.append(fact(100, 0, text))
    said = StatementMaker(facts, THINGS, ReadingMemory()).make(facts)
    one = next(each for each in said if each.facts[0].id == 100)
    return Asides(said, types).without(one.reading).words


TYPE_OF = {thing.id: thing.type for thing in THINGS}


@pytest.mark.parametrize(
    "added", [", muttered over porridge", " (geflüstert am Ofen)", ", dicho entre dos trenes", ", прочитано на заборе"]
)
def test_what_is_added_to_anything_is_an_aside(added: str):
    assert _without(added, f"Thing0 wears felt{added}", TYPE_OF)[-1] == "felt"


def test_nothing_is_an_aside_for_things_of_one_type_or_of_a_few():
    added = ", muttered over porridge"
    assert _without(added, f"Thing0 wears felt{added}", dict.fromkeys(TYPE_OF, "person"))[-1] == "porridge"
    assert _without(added, f"Thing0 wears felt{added}", {})[-1] == "porridge"
    assert _without(added, f"Thing0 wears felt{added}", TYPE_OF, times=3)[-1] == "porridge"


@pytest.mark.parametrize("added", [", 6 done", ", 3 May 2027", ", room 12"])
def test_a_value_is_none(added: str):
    whole = _without("", f"Thing0 wears felt{added}", TYPE_OF)
    assert _without(added, f"Thing0 wears felt{added}", TYPE_OF) == whole


@pytest.mark.parametrize(("added", "ends"), [(", muttered over porridge", True), (", two cats sleep there", False)])
def test_a_change_ends_what_was_only_told_with_an_aside(added: str, ends: bool):
    told = [fact(at, at, f"Thing{at} {SAYINGS[at]}, muttered over porridge", at + 1) for at in range(9)]
    told.append(fact(100, 0, f"the rent is 870 euros{added}", 2))
    told.append(fact(101, 0, "the rent was raised from 870 to 910 euros", 80, session="ses_later"))
    found = consolidate(told, THINGS)
    assert (100 in {one[0] for one in found.superseded}) is ends


def test_a_label_of_several_things_says_what_is_asked():
    facts = [fact(at, at, f"HQ: {town}") for at, town in enumerate(("Oslo", "Bergen", "Turku", "Tartu", "Pori"))]
    facts += [fact(9, 0, "deputy: Ilves"), fact(10, 1, "deputy: Kask")]
    found = Asides(StatementMaker(facts, THINGS, ReadingMemory()).make(facts), TYPE_OF)
    assert found.is_label(["hq"])
    assert not found.is_label(["deputy"])


@pytest.mark.parametrize(
    ("before", "after"), [("1235 LOC", "went from 1235 to 895 lines"), ("HQ: Narva", "moved from Narva to Kotka")]
)
def test_what_belongs_to_a_value_or_asks_for_it_is_no_further_value(before: str, after: str):
    told = [
        fact(at, at, f"HQ: {town}", at + 1) for at, town in enumerate(("Oslo", "Bergen", "Turku", "Tartu", "Pori"), 1)
    ]
    told += [fact(100, 0, before, 2), fact(101, 0, after, 80, session="ses_later")]
    assert 100 in {one[0] for one in consolidate(told, THINGS).superseded}
