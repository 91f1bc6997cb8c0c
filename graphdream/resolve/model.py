"""The scorer: boosted trees of one depth, read from the shipped calibration and evaluated with numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
        table = np.ascontiguousarray(signals[:, [at[name] for name in self.signals]])
        missing = np.isnan(table)
        out = np.full(len(table), self.base)
        rows = np.arange(len(table)) * table.shape[1]
        flat, absent = table.ravel(), missing.ravel()
        inner = self.feature.shape[1]
        for tree in range(len(self.feature)):
            node = np.zeros(len(table), dtype=np.int64)
            while inner and (node[0] if len(node) else inner) < inner:
                cell = rows + self.feature[tree][node]
                right = flat[cell] > self.cut[tree][node]
                right |= absent[cell] & self.missing_right[tree][node]
                node = 2 * node + 1 + right
            out += self.value[tree][node - inner] if len(node) else 0.0
        return out
