"""Facts, turns and summaries in one ranking: facts that rest on turns add to an answer, and take nothing away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphdream.recall.fusion import PAGE, Entry, fuse

SCORES = st.floats(0, 100, allow_nan=False)
TURNS = st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=30)  # own score, what facts lend
FACTS = st.lists(st.tuples(SCORES, st.sets(st.integers(0, 40), max_size=3)), max_size=20)  # score, turns


def found(
    turns: list[tuple[float, float]], facts: list[tuple[float, set[int]]], together: int = 1
) -> tuple[list[Entry[str]], list[str]]:
    """Entries of turns, so many next to each other in one, and of facts; and what is ranked by its own score."""
    entries = []
    for start in range(0, len(turns), together):
        passage = range(start, min(start + together, len(turns)))
        score = max(sum(turns[at]) for at in passage)
        entries.append(Entry(f"t{start}", score, frozenset(f"t{at}" for at in passage)))
    own = [(own, f"t{at}") for at, (own, _) in enumerate(turns)]
    for number, (score, rests_on) in enumerate(facts):
        covers = frozenset(f"t{turn}" for turn in rests_on) or frozenset({f"a{number}"})
        entries.append(Entry(f"a{number}", score, covers))
        own += [] if rests_on else [(score, f"a{number}")]
    return entries, [handle for _, handle in sorted(own, key=lambda one: -one[0])]


@given(TURNS, FACTS, st.integers(1, 60), st.integers(1, 4))
def test_each_page_tells_what_it_would_without_facts_that_rest_on_turns(
    turns: list[tuple[float, float]], facts: list[tuple[float, set[int]]], k: int, together: int
) -> None:
    entries, ranked = found(turns, facts, together)
    fused = fuse(entries, ranked, k)
    assert len(fused) == len(set(fused)) <= k
    covers = {entry.item: entry.covers for entry in entries}
    for end in [*range(PAGE, k, PAGE), k]:
        told = frozenset[str]().union(*(covers[item] for item in fused[:end]))
        assert told >= set(ranked[:end])


@given(TURNS, st.integers(1, 60))
def test_without_facts_the_scores_decide(turns: list[tuple[float, float]], k: int) -> None:
    entries, ranked = found([(own, 0.0) for own, _ in turns], [])
    assert fuse(entries, ranked, k) == [entry.item for entry in sorted(entries, key=lambda entry: -entry.score)][:k]


def test_of_a_fact_and_its_turn_the_better_one_stands_for_both() -> None:
    turn = Entry("t1", 2.0, frozenset({"t1"}))
    for score, first in ((3.0, "a1"), (1.0, "t1")):
        assert fuse([turn, Entry("a1", score, frozenset({"t1"}))], ["t1"], 5) == [first]


def test_a_passage_makes_room_for_a_fact() -> None:
    turns = [Entry(f"t{at}", 9.0 - at, frozenset({f"t{at}"})) for at in range(5)]
    fact, ranked = Entry("a1", 20.0, frozenset({"t9"})), [f"t{at}" for at in range(5)]
    assert fuse([*turns, fact], ranked, 5) == ranked
    passage = Entry("t0", 9.0, frozenset({"t0", "t1"}))
    assert fuse([passage, *turns[2:], fact], ranked, 5) == ["a1", "t0", "t2", "t3", "t4"]


def test_a_constraint_is_returned_although_its_turn_was() -> None:
    turn, rule = Entry("t1", 2.0, frozenset({"t1"})), Entry("a1", 1.0, frozenset({"t1"}), True)
    assert fuse([turn, rule], ["t1"], 5) == ["t1", "a1"]
