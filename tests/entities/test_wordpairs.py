"""How the words of two names pair up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.entities import Record
from graphdream.entities.corpus import build_corpus
from graphdream.entities.wordpairs import WORD_SIGNALS, word_signals, word_similarity


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("felts", "fetls", pytest.approx(0.7)),  # a misspelling
        ("okafor", "okaforr", 0.8),  # begins it
        ("jon", "jo", 0.6),
        ("m", "maya", 0.5),  # an initial
        ("2024", "20", 0.0),  # numbers are never alike
        ("2024", "2025", 0.0),
        ("cat", "car", 0.0),  # too short to be misspelled
        ("lisbon", "oslo", 0.0),
    ],
)
def test_words_that_may_be_one(one, other, expected):
    assert word_similarity([one, other], [other, one]) == pytest.approx([expected, expected])


def signals(light: str, heavy: str) -> tuple[dict[str, float], int]:
    corpus = build_corpus([Record(id="1", name=light), Record(id="2", name=heavy)])
    values, difference = word_signals(corpus, np.array([0]), np.array([1]))
    return dict(zip(WORD_SIGNALS, values[0].tolist(), strict=True)), int(difference[0])


def test_a_misspelled_word_is_not_missing():
    alike, _ = signals("Noor Hadad", "Noor Haddad")
    assert alike["soft"] > 0
    assert alike["missing_small"] == alike["missing_large"] == 0
    apart, _ = signals("Noor Lindqvist", "Noor Haddad")
    assert apart["soft"] == 0
    assert apart["missing_small"] > 0 < apart["missing_large"]


def test_the_same_difference_has_one_identity_whichever_name_has_it():
    names = ["Lantern", "Lantern Sync", "Osprey Sync", "Osprey", "Osprey Alpha Beta Gamma"]
    corpus = build_corpus([Record(id=str(at), name=name) for at, name in enumerate(names)])
    at = {form.key: key for key, form in enumerate(corpus.forms)}
    light = np.array([at["lantern"], at["osprey sync"], at["osprey"]])
    heavy = np.array([at["lantern sync"], at["osprey"], at["osprey alpha beta gamma"]])
    _, difference = word_signals(corpus, light, heavy)
    assert difference[0] == difference[1] >= 0
    assert difference[2] == -1


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_names_have_finite_signals(one, other):
    corpus = build_corpus([Record(id="1", name=one), Record(id="2", name=other)])
    keys = corpus.of_key
    values, _ = word_signals(corpus, keys[:1], keys[1:])
    assert np.isfinite(values).all()
    assert (values >= 0).all()
