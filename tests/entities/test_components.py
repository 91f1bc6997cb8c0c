"""Which records some pairs connect."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphdream.entities.components import connected

COUNT = 12
pair = st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1))


@given(st.lists(pair, max_size=30))
def test_two_records_are_of_one_group_where_a_path_of_pairs_leads_from_one_to_the_other(pairs):
    left, right = (np.array([ends[side] for ends in pairs], dtype=np.int64) for side in (0, 1))
    groups = [{record} for record in range(COUNT)]
    for one, other in pairs:
        both = groups[one] | groups[other]
        for record in both:
            groups[record] = both
    assert connected(COUNT, left, right).tolist() == [min(group) for group in groups]


def test_a_long_chain_is_one_group():
    order = np.random.default_rng(1).permutation(5_000)
    assert not connected(5_000, order[:-1], order[1:]).any()
