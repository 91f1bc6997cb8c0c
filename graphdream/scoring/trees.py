"""The scorer: boosted trees of one depth, read from the shipped calibration and evaluated with numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CHUNK = 8192
"""Pairs scored at once: what fits a processor's cache."""


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
            part = signals[begin : begin + CHUNK, columns].T
            missing = np.isnan(part)
            # a missing value is -inf where the node sends it left, +inf where it sends it right
            sides = np.stack((np.where(missing, -np.inf, part), np.where(missing, np.inf, part)))
            out[begin : begin + CHUNK] = self._answer(sides.astype(np.float32), part.shape[1])
        return out

    def _answer(self, sides: NDArray[np.float32], rows: int) -> Floats:
        """Log-odds of some rows; `sides` has shape (2, signals, rows)."""
        inner, flat, row = self.feature.shape[1], sides.ravel(), np.arange(rows)
        begin = (self.feature + self.missing_right * len(self.signals)) * rows
        out = np.full(rows, self.base)
        for tree in range(len(self.feature)):
            at, cut = begin[tree], self.cut[tree]
            node = 1 + (flat[at[0] : at[0] + rows] > cut[0]).astype(np.int64)
            for _ in range((inner + 1).bit_length() - 2):
                node = 2 * node + 1 + (flat.take(at.take(node) + row) > cut.take(node))
            out += self.value[tree].take(node - inner)
        return out
