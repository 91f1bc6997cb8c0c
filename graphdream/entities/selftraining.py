"""Self-training: what a scorer thinks of a list, told again in that list's own terms.

Trees that learned from other lists know which signals speak for a pair, not how loudly each speaks on this one: of two
lists of products one may tell them apart by a number, the other by a brand. A logistic scorer of all signals, trained
on this list alone with the trees' probabilities as its labels, keeps what the list as a whole bears out and drops what
only single pairs said. Source: self-training (Yarowsky 1995, ACL, pages 189-196) with soft labels; entity resolution
without labels by a model of the list at hand (Wu and others 2020, ZeroER, SIGMOD). What it changes is measured by
`bench/resolve.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphdream.scoring.trees import Floats

LEARNED = 40_000
"""Pairs that are learned from at most, evenly spaced: bounds the time."""
RIDGE = 3.0
"""Weight of a coefficient of 1, in pairs; signals have deviation 1."""
ROUNDS = 15
"""Newton's steps at most; five to eight are usual."""
SETTLED = 1e-3
"""Change of all coefficients at which they have settled."""
SELDOM = 0.01
"""Share of the pairs below which a missing signal is no signal of its own."""
FLAT = 1e-9
"""Deviation at and below which a signal is the same everywhere."""
CHUNK = 20_000
"""Pairs scored at once: bounds the memory."""
FEW = 50
"""Pairs that the trees' own opinion counts for: of a handful of pairs nothing can be learned."""
LIMIT = 30.0
"""Log-odds beyond which a probability counts as 0 or 1."""


def self_trained(table: NDArray[np.float32], log_odds: Floats, cut: float) -> Floats:
    """Scores of a list's pairs by a scorer that was trained on them.

    Args:
        table: shape (pairs, signals), NaN where a signal does not apply.
        log_odds: shape (pairs,), by the trees.
        cut: log-odds of the trees at which a pair is as likely as not.

    Returns:
        Shape (pairs,), log-odds whose zero is that cut.
    """
    told = log_odds - cut
    if not len(told):
        return told
    step = max(1, -(-len(told) // LEARNED))
    scale = _Scale.of(table[::step])
    coefficients = _fit(scale.rows(table[::step]), _probability(told[::step]))
    own = np.concatenate([scale.rows(table[at : at + CHUNK]) @ coefficients for at in range(0, len(told), CHUNK)])
    share = len(told) / (len(told) + FEW)
    return np.asarray(share * own + (1.0 - share) * told)


def _probability(log_odds: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -LIMIT, LIMIT))))


@dataclass(frozen=True, slots=True)
class _Scale:
    """What brings signals to mean 0 and deviation 1.

    Attributes:
        mean, deviation: shape (signals,).
        tells: shape (signals,), whether a signal differs between pairs.
        missed: shape (signals,), whether it differs between pairs if the signal applies at all.
    """

    mean: Floats
    deviation: Floats
    tells: NDArray[np.bool_]
    missed: NDArray[np.bool_]

    @classmethod
    def of(cls, table: NDArray[np.float32]) -> _Scale:
        missing = np.isnan(table)
        mean = np.where(missing, 0.0, table).sum(axis=0) / np.maximum(1, (~missing).sum(axis=0))
        deviation = np.where(missing, 0.0, table - mean).std(axis=0)
        tells, rate = deviation > FLAT, missing.mean(axis=0)
        return cls(mean, deviation, tells, tells & (rate > SELDOM) & (rate < 1.0 - SELDOM))

    def rows(self, table: NDArray[np.float32]) -> Floats:
        """Signals to scale (0 where one does not apply), whether those that are missed do, and a column of ones."""
        missing = np.isnan(table)
        scaled = np.where(missing, 0.0, table - self.mean)[:, self.tells] / self.deviation[self.tells]
        return np.concatenate([scaled, missing[:, self.missed], np.ones((len(table), 1))], axis=1)


def _fit(design: Floats, probability: Floats) -> Floats:
    """Coefficients of the ridge logistic regression on soft labels."""
    out = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        now = _probability(design @ out)
        gradient = design.T @ (now - probability) + RIDGE * out
        curvature = (design * (now * (1.0 - now) + 1e-6)[:, None]).T @ design + RIDGE * np.eye(len(out))
        change = np.linalg.solve(curvature, gradient)
        out -= change
        if np.abs(change).max() < SETTLED:
            break
    return out
