"""Where to cut the scores of an unlabelled graph: where what is taken for the same is the same all round.

The order of a scorer's pairs survives on a graph unlike those it learned from, its zero does not. But identity is
transitive: if A is B and B is C, then A is C. Of the likely pairs that meet in a record (wedges), the share whose third
pair is likely too therefore falls where wrong pairs come in, and rises where true ones were still missing. The cut
lies where that share is high, near the cut that was best on labelled graphs. Source: the transitivity of a graph
(Newman, Watts and Strogatz 2002), taken here as evidence on the quality of links; measured by `bench/resolve.py`.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphdream.resolve.corpus import Floats, Ints

PLACES = np.arange(-4.5, 3.01, 0.5)
"""Log-odds at which a cut may lie."""
PULL = 0.1
"""What a squared distance of one log-odds from the usual cut costs."""
WORTH = 0.25
"""What one unit of log-odds of the closed share is worth."""
CLOSED = 0.6
OPEN_PER_PAIR = 1.35
"""A cut below which fewer wedges are closed, while this many are open for each pair, is not taken."""
LEAST_PAIRS = 3
"""Pairs above a cut needed to say anything."""
PATHS = 2_000_000
"""Paths of two pairs that are followed at one cut; of more, those from every k-th record."""


def transitive_cut(n: int, left: Ints, right: Ints, log_odds: Floats, usual: float) -> float:
    """The cut of a graph whose truth is unknown.

    Args:
        n: number of records.
        left, right, log_odds: shape (pairs,), scored pairs.
        usual: the cut that was best on labelled graphs.

    Returns:
        Log-odds; `usual` where too few pairs are likely for a judgement.
    """
    shares, opens, enough = [], [], []
    for place in PLACES.tolist():
        likely = log_odds > place
        wedges, closed = count_wedges(n, left[likely], right[likely])
        shares.append((closed + 1.0) / (wedges + 2.0))
        opens.append((wedges - closed) / max(1, int(likely.sum())))
        enough.append(int(likely.sum()) >= LEAST_PAIRS)
    share = np.clip(np.array(shares), 0.02, 0.98)
    odds = np.log(share / (1.0 - share))
    padded = np.concatenate((odds[:1], odds, odds[-1:]))
    smooth = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
    worth = WORTH * smooth - PULL * (PLACES - usual) ** 2
    taken = np.array(enough) & ((share >= CLOSED) | (np.array(opens) <= OPEN_PER_PAIR))
    return float(PLACES[np.argmax(np.where(taken, worth, -np.inf))]) if taken.any() else usual


def count_wedges(n: int, left: Ints, right: Ints) -> tuple[float, float]:
    """Pairs of pairs that meet in a record, and how many of them are closed by a third pair.

    Args:
        n: number of records.
        left, right: shape (pairs,), distinct pairs of record indices.

    Returns:
        Both numbers; estimated from every k-th record where there are very many.
    """
    rows, cols = np.concatenate((left, right)), np.concatenate((right, left))
    graph = sparse.csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(n, n))
    degree = np.diff(graph.indptr).astype(np.float64)
    stride = max(1, int(np.ceil((degree**2).sum() / PATHS)))
    centres = np.arange(0, n, stride)
    near = graph[centres]
    closed = float(near.multiply(near @ graph).sum()) / 2.0
    wedges = float((degree[centres] * (degree[centres] - 1.0)).sum()) / 2.0
    scale = n / max(1, len(centres))
    return scale * wedges, scale * closed
