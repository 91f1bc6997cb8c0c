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

from graphdream.facts.ownwords import words_of_its_own
from graphdream.facts.reading import Reading
from graphdream.facts.wordweights import WordWeights, counted, unknown
from graphdream.language.senses import WIDTH, Vectors, senses_of, senses_of_characters

COLUMNS = ("words_a", "words_b")
"""What the own words of the older and of the newer statement speak for, in log-odds."""
_SHORTEST = 1e-6
"""Length of a sum of directions from which it has one."""

OwnWords = tuple[Sequence[str], Sequence[str]]
"""Words of its own of a statement: those that tell something, and function words."""


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """The weights of the own words of an older statement, and of a newer one."""

    older: WordWeights
    newer: WordWeights

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OwnWeights:
        """Read what `to_json` wrote."""
        return cls(WordWeights.from_json(data["older"]), WordWeights.from_json(data["newer"]))

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
        older, newer = _worth(self.older, [one for one, _ in own]), _worth(self.newer, [one for _, one in own])
        return np.stack([older, newer], axis=1)


def _worth(weights: WordWeights, own: Sequence[OwnWords]) -> NDArray[np.float32]:
    """Log-odds that own words speak for, shape (statements,); 0 where there is no known word."""
    words, counts = counted([(*telling, *function) for telling, function in own])
    found = weights.log_odds(directions_of([telling for telling, _ in own]), counts @ weights.weights_of(words))
    return np.nan_to_num(found)


def directions_of(texts: Sequence[Sequence[str]]) -> Vectors:
    """Shape (texts, WIDTH): where the words of each point together, length 1; 0 where none is known. A word of Han
    characters that is not known points where its characters do."""
    words, counts = counted(texts)
    known = senses_of(words)
    unknown = ~known.any(axis=1)
    known[unknown] = senses_of_characters(words)[unknown]
    sums = np.asarray(counts @ known, dtype=np.float32).reshape(len(texts), WIDTH)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(length > _SHORTEST, sums / np.maximum(length, _SHORTEST), np.float32(0)).astype(np.float32)


def unknown_words() -> OwnWeights:
    """What knows nothing of any word."""
    return OwnWeights(unknown(), unknown())
