"""The scorer: boosted trees of one depth, read from the shipped calibration and evaluated with numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bits = NDArray[np.uint8]
"""Answers, eight pairs a byte."""
CHUNK = 8192
"""Pairs scored at once: what fits a processor's cache."""
_INFINITE = np.float32(np.inf)
TOGETHER = 32
"""Trees walked down at once, for the same reason."""


@dataclass(frozen=True, slots=True)
class Trees:
    """Complete binary trees over signals; `inner` = 2**depth - 1 nodes and 2**depth leaves each.

    Attributes:
        signals: names of the columns it reads, in order.
        base: log-odds before any tree.
        feature: shape (trees, inner), column that a node asks; children of node i are 2i+1 (at or below) and 2i+2.
        cut: shape (trees, inner); a node that does not split has an infinite cut.
        missing_right: shape (trees, inner), where rows go whose signal does not apply.
        value: shape (trees, inner + 1), log-odds that a leaf adds.
    """

    signals: tuple[str, ...]
    base: float
    feature: NDArray[np.int64]
    cut: NDArray[np.float32]
    missing_right: NDArray[np.bool_]
    value: Floats
    _tests: _Tests = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tests", _Tests.of(self.feature + self.missing_right * len(self.signals), self.cut))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trees:
        """Read what `to_json` wrote.

        Raises:
            KeyError: a part is missing.
        """
        cut = [[np.inf if x is None else x for x in row] for row in data["cut"]]
        return cls(
            signals=tuple(data["signals"]),
            base=float(data["base"]),
            feature=np.array(data["feature"], dtype=np.int64),
            cut=np.array(cut, dtype=np.float32),
            missing_right=np.array(data["missing_right"], dtype=np.bool_),
            value=np.array(data["value"], dtype=np.float64),
        )

    def to_json(self) -> dict[str, Any]:
        """Plain lists; numbers keep six digits, an infinite cut becomes null."""
        return {
            "signals": list(self.signals),
            "base": round(self.base, 5),
            "feature": self.feature.tolist(),
            "cut": [[float(f"{x:.6g}") if np.isfinite(x) else None for x in row] for row in self.cut.tolist()],
            "missing_right": self.missing_right.astype(int).tolist(),
            "value": [[round(x, 5) for x in row] for row in self.value.tolist()],
        }

    def log_odds(self, signals: NDArray[np.float32], names: Sequence[str]) -> Floats:
        """Log-odds that each pair is one thing.

        Args:
            signals: shape (pairs, columns), NaN where a signal does not apply.
            names: the columns' names; the model picks those that it knows.

        Returns:
            Shape (pairs,).
        """
        at = {name: i for i, name in enumerate(names)}
        columns = [at[name] for name in self.signals]
        out = np.empty(len(signals))
        for begin in range(0, len(signals), CHUNK):
            part = np.ascontiguousarray(signals[begin : begin + CHUNK, columns].T, dtype=np.float32)
            # a missing value is -inf where the node sends it left, +inf where it sends it right
            sides = np.concatenate((np.fmax(part, -_INFINITE), np.fmin(part, _INFINITE)))
            out[begin : begin + CHUNK] = self._answer(sides)
        return out

    def _answer(self, sides: NDArray[np.float32]) -> Floats:
        """Log-odds of some rows; `sides` has shape (2 * signals, rows), the second half for `missing_right`."""
        rows = sides.shape[1]
        passed = self._tests.passed(sides)
        out = np.full(rows, self.base)
        for begin in range(0, len(self.value), TOGETHER):
            part = slice(begin, begin + TOGETHER)
            for value, leaf in zip(self.value[part], _leaves(passed[self._tests.at[part]], rows), strict=True):
                out += value.take(leaf)
        return out


@dataclass(frozen=True, slots=True)
class _Tests:
    """What the nodes of all trees ask, each once: many ask the same.

    Attributes:
        side: shape (tests,), row of the signals that a test asks, ascending.
        cut: shape (tests,), what is above passes.
        at: shape (trees, inner), the test of each node.
    """

    side: NDArray[np.int64]
    cut: NDArray[np.float32]
    at: NDArray[np.int64]

    @classmethod
    def of(cls, side: NDArray[np.int64], cut: NDArray[np.float32]) -> _Tests:
        """From what each node asks, shape (trees, inner)."""
        cuts, number = np.unique(cut, return_inverse=True)
        found, at = np.unique(side.ravel() * len(cuts) + number.ravel(), return_inverse=True)
        return cls(found // len(cuts), cuts[found % len(cuts)], at.reshape(side.shape))

    def passed(self, sides: NDArray[np.float32]) -> Bits:
        """Which rows pass each test, shape (tests, rows / 8)."""
        out = np.empty((len(self.side), -(-sides.shape[1] // 8)), dtype=np.uint8)
        begins = np.flatnonzero(np.diff(self.side, prepend=-1))
        for begin, end in zip(begins, [*begins[1:], len(self.side)], strict=True):
            out[begin:end] = np.packbits(sides[self.side[begin]] > self.cut[begin:end, None], axis=1)
        return out


def _leaves(passed: Bits, rows: int) -> NDArray[np.uint8]:
    """The leaf that each row reaches in each tree, shape (trees, rows); trees are at most eight levels deep.

    Of the nodes of a level, one after another, the rows keep the answer of the half into which their answers at the
    levels above have sent them, until there is one answer a row.

    Args:
        passed: shape (trees, inner, rows / 8), which rows pass the test of each node.
    """
    leaf = np.zeros((len(passed), rows), dtype=np.uint8)
    above: list[Bits] = []
    begin = 0
    while begin < passed.shape[1]:
        level = passed[:, begin : 2 * begin + 1]
        for went in above:
            half = level.shape[1] // 2
            left, right = level[:, :half], level[:, half:]
            level = left ^ ((left ^ right) & went)
        above.append(level)
        leaf = leaf << np.uint8(1) | np.unpackbits(level[:, 0], axis=1, count=rows)
        begin = 2 * begin + 1
    return leaf
