"""Training of the scorer: gradient boosting of shallow trees with monotone signals.

Every signal has a known direction (more shared facts never speak against a pair), and saying so is what lets a scorer
trained on some graphs order the pairs of another one. scikit-learn grows the trees (extra `train`); what is kept of
them is evaluated by `model.Trees` with numpy alone. Source: Friedman 2001 (gradient boosting); Chen and Guestrin 2016
(second-order leaf values).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.scoring.trees import Floats, Trees

BINS = 64
"""Quantile steps of one signal; one more bin holds the rows where it does not apply."""


@dataclass(frozen=True, slots=True)
class Boosting:
    """How a scorer is trained.

    Attributes:
        rounds: trees.
        depth: questions on the way to a leaf.
        rate: share of each tree's answer that is kept.
        ridge: weight added to each leaf's curvature; larger is more cautious.
        least: pairs of the smallest leaf.
        columns: share of the signals that each question may be chosen from.
        seed: of the draws.
    """

    rounds: int = 100
    depth: int = 4
    rate: float = 0.1
    ridge: float = 4.0
    least: int = 20
    columns: float = 0.5
    seed: int = 7


def fit_trees(
    table: NDArray[np.float32],
    same: NDArray[np.bool_],
    weight: Floats,
    signals: Sequence[str],
    direction: Sequence[int],
    how: Boosting,
) -> Trees:
    """Train a scorer.

    Args:
        table: shape (pairs, signals), NaN where a signal does not apply.
        same: shape (pairs,), whether the pair is one thing.
        weight: shape (pairs,), mean near 1.
        signals: names of the columns.
        direction: per column +1 (more speaks for the pair), -1 (against), 0 (unknown).
        how: settings.

    Raises:
        ImportError: scikit-learn is not installed (extra `train`).
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    learner = HistGradientBoostingClassifier(
        learning_rate=how.rate,
        max_iter=how.rounds,
        max_depth=how.depth,
        max_leaf_nodes=None,
        min_samples_leaf=how.least,
        l2_regularization=how.ridge,
        max_features=how.columns,
        max_bins=BINS,
        monotonic_cst=list(direction),
        early_stopping=False,
        random_state=how.seed,
    )
    empty = np.isnan(table).all(axis=0)
    # one thread, so that sums are taken in one order on every machine
    with threadpool_limits(1):
        learner.fit(np.where(empty, np.float32(0), table), same, sample_weight=weight)
    # scikit-learn offers no public way to read the trees that it grew
    grown = [_complete(tree.nodes, how.depth) for (tree,) in learner._predictors]
    feature, cut, missing_right, value = (np.stack(part) for part in zip(*grown, strict=True))
    base = float(np.ravel(learner._baseline_prediction)[0])
    return Trees(tuple(signals), base, feature, cut, missing_right, value)


def _complete(nodes: NDArray[Any], depth: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], Floats]:
    """A tree as a complete one: column, cut and side of missing rows of each inner node; values of the leaves."""
    inner = 2**depth - 1
    feature = np.zeros(inner, dtype=np.int64)
    cut = np.full(inner, np.inf, dtype=np.float32)
    missing_right = np.zeros(inner, dtype=np.bool_)
    value = np.zeros(inner + 1)
    waiting = [(0, 0)]
    while waiting:
        place, number = waiting.pop()
        node = nodes[number]
        if node["is_leaf"]:
            first, last = place, place
            while first < inner:
                first, last = 2 * first + 1, 2 * last + 2
            value[first - inner : last - inner + 1] = node["value"]
            continue
        # six digits, as the artefact keeps them: what is read back asks the same questions
        feature[place], cut[place] = node["feature_idx"], float(f"{node['num_threshold']:.6g}")
        missing_right[place] = not node["missing_go_to_left"]
        waiting += [(2 * place + 1, int(node["left"])), (2 * place + 2, int(node["right"]))]
    return feature, cut, missing_right, value
