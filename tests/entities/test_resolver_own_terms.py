"""A list's scores told again in its own terms, and the cut that it chooses by them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.entities import Record, resolve
from graphdream.entities.calibration import shipped
from graphdream.entities.owncut import PLACES, measure_own_cut
from graphdream.entities.selftraining import self_trained


def list_of_two_signals(pairs=2_000, seed=3):
    """One signal tells true pairs, the other nothing; the trees trust both alike."""
    rng = np.random.default_rng(seed)
    same = np.arange(pairs) % 4 == 0
    telling = np.where(same, 1.0, -1.0) + 0.4 * rng.standard_normal(pairs)
    idle = rng.standard_normal(pairs)
    table = np.stack([telling, idle], axis=1).astype(np.float32)
    return table, same, 2.0 * telling + 2.0 * np.where(rng.random(pairs) < 0.3, rng.standard_normal(pairs), 0.0)


def order(scores, same):
    """Share of (true, wrong) pairs of pairs that stand in the right order."""
    rank = np.argsort(np.argsort(scores))
    true, wrong = same.sum(), (~same).sum()
    return (rank[same].sum() - true * (true - 1) / 2) / (true * wrong)


def test_what_the_list_does_not_bear_out_is_dropped():
    table, same, trees = list_of_two_signals()
    assert order(self_trained(table, trees, 0.0), same) > order(trees, same)


def test_a_signal_that_does_not_apply_or_never_differs_is_no_reason():
    table, _, trees = list_of_two_signals(pairs=300)
    wider = np.concatenate([table, np.full((300, 1), np.nan), np.ones((300, 1))], axis=1).astype(np.float32)
    assert np.allclose(self_trained(wider, trees, 0.5), self_trained(table, trees, 0.5))


def test_of_a_handful_of_pairs_the_trees_keep_the_last_word():
    table, _, trees = list_of_two_signals(pairs=4)
    assert (np.sign(self_trained(table, trees, 0.25)) == np.sign(trees - 0.25)).all()
    assert len(self_trained(table[:0], trees[:0], 0.0)) == 0


@given(st.permutations(range(40)), st.floats(-3, 3))
def test_the_order_of_the_pairs_does_not_matter(order_of_pairs, cut):
    table, _, trees = list_of_two_signals(pairs=40)
    order_of_pairs = list(order_of_pairs)
    told = self_trained(table, trees, cut)
    assert np.allclose(self_trained(table[order_of_pairs], trees[order_of_pairs], cut), told[order_of_pairs], atol=1e-6)


def test_the_cut_lies_above_where_the_pairs_begin_to_swarm():
    """True pairs from 0 to 4, and below a half ever more wrong ones."""
    true = np.linspace(0.0, 4.0, 200)
    swarm = 0.5 - np.abs(np.random.default_rng(5).normal(0.0, 1.5, 6_000))
    for usual in (0.5, 1.0, 2.0):
        assert 0.5 <= measure_own_cut(np.concatenate([true, swarm])).at(usual) <= 2.0
    assert measure_own_cut(np.concatenate([true, swarm])).at(0.0) >= measure_own_cut(true).at(0.0)


def test_where_all_places_are_alike_the_cut_is_the_usual_one():
    assert measure_own_cut(np.zeros(0)).at(0.5) == 0.5
    assert measure_own_cut(np.full(40, 9.0)).at(1.0) == 1.0


@given(st.lists(st.floats(-9, 9), max_size=60), st.floats(-1, 3))
def test_a_cut_is_found_whatever_the_scores_are(scores, usual):
    own = measure_own_cut(np.array(scores, dtype=np.float64))
    assert own.at(usual) in PLACES
    assert measure_own_cut(np.array(scores[::-1], dtype=np.float64)).at(usual) == own.at(usual)


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=60), st.floats(-1, 3))
def test_true_pairs_far_above_every_cut_do_not_raise_it(scores, usual):
    """They make what a raised cut loses a smaller part of what is there."""
    some = np.array(scores, dtype=np.float64)
    more = np.concatenate([some, np.full(500, 9.0)])
    assert (measure_own_cut(more).loss <= measure_own_cut(some).loss).all()


def test_only_the_expert_of_lists_tells_scores_again():
    assert shipped().memory.own_cut is None
    assert shipped().listing.own_cut is not None


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_the_smallest_lists_have_clusters_too(count):
    records = [Record(f"r{i}", f"Harrowgate Slate Quarry{' Ltd' * i}") for i in range(count)]
    assert len(resolve(records, max_false_merge_rate=None, sort="list").clusters) == count
