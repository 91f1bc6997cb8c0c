"""The shipped scorers of facts: one for each of the three questions, and what their scores turned out to be worth.

Each was trained on histories of real memories and on generated graphs; what its scores are worth was read off
repositories and vocabularies left out of training (train.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.scoring.curve import Curve
from graphdream.scoring.trees import Floats, Trees

FORMAT = 1
QUESTIONS = ("same", "replaces", "empty")
"""Does the other say all that the one says; does the newer replace the older; does this say nothing."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A scorer for one question.

    Attributes:
        trees: the scorer.
        calibrated: what its log-odds are worth, on sets left out of training.
        measured: figures on left-out sets, for the documentation.
    """

    trees: Trees
    calibrated: Curve
    measured: Mapping[str, Any] = field(default_factory=dict)

    def probability(self, table: NDArray[np.float32], names: Sequence[str]) -> Floats:
        """Calibrated probability, shape (rows,), that the answer is yes."""
        if not len(table):
            return np.zeros(0)
        return self.calibrated.at(self.trees.log_odds(table, names))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Judge:
        """Read what `to_json` wrote."""
        return cls(Trees.from_json(data["trees"]), Curve.from_json(data["calibrated"]), data.get("measured", {}))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "measured": dict(self.measured),
            "calibrated": self.calibrated.to_json(),
            "trees": self.trees.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The three judges, and the command that made them."""

    same: Judge
    replaces: Judge
    empty: Judge
    command: str

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Calibration:
        """Read what `to_json` wrote.

        Raises:
            ValueError: it was written for another format.
        """
        if data.get("format") != FORMAT:
            raise ValueError(f"format {data.get('format')} of the calibration of facts; this program reads {FORMAT}")
        same, replaces, empty = (Judge.from_json(data[name]) for name in QUESTIONS)
        return cls(same, replaces, empty, data["command"])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        judges = zip(QUESTIONS, (self.same, self.replaces, self.empty), strict=True)
        return {"format": FORMAT, "command": self.command, **{name: judge.to_json() for name, judge in judges}}


@lru_cache(maxsize=1)
def shipped() -> Calibration:
    """The calibration that comes with the program."""
    text = resources.files("graphdream.facts").joinpath("calibration.json").read_text(encoding="utf-8")
    return Calibration.from_json(json.loads(text))
