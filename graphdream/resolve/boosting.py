"""Training of the scorer: gradient boosting of shallow trees with monotone signals, in numpy.

Every signal has a known direction (more shared facts never speak against a pair), and saying so is what lets a scorer
trained on some graphs order the pairs of another one. Source: Friedman 2001 (gradient boosting); the second-order leaf
values and split gain are those of Chen and Guestrin 2016; constraints as in LightGBM's basic method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphdream.resolve.model import Floats, Trees

BINS = 48
"""Quantile steps of one signal; one more bin holds the rows where it does not apply."""


@dataclass(frozen=True, slots=True)
class Boosting:
    """How a scorer is trained.

    Attributes:
        rounds: trees.
        depth: questions on the way to a leaf.
        rate: share of each tree's answer that is kept.
        ridge: weight added to each leaf's curvature; larger is more cautious.
        least: smallest curvature of a leaf.
        share: rows drawn for each tree.
        columns: share of the signals that each tree may ask.
        seed: of the draws.
    """

    rounds: int = 160
    depth: int = 4
    rate: float = 0.1
    ridge: float = 4.0
    least: float = 4.0
    share: float = 0.7
    columns: float = 0.7
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

    Returns:
        The trees.
    """
    cuts = [_cuts(table[:, c]) for c in range(table.shape[1])]
    codes = np.stack([_code(table[:, c], cuts[c]) for c in range(table.shape[1])], axis=1)
    rng = np.random.default_rng(how.seed)
    target = same.astype(np.float64)
    prior = float((weight * target).sum() / weight.sum())
    base = float(np.log(prior / (1.0 - prior)))
    score = np.full(len(table), base)
    grown = _Grower(codes, np.array(direction), [len(c) for c in cuts], how)
    trees: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], Floats]] = []
    for _ in range(how.rounds):
        p = 1.0 / (1.0 + np.exp(-score))
        slope, curve = weight * (p - target), weight * np.maximum(p * (1.0 - p), 1e-6)
        rows = np.flatnonzero(rng.random(len(table)) < how.share)
        asked = np.sort(rng.permutation(codes.shape[1])[: max(1, round(how.columns * codes.shape[1]))])
        tree = grown.grow(rows, slope, curve, asked)
        trees.append(tree)
        score += grown.answer(tree)
    inner = 2**how.depth - 1
    return Trees(
        signals=tuple(signals),
        base=base,
        feature=np.array([t[0] for t in trees], dtype=np.int64).reshape(-1, inner),
        cut=np.array(
            [[cuts[f][b] if b < len(cuts[f]) else np.inf for f, b in zip(t[0], t[1], strict=True)] for t in trees],
            dtype=np.float32,
        ).reshape(-1, inner),
        missing_right=np.array([t[2] for t in trees], dtype=np.bool_).reshape(-1, inner),
        value=np.array([t[3] for t in trees]).reshape(-1, inner + 1),
    )


def _cuts(column: NDArray[np.float32]) -> NDArray[np.float32]:
    """Ascending cut points between quantiles of the column."""
    seen = np.unique(column[~np.isnan(column)])
    if len(seen) > BINS:
        seen = np.unique(np.quantile(column[~np.isnan(column)], np.linspace(0, 1, BINS), method="nearest"))
    return ((seen[1:] + seen[:-1]) / 2).astype(np.float32)


def _code(column: NDArray[np.float32], cuts: NDArray[np.float32]) -> NDArray[np.int64]:
    return np.where(np.isnan(column), BINS, np.searchsorted(cuts, column, side="left"))


class _Grower:
    """Grows one tree at a time on binned signals."""

    def __init__(self, codes: NDArray[np.int64], direction: NDArray[np.int64], steps: list[int], how: Boosting) -> None:
        self.codes, self.direction, self.how = codes, direction, how
        self.steps = np.array(steps)

    def grow(
        self, rows: NDArray[np.int64], slope: Floats, curve: Floats, asked: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], Floats]:
        """One tree: per inner node its column, bin (BINS + 1: no split), side of missing rows; per leaf its value."""
        how, inner = self.how, 2**self.how.depth - 1
        feature = np.zeros(inner, dtype=np.int64)
        split = np.full(inner, BINS + 1, dtype=np.int64)
        missing = np.zeros(inner, dtype=np.bool_)
        low, high = np.full(2 * inner + 1, -np.inf), np.full(2 * inner + 1, np.inf)
        codes = self.codes[rows][:, asked]
        place = np.arange(len(asked)) * (BINS + 1) + codes
        g, h = slope[rows], curve[rows]
        node = np.zeros(len(rows), dtype=np.int64)
        sums = self._sums(place, node, g, h, 1)
        for level in range(how.depth):
            first, count = 2**level - 1, 2**level
            for k in range(count):
                best = self._best(sums[0][k], sums[1][k], asked, low[first + k], high[first + k])
                if best is None:
                    low[2 * (first + k) + 1 : 2 * (first + k) + 3] = low[first + k]
                    high[2 * (first + k) + 1 : 2 * (first + k) + 3] = high[first + k]
                    continue
                column, at, to_right, left_value, right_value = best
                feature[first + k], split[first + k], missing[first + k] = asked[column], at, to_right
                self._bound(first + k, int(self.direction[asked[column]]), left_value, right_value, low, high)
            node = self._step(node, codes, asked, feature, split, missing)
            if level + 1 < how.depth:
                at_left = np.flatnonzero(node % 2 == 1)
                sums = self._children(
                    sums, self._sums(place[at_left], (node[at_left] - 1) // 2 - first, g[at_left], h[at_left], count)
                )
        value = -np.bincount(node - inner, g, inner + 1) / (np.bincount(node - inner, h, inner + 1) + how.ridge)
        return feature, split, missing, how.rate * np.clip(value, low[inner:], high[inner:])

    @staticmethod
    def _sums(
        place: NDArray[np.int64], node: NDArray[np.int64], g: Floats, h: Floats, count: int
    ) -> tuple[Floats, Floats]:
        """Slope and curvature by node, column and bin: two arrays of shape (count, columns, BINS + 1)."""
        columns = place.shape[1]
        size = columns * (BINS + 1)
        cell = (place + (node * size)[:, None]).ravel()
        shape = (count, columns, BINS + 1)
        return (
            np.asarray(np.bincount(cell, np.repeat(g, columns), count * size).reshape(shape), dtype=np.float64),
            np.asarray(np.bincount(cell, np.repeat(h, columns), count * size).reshape(shape), dtype=np.float64),
        )

    @staticmethod
    def _children(parents: tuple[Floats, Floats], lefts: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Sums of all children from those of their parents and of the left ones."""
        out = []
        for parent, left in zip(parents, lefts, strict=True):
            both = np.stack((left, parent - left), axis=1)
            out.append(both.reshape(-1, *parent.shape[1:]))
        return out[0], out[1]

    def _best(
        self, g: Floats, h: Floats, asked: NDArray[np.int64], low: float, high: float
    ) -> tuple[int, int, bool, float, float] | None:
        """The split of largest gain that keeps every asked direction."""
        ridge, least = self.how.ridge, self.how.least
        total_g, total_h = g.sum(axis=1, keepdims=True), h.sum(axis=1, keepdims=True)
        whole = float(total_g[0, 0] ** 2 / (total_h[0, 0] + ridge))
        best: tuple[float, int, int, bool, float, float] | None = None
        for to_right in (True, False):
            left_g = np.cumsum(g[:, :BINS], axis=1) + (0.0 if to_right else g[:, BINS:])
            left_h = np.cumsum(h[:, :BINS], axis=1) + (0.0 if to_right else h[:, BINS:])
            right_g, right_h = total_g - left_g, total_h - left_h
            left_value = np.clip(-left_g / (left_h + ridge), low, high)
            right_value = np.clip(-right_g / (right_h + ridge), low, high)
            gain = _worth(left_g, left_h, left_value, ridge) + _worth(right_g, right_h, right_value, ridge) - whole
            turned = (right_value - left_value) * self.direction[asked][:, None] < 0
            beyond = np.arange(BINS)[None, :] >= self.steps[asked][:, None]
            gain[(left_h < least) | (right_h < least) | turned | beyond] = -np.inf
            at = int(np.argmax(gain))
            row, col = divmod(at, BINS)
            if gain[row, col] > 1e-6 and (best is None or gain[row, col] > best[0]):
                best = (
                    float(gain[row, col]),
                    row,
                    col,
                    to_right,
                    float(left_value[row, col]),
                    float(right_value[row, col]),
                )
        return None if best is None else best[1:]

    @staticmethod
    def _bound(node: int, direction: int, left: float, right: float, low: Floats, high: Floats) -> None:
        """Values below a monotone split stay on their side of its middle."""
        a, b = 2 * node + 1, 2 * node + 2
        low[a], high[a], low[b], high[b] = low[node], high[node], low[node], high[node]
        middle = (left + right) / 2
        if direction > 0:
            high[a], low[b] = middle, middle
        elif direction < 0:
            low[a], high[b] = middle, middle

    @staticmethod
    def _step(
        node: NDArray[np.int64],
        codes: NDArray[np.int64],
        asked: NDArray[np.int64],
        feature: NDArray[np.int64],
        split: NDArray[np.int64],
        missing: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        place = np.searchsorted(asked, feature[node])
        code = codes[np.arange(len(node)), np.minimum(place, len(asked) - 1)]
        right = np.where(code == BINS, missing[node], code > split[node])
        return 2 * node + 1 + right

    def answer(self, tree: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], Floats]) -> Floats:
        """The tree's value for every training row."""
        feature, split, missing, value = tree
        node = np.zeros(len(self.codes), dtype=np.int64)
        rows = np.arange(len(self.codes))
        for _ in range(self.how.depth):
            code = self.codes[rows, feature[node]]
            node = 2 * node + 1 + np.where(code == BINS, missing[node], code > split[node])
        return value[node - len(feature)]


def _worth(g: Floats, h: Floats, value: Floats, ridge: float) -> Floats:
    """Gain of a leaf that answers `value`: g**2 / (h + ridge) where nothing clips it."""
    return -(2.0 * g * value + (h + ridge) * value * value)
