"""Rows of pairs of texts that are kept from one look to the next."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphdream.facts.kept import KeptPairs
from graphdream.facts.pairtexts import COLUMNS, compare_texts

TEXTS = ["berth fee: 20 euro", "berth fee: 35 euro", "berth", "- [x] berth fee", "Quay 4: open", "Quay 7: open", ""]


@given(st.lists(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=6), min_size=1, max_size=4))
def test_what_is_kept_says_what_is_measured_anew(looks: list[list[str]]) -> None:
    kept = KeptPairs()
    for texts in looks:
        low, high = np.triu_indices(len(texts), 1)
        found = kept.rows(texts, low, high, lambda new, a=low, b=high, of=texts: compare_texts(of, a[new], b[new]))
        assert found.shape == (len(low), len(COLUMNS))
        np.testing.assert_array_equal(found, compare_texts(texts, low, high))


def test_only_new_pairs_are_measured() -> None:
    kept, asked = KeptPairs(), []

    def measure(new: np.ndarray) -> np.ndarray:
        asked.append(len(new))
        return np.zeros((len(new), 1), dtype=np.float32)

    for texts in (["a", "b", "c"], ["c", "a", "b"], ["a", "b", "c", "d"]):
        kept.rows(texts, *np.triu_indices(len(texts), 1), measure)
    assert asked == [3, 2, 5]
