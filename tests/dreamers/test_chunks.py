"""Chunks: every entity once, none over the budget, likely duplicates together or named as parted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.dreamers.asking.chunks import plan_chunks

SIZES = st.dictionaries(st.integers(1, 60), st.integers(1, 50), min_size=1, max_size=60)


@given(SIZES, st.data(), st.integers(50, 400))
def test_every_entity_is_in_one_chunk_and_every_pair_is_together_or_named(
    sizes: dict[int, int], data: st.DataObject, budget: int
) -> None:
    members = sorted(sizes)
    pairs = st.tuples(st.sampled_from(members), st.sampled_from(members)).filter(lambda pair: pair[0] < pair[1])
    candidates = {
        pair: data.draw(st.floats(0, 1)) for pair in (data.draw(st.lists(pairs, max_size=60)) if len(sizes) > 1 else ())
    }
    links = data.draw(st.lists(st.tuples(st.sampled_from(members), st.sampled_from(members)), max_size=60))
    plan = plan_chunks(sizes, candidates, links, budget)
    assert sorted(member for chunk in plan.chunks for member in chunk) == members
    assert all(size <= budget for size in plan.sizes)
    assert list(plan.sizes) == [sum(sizes[member] for member in chunk) for chunk in plan.chunks]
    at = {member: number for number, chunk in enumerate(plan.chunks) for member in chunk}
    assert set(plan.across) == {pair for pair in candidates if at[pair[0]] != at[pair[1]]}
    backwards = dict(reversed(candidates.items()))
    assert plan_chunks(dict(reversed(sizes.items())), backwards, links[::-1], budget) == plan


def test_the_likelier_pair_stays_together_where_both_do_not_fit() -> None:
    plan = plan_chunks({1: 10, 2: 10, 3: 10}, {(1, 2): 0.4, (2, 3): 0.9}, (), 20)
    assert plan.chunks == ((1,), (2, 3)) and plan.across == ((1, 2),)


def test_what_is_linked_goes_together_where_there_is_room() -> None:
    plan = plan_chunks(dict.fromkeys(range(1, 9), 10), {}, [(1, 8), (8, 1), (2, 7)], 20)
    assert (1, 8) in plan.chunks and (2, 7) in plan.chunks and len(plan.chunks) == 4


def test_a_card_that_fits_no_chunk_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        plan_chunks({1: 30}, {}, (), 20)
