"""Facts, turns and summaries in one ranking: what may push what back, and how far."""

from __future__ import annotations

from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from graphdream.recall.fusion import FURTHEST_BACK, Entry, fuse

SCORES = st.floats(0, 100, allow_nan=False)
TURNS = st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=30)  # own score, what facts lend
FACTS = st.lists(st.tuples(SCORES, st.sets(st.integers(0, 40), max_size=3)), max_size=20)  # score, turns


def entries(turns: list[tuple[float, float]], facts: list[tuple[float, set[int]]]) -> list[Entry[str]]:
    found = [
        Entry(f"a{number}", score, None if rests_on else score, frozenset(f"t{turn}" for turn in rests_on)
              or frozenset({f"a{number}"}))
        for number, (score, rests_on) in enumerate(facts)
    ]  # fmt: skip
    found += [Entry(f"t{at}", own + lent, own, frozenset({f"t{at}"})) for at, (own, lent) in enumerate(turns)]
    return found


@given(TURNS, FACTS, st.integers(1, 60))
def test_nothing_is_pushed_further_back_than_a_quarter_of_its_place(
    turns: list[tuple[float, float]], facts: list[tuple[float, set[int]]], k: int
) -> None:
    found = entries(turns, facts)
    fused = fuse(found, k)
    assert len(fused) == len(set(fused)) <= k
    covers = {entry.item: entry.covers for entry in found}
    by_itself = sorted((entry for entry in found if entry.own is not None), key=lambda entry: -(entry.own or 0.0))
    for place, entry in enumerate(by_itself, 1):
        last = ceil(FURTHEST_BACK * place)
        if last <= k:
            told = frozenset[str]().union(*(covers[item] for item in fused[:last]))
            assert entry.covers <= told


@given(TURNS, st.integers(1, 60))
def test_where_no_fact_rests_on_a_turn_the_scores_decide(turns: list[tuple[float, float]], k: int) -> None:
    found = entries([(own, 0.0) for own, _ in turns], [])
    assert fuse(found, k) == [entry.item for entry in sorted(found, key=lambda entry: -entry.score)][:k]


def test_of_a_fact_and_its_turn_the_better_one_stands_for_both() -> None:
    turn = Entry("t1", 2.0, 2.0, frozenset({"t1"}))
    for score, first in ((3.0, "a1"), (1.0, "t1")):
        assert fuse([Entry("a1", score, None, frozenset({"t1"})), turn], 5) == [first]


def test_a_constraint_is_returned_although_its_turn_was() -> None:
    turn, rule = Entry("t1", 2.0, 2.0, frozenset({"t1"})), Entry("a1", 1.0, None, frozenset({"t1"}), True)
    assert fuse([rule, turn], 5) == ["t1", "a1"]
