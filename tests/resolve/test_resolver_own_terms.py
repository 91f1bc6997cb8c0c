"""A list's scores told again in its own terms, and the cut that it chooses by them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.resolve import Record, resolve
from graphdream.resolve.calibration import shipped
from graphdream.resolve.owncut import PLACES, measure_own_cut, valleys
from graphdream.resolve.selftraining import self_trained


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


def test_there_is_a_valley_between_two_modes_and_none_on_a_slope():
    two = np.concatenate([np.full(500, -2.5), np.full(200, 2.5)]) + np.linspace(-0.6, 0.6, 700)
    deep = valleys(two)
    assert deep[(PLACES > -0.9) & (PLACES < 0.9)].min() > deep[(PLACES <= -2) | (PLACES == 2.5)].max()
    slope = np.repeat(np.arange(-4.0, 5.0), np.arange(90, 0, -10))
    assert valleys(slope).max() < 0.2


def test_open_wedges_raise_the_cut():
    """Pairs of twins are sure; below them every record is likely to be its neighbours too, which closes nothing."""
    twins = np.arange(0, 200, 2)
    left = np.concatenate([twins, np.arange(198)])
    right = np.concatenate([twins + 1, np.arange(198) + 2])
    scores = np.concatenate([np.full(100, 3.0), np.full(198, 0.6)])
    opened = measure_own_cut(200, left, right, scores).worth
    closed = measure_own_cut(200, left[:100], right[:100], scores[:100]).worth
    below, above = PLACES < 0, (PLACES > 1) & (PLACES < 2.5)
    assert opened[below].max() < opened[above].min()
    assert (closed[below] > opened[below]).all()


@given(st.lists(st.floats(-9, 9), max_size=60), st.floats(-1, 3))
def test_a_cut_is_found_whatever_the_scores_are(scores, usual):
    rows = np.arange(len(scores))
    assert measure_own_cut(61, rows, rows + 1, np.array(scores, dtype=np.float64)).at(usual) in PLACES


def test_only_the_expert_of_lists_tells_scores_again():
    assert shipped().memory.own_cut is None
    assert shipped().listing.own_cut is not None


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_the_smallest_lists_have_clusters_too(count):
    records = [Record(f"r{i}", f"Harrowgate Slate Quarry{' Ltd' * i}") for i in range(count)]
    assert len(resolve(records, max_false_merge_rate=None, sort="list").clusters) == count
