"""Statements laid side by side."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphdream.facts.reading import Reading
from graphdream.facts.sidebyside import SideBySide

words = st.lists(st.sampled_from(["quay", "is", "open", "shut"]), max_size=6).map(tuple)


def in_common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Tokens before the first that differs."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


@given(st.lists(words, min_size=2, max_size=5))
def test_two_statements_begin_and_end_with_the_tokens_that_both_have_there(said: list[tuple[str, ...]]) -> None:
    beside = SideBySide([Reading(one, one, frozenset(), False) for one in said])
    low, high = np.triu_indices(len(said), 1)
    pairs = [(said[a], said[b]) for a, b in zip(low, high, strict=True)]
    assert beside.size.tolist() == [len(one) for one in said]
    assert beside.begin_alike(low, high).tolist() == [in_common(a, b) for a, b in pairs]
    assert beside.end_alike(low, high).tolist() == [in_common(a[::-1], b[::-1]) for a, b in pairs]


def test_of_a_long_statement_only_the_edges_are_compared() -> None:
    long = tuple(f"word{at}" for at in range(200))
    beside = SideBySide([Reading(one, one, frozenset(), False) for one in (long, long)])
    ends = np.array([0]), np.array([1])
    assert beside.begin_alike(*ends).tolist() == beside.end_alike(*ends).tolist() == [96]


def test_no_statements_are_no_fault() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert SideBySide([]).begin_alike(nothing, nothing).tolist() == []
