"""Whether what a sentence says has one answer at a time: people live in one town, and like many things.

A memory of thousands of facts shows it by itself (asked.py); in a small one only the words can tell. Some tell by
themselves (`has been to`, `currently`); each of these has a weight. Others tell by what they mean, so each direction in
which words point (language/senses.py) has one, too. Both were learned together, from sentences of generated graphs
whose truth says which questions have one answer, and from openings of sentences in fourteen languages
(fixtures/questions.txt). `one_answer.json` holds these weights and nothing else; it is one signal among others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.language.senses import WIDTH, Vectors, sense_hash

_SHORTEST = 1e-6
"""Length of a sum of directions from which it has one."""


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """A weight for each direction, and for each of the words that tell by themselves.

    Attributes:
        weights: shape (WIDTH,).
        base: log-odds of what points nowhere.
        word_weights: hash of a word (`sense_hash`) -> its weight.
    """

    weights: NDArray[np.float32]
    base: float
    word_weights: Mapping[int, float]

    def weights_of(self, words: Sequence[str]) -> Vectors:
        """Shape (words,): the weight of each word; 0 of those that are not known."""
        return np.array([self.word_weights.get(sense_hash(word), 0.0) for word in words], dtype=np.float32)

    def log_odds(self, senses: Vectors, words: Vectors) -> Vectors:
        """Log-odds, shape (texts,), that each has one answer at a time; NaN for a text of no known word.

        Args:
            senses: shape (texts, WIDTH), the sum of the directions of the words of each.
            words: shape (texts,), the sum of the weights of its words (`weights_of`).
        """
        length = np.linalg.norm(senses, axis=1)
        odds = senses @ self.weights / np.maximum(length, _SHORTEST) + words + self.base
        return np.where((length > _SHORTEST) | (words != 0), odds, np.nan).astype(np.float32)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OneAnswer:
        """Read what `to_json` wrote."""
        word_weights = dict(zip(data["words"], data["word_weights"], strict=True))
        return cls(np.array(data["weights"], dtype=np.float32), float(data["base"]), word_weights)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        words = sorted(self.word_weights)
        return {
            "base": round(self.base, 4),
            "weights": [round(float(one), 4) for one in self.weights],
            "words": words,
            "word_weights": [round(self.word_weights[word], 3) for word in words],
        }


def unknown() -> OneAnswer:
    """What tells nothing of any sentence."""
    return OneAnswer(np.zeros(WIDTH, dtype=np.float32), 0.0, {})


@lru_cache(maxsize=1)
def shipped() -> OneAnswer:
    """The weights that come with the program."""
    text = resources.files("graphdream.facts").joinpath("one_answer.json").read_text(encoding="utf-8")
    return OneAnswer.from_json(json.loads(text))
