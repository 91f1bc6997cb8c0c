"""What words tell of something that is so or is not: a weight for each direction in which words point
(language/senses.py), and one for each of the words that tell by themselves. Both are learned together (answers.py,
learnedwords.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.language.senses import WIDTH, Vectors, sense_hash

_SHORTEST = 1e-6
"""Length of a sum of directions from which it has one."""


@dataclass(frozen=True, slots=True)
class WordWeights:
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
        """Log-odds, shape (texts,), that the answer is yes; NaN for a text of no known word.

        Args:
            senses: shape (texts, WIDTH), the sum of the directions of the words of each.
            words: shape (texts,), the sum of the weights of its words (`weights_of`).
        """
        length = np.linalg.norm(senses, axis=1)
        odds = senses @ self.weights / np.maximum(length, _SHORTEST) + words + self.base
        return np.where((length > _SHORTEST) | (words != 0), odds, np.nan).astype(np.float32)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WordWeights:
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


def unknown() -> WordWeights:
    """What tells nothing of any word."""
    return WordWeights(np.zeros(WIDTH, dtype=np.float32), 0.0, {})


def counted(texts: Sequence[Sequence[str]]) -> tuple[list[str], sparse.csr_matrix]:
    """The words of texts, each once, and how often each text has each: shape (texts, words)."""
    words = sorted({word for text in texts for word in text})
    at = {word: number for number, word in enumerate(words)}
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    columns = np.array([at[word] for text in texts for word in text], dtype=np.int64)
    ones = np.ones(len(rows), dtype=np.float32)
    return words, sparse.csr_matrix((ones, (rows, columns)), shape=(len(texts), len(words)))
