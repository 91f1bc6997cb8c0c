"""What words mean: words that are used alike point the same way, in several languages, and unknown ones nowhere."""

from __future__ import annotations

import numpy as np
import pytest

from graphdream.language.senses import WIDTH, senses_of


def _cosine(one: str, other: str) -> float:
    a, b = senses_of([one, other])
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (("oslo", "bergen"), ("oslo", "invoice")),
        (("lives", "resides"), ("lives", "invoice")),
        (("preis", "kosten"), ("preis", "besucht")),
        (("price", "precio"), ("price", "calle")),
        (("prix", "price"), ("prix", "habite")),
    ],
)
def test_words_that_are_used_alike_point_the_same_way(near: tuple[str, str], far: tuple[str, str]) -> None:
    assert _cosine(*near) > _cosine(*far) + 0.1


def test_a_word_that_is_not_known_points_nowhere_and_case_is_nothing() -> None:
    found = senses_of(["qzxvkjw", "", "Oslo", "oslo", "  "])
    assert found.shape == (5, WIDTH)
    assert not found[[0, 1, 4]].any()
    assert found[2].any() and (found[2] == found[3]).all()


def test_of_several_words_the_directions_are_added_and_common_ones_count_less() -> None:
    both, one, other = senses_of(["green tea", "green", "tea"])
    assert np.allclose(both, one + other, atol=1e-6)
    the, kettle = senses_of(["the", "kettle"])
    assert np.linalg.norm(the) < 0.2 < 0.8 < np.linalg.norm(kettle)


def test_nothing_is_asked_of_no_words() -> None:
    assert senses_of([]).shape == (0, WIDTH)
