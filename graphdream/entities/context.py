"""What the graph as a whole says about a pair, once every pair has a first score.

Graphs differ in what a difference means: in one `lol X` is always `X`, in another `X Sync` never is. The pairs of
this graph that other evidence decides (facts, subjects, fields) teach what its differences are worth, without any
label; and the neighbours of a pair in the graph of scores support it or dissent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.entities.blocking import Candidates
from graphdream.entities.corpus import Floats, Ints
from graphdream.entities.order import best_first, two_best
from graphdream.entities.signals import PairTable

CONTEXT = ("first", "trust", "trust_count", "lead", "lead_far", "support", "dissent", "best_far")
CONTEXT_DIRECTION = (1, 1, 0, 1, 1, 1, -1, 0)
"""Which way each speaks: +1 for the pair, -1 against, 0 depends."""
_SHRINK = 1.0
_LEAST = 0.05


def context_signals(n: int, candidates: Candidates, pairs: PairTable, log_odds: Floats) -> NDArray[np.float32]:
    """Signals of the second look.

    Args:
        n: number of records.
        candidates: the pairs.
        pairs: their signals.
        log_odds: shape (pairs,), first score.

    Returns:
        Shape (pairs, len(CONTEXT)): the first score; mean probability of the other pairs of names with the same
        difference, and their number; lead of the pair over the next best pair of its records (nearer and farther);
        how many third records support the pair, and how many fit one side only; the better of the two records'
        best scores.
    """
    out = np.zeros((len(log_odds), len(CONTEXT)), dtype=np.float32)
    if not len(log_odds):
        return out
    p = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -30, 30)))
    out[:, 0] = log_odds
    out[:, 1], out[:, 2] = _trust(pairs, p)
    near, far, best = _leads(n, candidates, log_odds)
    out[:, 3], out[:, 4], out[:, 7] = near, far, best
    out[:, 5], out[:, 6] = _triangles(n, candidates, p)
    return out


def _trust(pairs: PairTable, p: Floats) -> tuple[Floats, Floats]:
    names = int(pairs.name_pair.max()) + 1
    count = np.bincount(pairs.name_pair, minlength=names)
    mean = np.bincount(pairs.name_pair, p, names) / np.maximum(1, count)
    difference = np.full(names, -1, dtype=np.int64)
    difference[pairs.name_pair] = pairs.difference
    known = (difference >= 0) & (count > 0)
    groups = int(difference.max()) + 1 if known.any() else 0
    size = np.bincount(difference[known], minlength=groups)
    total = np.bincount(difference[known], mean[known], groups)
    prior = float(mean[known].mean()) if known.any() else 0.5
    trust, seen = np.full(names, np.nan), np.zeros(names)
    others = size[difference[known]] - 1
    trust[known] = (total[difference[known]] - mean[known] + _SHRINK * prior) / (others + _SHRINK)
    seen[known] = np.log1p(others)
    return trust[pairs.name_pair], seen[pairs.name_pair]


def _leads(n: int, candidates: Candidates, log_odds: Floats) -> tuple[Floats, Floats, Floats]:
    top, second = two_best(best_first(candidates.left, candidates.right, log_odds, n), log_odds, -10.0)

    def lead(who: Ints) -> Floats:
        return np.where(log_odds >= top[who], log_odds - second[who], log_odds - top[who])

    left, right = lead(candidates.left), lead(candidates.right)
    return np.minimum(left, right), np.maximum(left, right), np.maximum(top[candidates.left], top[candidates.right])


def _triangles(n: int, candidates: Candidates, p: Floats) -> tuple[Floats, Floats]:
    left, right = candidates.left, candidates.right
    likely = p >= _LEAST
    rows, cols = np.concatenate((left[likely], right[likely])), np.concatenate((right[likely], left[likely]))
    same = sparse.csr_matrix((np.concatenate((p[likely], p[likely])), (rows, cols)), shape=(n, n))
    against = 1.0 - p
    rows, cols = np.concatenate((left, right)), np.concatenate((right, left))
    other = sparse.csr_matrix((np.concatenate((against, against)), (rows, cols)), shape=(n, n))
    apart = same @ other
    support = _cells(same @ same, left, right)
    dissent = _cells(apart, left, right) + _cells(apart, right, left)
    return np.log1p(support), np.log1p(dissent)


def _cells(matrix: sparse.csr_matrix, rows: Ints, cols: Ints) -> Floats:
    return np.asarray(sparse.csr_matrix(matrix)[rows.copy(), cols.copy()]).ravel().astype(np.float64)
