"""What the words tell that a statement has of its own beside another (ownwords.py): whether the later replaced it.

`Now`, `statt` and `ya no` speak for a change, `when`, `pendant` and `quando` for what holds beside it; others mean
something alike. So each direction in which words point (language/senses.py) has a weight, and each of the words that
many memories have. They were learned of pairs of which the truth is known (learnedwords.py), and stand in the
calibration; they are one signal among others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.facts.ownwords import words_of_its_own
from graphdream.facts.reading import Reading
from graphdream.language.senses import WIDTH, Vectors, sense_hash, senses_of, senses_of_characters

COLUMNS = ("words_a", "words_b")
"""What the own words of the older and of the newer statement speak for, in log-odds."""
_SHORTEST = 1e-6
"""Length of a sum of directions from which it has one."""

OwnWords = tuple[Sequence[str], Sequence[str]]
"""Words of its own of a statement: those that tell something, and function words."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight for each direction, and for each of the words that tell by themselves.

    Attributes:
        directions: shape (WIDTH,).
        words: hash of a word (`sense_hash`) -> its weight.
    """

    directions: NDArray[np.float32]
    words: Mapping[int, float]

    def worth(self, own: Sequence[OwnWords]) -> NDArray[np.float32]:
        """Log-odds, shape (statements,); 0 where there is no known word."""
        weight = np.array([sum(self._weight(word) for part in one for word in part) for one in own], dtype=np.float32)
        return directions_of([telling for telling, _ in own]) @ self.directions + weight

    def _weight(self, word: str) -> float:
        return self.words.get(sense_hash(word), 0.0)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Weights:
        """Read what `to_json` wrote."""
        words = dict(zip(data["words"], data["word_weights"], strict=True))
        return cls(np.array(data["directions"], dtype=np.float32), words)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        words = sorted(self.words)
        return {
            "directions": [round(float(one), 4) for one in self.directions],
            "words": words,
            "word_weights": [round(self.words[word], 3) for word in words],
        }


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """The weights of the own words of an older statement, and of a newer one."""

    older: Weights
    newer: Weights

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OwnWeights:
        """Read what `to_json` wrote."""
        return cls(Weights.from_json(data["older"]), Weights.from_json(data["newer"]))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"older": self.older.to_json(), "newer": self.newer.to_json()}

    def columns_of(self, pairs: Sequence[tuple[Reading, Reading]]) -> NDArray[np.float32]:
        """Shape (pairs, COLUMNS): of each older and newer statement."""
        return self.columns_of_words(
            [(words_of_its_own(before, after), words_of_its_own(after, before)) for before, after in pairs]
        )

    def columns_of_words(self, own: Sequence[tuple[OwnWords, OwnWords]]) -> NDArray[np.float32]:
        """The same of the own words of each older and newer statement."""
        older, newer = self.older.worth([one for one, _ in own]), self.newer.worth([one for _, one in own])
        return np.stack([older, newer], axis=1)


def directions_of(texts: Sequence[Sequence[str]]) -> Vectors:
    """Shape (texts, WIDTH): where the words of each point together, length 1; 0 where none is known."""
    words = sorted({word for text in texts for word in text})
    at = {word: number for number, word in enumerate(words)}
    known = senses_of(words)
    unknown = ~known.any(axis=1)
    known[unknown] = senses_of_characters(words)[unknown]
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    columns = np.array([at[word] for text in texts for word in text], dtype=np.int64)
    counts = sparse.csr_matrix((np.ones(len(rows), dtype=np.float32), (rows, columns)), (len(texts), len(words)))
    sums = np.asarray(counts @ known, dtype=np.float32).reshape(len(texts), WIDTH)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(length > _SHORTEST, sums / np.maximum(length, _SHORTEST), np.float32(0)).astype(np.float32)


def unknown_words() -> OwnWeights:
    """What knows nothing of any word."""
    nothing = Weights(np.zeros(WIDTH, dtype=np.float32), {})
    return OwnWeights(nothing, nothing)
