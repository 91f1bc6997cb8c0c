"""Whether what a sentence says has one answer at a time: people live in one town, and like many things.

A memory of thousands of facts shows it by itself (asked.py); in a small one only the words can tell. So each direction
in which words point (language/senses.py) has a weight, learned from sentences of generated graphs whose truth says
which questions have one answer; `one_answer.json` holds these weights and nothing else. It is one signal among others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.language.senses import WIDTH, Vectors

_SHORTEST = 1e-6
"""Length of a sum of directions from which it has one."""


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """A weight for each direction.

    Attributes:
        weights: shape (WIDTH,).
        base: log-odds of what points nowhere.
    """

    weights: NDArray[np.float32]
    base: float

    def log_odds(self, senses: Vectors) -> Vectors:
        """Log-odds, shape (texts,), that each has one answer at a time; NaN for a text of no known word.

        Args:
            senses: shape (texts, WIDTH), the sum of the directions of the words of each.
        """
        length = np.linalg.norm(senses, axis=1)
        odds = senses @ self.weights / np.maximum(length, _SHORTEST) + self.base
        return np.where(length > _SHORTEST, odds, np.nan).astype(np.float32)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OneAnswer:
        """Read what `to_json` wrote."""
        return cls(np.array(data["weights"], dtype=np.float32), float(data["base"]))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"base": round(self.base, 4), "weights": [round(float(one), 4) for one in self.weights]}


def unknown() -> OneAnswer:
    """What tells nothing of any sentence."""
    return OneAnswer(np.zeros(WIDTH, dtype=np.float32), 0.0)


@lru_cache(maxsize=1)
def shipped() -> OneAnswer:
    """The weights that come with the program."""
    text = resources.files("graphdream.facts").joinpath("one_answer.json").read_text(encoding="utf-8")
    return OneAnswer.from_json(json.loads(text))
