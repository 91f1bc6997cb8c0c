"""What holds a statement is told of any two sentences, however they are built."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.facts import Subject, consolidate
from graphdream.facts.compounds import is_compound, is_of_a_part, is_of_another_thing
from graphdream.facts.holds import Hold, find_holds, give_way
from graphdream.facts.reading import Reader, ReadingMemory
from support.facts_world import fact, told_weeks_apart

WHO = Subject(1, ("Ondrea",), "person", False)
WORDS = (
    "the rent deposit of is are was now : , and also not may Ondrea her Bo 520 910 euros 3 May pages moved from to "
    "locker costs too ? 租 金 是 以前 also für der"
).split()
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(before=SENTENCES, after=SENTENCES)
def test_of_any_two_readings(before: str, after: str):
    facts = [fact(0, 1, before), fact(1, 1, after)]
    one, other = (Reader(facts, [WHO], ReadingMemory()).read(each) for each in facts)
    for part in (is_compound, is_of_a_part, is_of_another_thing):
        assert part(one, other) in (True, False)


@settings(max_examples=60, deadline=None)
@given(before=SENTENCES, after=SENTENCES)
def test_what_is_held_is_not_replaced(before: str, after: str):
    facts = told_weeks_apart(before, after)
    asked: list[frozenset[Hold]] = []

    def noting(*args, **kwargs):
        asked.append(find_holds(*args, **kwargs))
        return asked[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("graphdream.facts.pairsjudged.find_holds", noting)
        found = consolidate(facts, [WHO])
    assert len(found.superseded) <= sum(not holds for holds in asked)


@pytest.mark.parametrize("unshown", [True, False])
def test_two_sure_opinions_never_end_what_is_said_besides(unshown: bool):
    every = frozenset(Hold)
    left = give_way(every, unshown=unshown)
    assert Hold.SAYS_MORE in left
    assert Hold.BOTH not in left
    assert left == (every - {Hold.BOTH} if unshown else {Hold.SAYS_MORE})
