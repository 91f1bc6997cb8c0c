"""Where to cut the scores of an unlabelled graph: where what is taken for the same is the same all round.

The order of a scorer's pairs survives on a graph unlike those it learned from, its zero does not. But identity is
transitive: if A is B and B is C, then A is C. Of the likely pairs that meet in a record (wedges), the share whose third
pair is likely too therefore falls where wrong pairs come in, and rises where true ones were still missing. The cut
lies where that share is high, near the cut that was best on labelled graphs. Source: the transitivity of a graph
(Newman, Watts and Strogatz 2002), taken here as evidence on the quality of links; measured by `bench/resolve.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.entities.corpus import Floats, Ints

PLACES = np.arange(-4.5, 3.01, 0.5)
"""Log-odds at which a cut may lie."""
PULL = 0.2
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


@dataclass(frozen=True, slots=True)
class Closure:
    """How transitive the likely pairs of a graph are.

    Attributes:
        share: shape (len(PLACES),), share of closed wedges among the pairs above each place, in 0..1.
        fits: shape (len(PLACES),), whether a cut may lie there.
    """

    share: Floats
    fits: NDArray[np.bool_]

    def cut(self, usual: float) -> float:
        """The cut of the graph; `usual`, the best one on labelled graphs, where nothing can be said."""
        odds = np.log(self.share / (1.0 - self.share))
        padded = np.concatenate((odds[:1], odds, odds[-1:]))
        smooth = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
        worth = np.where(self.fits, WORTH * smooth - PULL * (PLACES - usual) ** 2, -np.inf)
        return float(PLACES[np.argmax(worth)]) if self.fits.any() else usual


def measure_closure(n: int, left: Ints, right: Ints, log_odds: Floats) -> Closure:
    """Look at the pairs above every place.

    Args:
        n: number of records.
        left, right, log_odds: shape (pairs,), scored pairs.
    """
    share, fits = np.empty(len(PLACES)), np.empty(len(PLACES), dtype=np.bool_)
    for at, place in enumerate(PLACES.tolist()):
        likely = log_odds > place
        pairs = int(likely.sum())
        wedges, closed = count_wedges(n, left[likely], right[likely])
        share[at] = np.clip((closed + 1.0) / (wedges + 2.0), 0.02, 0.98)
        open_per_pair = (wedges - closed) / max(1, pairs)
        fits[at] = pairs >= LEAST_PAIRS and (share[at] >= CLOSED or open_per_pair <= OPEN_PER_PAIR)
    return Closure(share, fits)


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
