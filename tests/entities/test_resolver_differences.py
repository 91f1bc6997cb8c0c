"""What the differences between two names tell, and which pairs the second look learns from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.entities import Record
from graphdream.entities.corpus import build_corpus
from graphdream.entities.differences import DIFFERENCE_SIGNALS, difference_signals
from graphdream.entities.examples import draw_likely, example
from graphdream.entities.labelled import Labelled

NAMES = st.lists(st.sampled_from("red black lamp chair AB-1200 AB-1300C AB-1300 2".split()), min_size=1, max_size=4)


def apart(a, b, *others):
    corpus = build_corpus([Record(str(i), name) for i, name in enumerate((a, b, *others))])
    left, right = corpus.of_key[:1], corpus.of_key[1:2]
    return dict(zip(DIFFERENCE_SIGNALS, difference_signals(corpus, left, right, np.zeros(1))[0], strict=True))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("player 120GB MB565LL/A", "player 120GB MB562LL/A", 1.0),
        ("camera DSC-W120", "camera DSCW120P", 0.5),
        ("camera DSC-W120", "DSCW120 camera", 0.0),
        ("camera DSC-W120", "camera", 0.0),
    ],
)
def test_identifiers_that_only_one_name_has_are_told_from_those_that_go_on(a, b, expected):
    assert apart(a, b)["codes_apart"] == expected


def test_a_word_that_other_names_use_too_tells_two_names_apart():
    others = ("black chair", "silver chair", "black table", "silver table")
    assert apart("black lamp", "silver lamp", *others)["known_apart"] == pytest.approx(np.log(3))
    assert apart("black lamp", "blakc lamp", *others)["known_apart"] == 0.0
    assert apart("black lamp", "lamp", *others)["known_apart"] == 0.0


@given(NAMES, NAMES)
def test_differences_are_the_same_either_way_round(a, b):
    one, other = apart(" ".join(a), " ".join(b)), apart(" ".join(b), " ".join(a))
    assert one == pytest.approx(other)


def test_the_second_look_learns_from_the_likeliest_pairs_and_some_others():
    records = tuple(Record(f"r{i:02}", f"harbour light {i % 7}", "", (f"stands on pier {i % 5}",)) for i in range(40))
    whole = example(Labelled("piers", "piers", records, tuple(frozenset((str(i % 7),)) for i in range(40))))
    few = replace(whole, drawn=whole.drawn[:20])
    score = np.arange(len(whole.same), dtype=np.float64)
    drawn = draw_likely(few, score)
    assert len(drawn) == len(set(drawn.tolist())) == 20
    assert set(np.argsort(-score)[:10].tolist()) <= set(drawn.tolist())
    assert drawn.tolist() == draw_likely(few, score).tolist()
    assert draw_likely(whole, score).tolist() == whole.drawn.tolist()
