"""Where to cut a list's scores once they are told in the list's own terms (selftraining.py).

Three things speak for a cut, none of which needs a label. The probabilities themselves: the cut at which the expected
pairwise F1 is highest lies low where true and wrong pairs overlap, at half the probability that is reached at best. The
scores: few lie between those of true and those of wrong pairs. Identity: of likely pairs that meet in a record, the
third is likely too, so what stays open is a sign of wrong pairs. How far above the first the others may pull is
learned from labelled lists. Source: expected F1 (Lipton, Elkan and Naryanaswamy 2014, ECML-PKDD); the valley between
two modes (Prewitt and Mendelsohn 1966); transitivity as in closure.py. Measured by `bench/resolve.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphdream.resolve.closure import count_wedges
from graphdream.resolve.corpus import Floats, Ints

PLACES = np.arange(-3.0, 4.01, 0.5)
"""Log-odds at which a cut may lie."""
PULL = 0.1
"""What a squared distance of one log-odds from the usual place costs."""
VALLEY = 0.5
"""What a valley is worth, for each e-fold that the scores are denser on its lower side."""
OPEN = 0.5
"""What each e-fold of open wedges for a pair costs, by their share."""
WIDTH, STEP, REACH = 0.5, 0.1, 8.0
"""Width of the kernel, step and bounds (log-odds) of the density of the scores."""
DOUBT = 0.05
"""Pairs that every step of the density holds before any is seen."""


@dataclass(frozen=True, slots=True)
class OwnCut:
    """What a list says of its cut.

    Attributes:
        centre: log-odds at which the expected pairwise F1 is highest.
        worth: shape (len(PLACES),), what speaks for each place.
    """

    centre: float
    worth: Floats

    def at(self, usual: float) -> float:
        """The cut of the list; `usual` is how far above `centre` it lies on labelled lists."""
        return float(PLACES[np.argmax(self.worth - PULL * (PLACES - self.centre - usual) ** 2)])


def measure_own_cut(n: int, left: Ints, right: Ints, log_odds: Floats) -> OwnCut:
    """Look at a list's scores.

    Args:
        n: number of records.
        left, right, log_odds: shape (pairs,), scored pairs; 0 is as likely as not.
    """
    valley, opened = valleys(log_odds), np.empty(len(PLACES))
    for at, place in enumerate(PLACES.tolist()):
        likely = log_odds > place
        wedges, closed = count_wedges(n, left[likely], right[likely])
        share = 1.0 - (closed + 1.0) / (wedges + 2.0)
        opened[at] = np.clip(share, 0.02, 0.98) * np.log1p((wedges - closed) / max(1, int(likely.sum())))
    return OwnCut(_expected_best(log_odds), VALLEY * smooth(valley) - OPEN * smooth(opened))


def valleys(log_odds: Floats) -> Floats:
    """How deep the valley of the scores' density is at each place, in natural logarithms; 0 on a slope.

    Args:
        log_odds: shape (pairs,).

    Returns:
        Shape (len(PLACES),).
    """
    steps = np.arange(-REACH, REACH + STEP / 2, STEP)
    edges = np.append(steps - STEP / 2, steps[-1] + STEP / 2)
    seen, _ = np.histogram(np.clip(log_odds, -REACH, REACH), edges)
    offset = np.arange(-30, 31) * STEP
    kernel = np.exp(-0.5 * (offset / WIDTH) ** 2)
    density = np.convolve(seen.astype(np.float64), kernel / kernel.sum(), "same") + DOUBT
    below, above = np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1]
    return np.asarray(np.interp(PLACES, steps, np.log(np.minimum(below, above) / density)))


def _expected_best(log_odds: Floats) -> float:
    """The place of the highest expected F1, between the places by the parabola through it and its neighbours.

    0, where a pair is as likely as not, without any pairs.
    """
    if not len(log_odds):
        return 0.0
    probability = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -30.0, 30.0)))
    true = float(probability.sum())
    expected = [2.0 * float(probability[log_odds > p].sum()) / (int((log_odds > p).sum()) + true) for p in PLACES]
    best = int(np.argmax(expected))
    if not 0 < best < len(PLACES) - 1:
        return float(PLACES[best])
    low, top, high = expected[best - 1 : best + 2]
    bend = low - 2.0 * top + high
    step = float(PLACES[1] - PLACES[0])
    return float(PLACES[best] + (0.5 * step * (low - high) / bend if bend < 0 else 0.0))


def smooth(values: Floats) -> Floats:
    """Each value averaged with its neighbours, which weigh half; shape kept."""
    padded = np.concatenate((values[:1], values, values[-1:]))
    return np.asarray(0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])
