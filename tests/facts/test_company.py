"""The company that words keep: what two texts have for themselves is compared by it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from graphdream.facts.company import alike

UNITS, WIDTH = 6, 8
BAGS = arrays.arrays(np.float64, (5, UNITS), elements=st.sampled_from([0.0, 1.0]))
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


@given(BAGS, PAIRS, st.integers(0, 2**32 - 1))
def test_it_is_the_cosine_of_what_each_has_for_itself(bags: np.ndarray, pairs: list[tuple[int, int]], seed: int):
    company = np.random.default_rng(seed).normal(size=(UNITS, WIDTH)).astype(np.float32)
    company /= np.linalg.norm(company, axis=1, keepdims=True)
    company[0] = 0.0  # a unit that never had a neighbour
    low, high = np.array(pairs, dtype=np.int64).T
    both = bags[low] * bags[high]
    found = alike(company, sparse.csr_matrix(bags), low, high, sparse.csr_matrix(both))
    for at, (one, other) in enumerate(pairs):
        own = [(bags[side] - both[at])[1:] for side in (one, other)]
        if not all(one.any() for one in own):
            assert np.isnan(found[at])
            continue
        first, second = (side @ company[1:] for side in own)
        length = np.linalg.norm(first) * np.linalg.norm(second)
        if min(np.linalg.norm(first), np.linalg.norm(second)) > 0.01:
            assert abs(found[at] - first @ second / length) < 1e-4
