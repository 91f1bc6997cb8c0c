"""What a score is worth: rising curves from scores to probabilities, cuts inside error budgets, intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.scoring.trees import Floats

Ints = NDArray[np.int64]

DOUBT = 0.05
"""True pairs, and false ones, that every step of the calibration holds before any is seen."""


@dataclass(frozen=True, slots=True)
class Curve:
    """What a figure is worth: probability that a pair is one thing, rising with the figure.

    Attributes:
        steps: figures at which `truth` is given, ascending.
        truth: share of true pairs there, on labelled graphs.
    """

    steps: tuple[float, ...]
    truth: tuple[float, ...]

    def at(self, figures: Floats) -> Floats:
        """Probabilities, interpolated between the steps."""
        return np.asarray(np.interp(figures, self.steps, self.truth))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Curve:
        """Read what `to_json` wrote."""
        return cls(tuple(data["steps"]), tuple(data["truth"]))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"steps": [round(x, 4) for x in self.steps], "truth": [round(x, 6) for x in self.truth]}


def threshold_for(probability: Floats, max_false_merge_rate: float) -> float:
    """The lowest probability at which the merges above it stay inside an error budget.

    Args:
        probability: shape (pairs,), calibrated.
        max_false_merge_rate: share of the merged pairs that may be wrong, in 0..1.

    Returns:
        Threshold in 0..1; above 1 where no pair fits the budget.
    """
    values = np.sort(np.asarray(probability, dtype=np.float64))[::-1]
    if not len(values):
        return 1.0
    wrong = np.cumsum(1.0 - values) / np.arange(1, len(values) + 1)
    inside = np.flatnonzero(wrong <= max_false_merge_rate)
    return float(values[inside[-1]]) if len(inside) else 1.01


@dataclass(frozen=True, slots=True)
class Block:
    """Pairs of neighbouring scores whose share of true ones is taken as one.

    Attributes:
        first, mean, last: of their scores.
        share: of true pairs among them, in 0..1, neither 0 nor 1.
    """

    first: float
    mean: float
    last: float
    share: float


def isotonic(score: Floats, same: Floats, weight: Floats) -> list[Block]:
    """Share of true pairs by score, rising: pooled adjacent violators over 200 steps, finest at the top.

    Source: Ayer et al. 1955; each block starts from `DOUBT` true and false pairs, so that no share is 0 or 1.
    """
    order = np.argsort(score, kind="stable")
    # the surest pairs decide how much fits into a small budget: steps hold 30 pairs there and more further down
    ends = np.unique(np.geomspace(min(30, len(order)), len(order), 200).astype(np.int64))
    parts = [part for part in np.split(order, len(order) - ends[-2::-1]) if len(part)]
    pooled: list[list[NDArray[np.int64]]] = []
    rate: list[float] = []
    for part in parts:
        pooled.append([part])
        rate.append(_share(part, same, weight))
        while len(pooled) > 1 and rate[-2] >= rate[-1]:
            pooled[-2:] = [[*pooled[-2], *pooled[-1]]]
            rate[-2:] = [_share(np.concatenate(pooled[-1]), same, weight)]
    doubt = DOUBT * float(weight.mean())
    return [_block(np.concatenate(rows), score, same, weight, doubt) for rows in pooled]


def _share(rows: Ints, same: Floats, weight: Floats) -> float:
    return float((weight[rows] * same[rows]).sum() / weight[rows].sum())


def _block(rows: Ints, score: Floats, same: Floats, weight: Floats, doubt: float) -> Block:
    true, all_ = float((weight[rows] * same[rows]).sum()), float(weight[rows].sum())
    own = score[rows]
    return Block(float(own.min()), float(own.mean()), float(own.max()), (true + doubt) / (all_ + 2 * doubt))


def rising(shares: Sequence[float]) -> tuple[float, ...]:
    """The shares, none below one before it."""
    return tuple(np.maximum.accumulate(shares).tolist())
