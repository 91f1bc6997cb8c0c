"""What statements mean, as far as the directions of their words tell (language/senses.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.bags import KINDS, Bags
from graphdream.facts.oneanswer import shipped
from graphdream.facts.reading import NAME, TYPED
from graphdream.facts.wordweights import WordWeights
from graphdream.language.senses import Vectors, senses_of, senses_of_characters
from graphdream.scoring.curve import Ints

_SHORTEST = 1e-6
"""Length of a sum of directions from which it has one."""


MEANT = ("sense", "sense_free", "sense_only", "sense_value", "one_both")
"""What is measured of the meaning of pairs: cosines of what both say, of their words without values, of the words that
each has for itself, and of the names that each has for itself; log-odds that what the words that both have say has one
answer at a time. NaN where no word is known."""


class Meaning:
    """The meaning of the statements of one graph.

    Args:
        bags: their units.
        one_answer: tells which sentences have one answer at a time; by default the one that comes with the program.
    """

    def __init__(self, bags: Bags, one_answer: WordWeights | None = None) -> None:
        self._one_answer = one_answer or shipped()
        of_kind = {kind: np.asarray(bags.kind[:, at].todense()).ravel() > 0 for at, kind in enumerate(KINDS)}
        spelled = [name.split("@")[0] for name in bags.names]
        self._units = senses_of(spelled)
        numbers = np.logical_or.reduce([of_kind[kind] for kind in TYPED if kind != NAME])
        self._units[numbers] = 0.0
        self._names = np.where(of_kind[NAME][:, None], self._units, np.float32(0))
        self._free_units = np.where(of_kind[NAME][:, None], np.float32(0), self._units)
        self.whole: Vectors = _directed(bags.table @ self._units)
        """Shape (statements, WIDTH): unit length, or 0 where no word is known."""
        self.free: Vectors = np.asarray(bags.table @ self._free_units, dtype=np.float32)
        """Shape (statements, WIDTH): the sum over the words that are no values."""
        free = ["" if typed else word for typed, word in zip(numbers | of_kind[NAME], spelled, strict=True)]
        self._word_weights = self._one_answer.weights_of(free)
        self._characters = senses_of_characters(free)
        self.one: Vectors = self._one_answer.log_odds(self._asked(bags.table), bags.table @ self._word_weights)
        """Shape (statements,): log-odds that what a statement says has one answer at a time."""

    def of_pairs(self, low: Ints, high: Ints, both: Any, only_a: Any, only_b: Any) -> Vectors:
        """Measure pairs, shape (pairs, MEANT); it hangs on nothing but what the two statements read.

        Args:
            low, high: shape (pairs,), positions of the statements.
            both, only_a, only_b: shape (pairs, units), sparse: the units that both have, or one for itself.
        """
        free = _directed(self.free)
        left, right = (_directed(only @ self._units) for only in (only_a, only_b))
        name, other = (_directed(only @ self._names) for only in (only_a, only_b))
        columns = (
            _cosine(self.whole[low], self.whole[high]), _cosine(free[low], free[high]), _cosine(left, right),
            _cosine(name, other),
            self._one_answer.log_odds(self._asked(both), both @ self._word_weights),
        )  # fmt: skip
        return np.stack(columns, axis=1)

    def _asked(self, units: Any) -> Vectors:
        """Shape (rows, WIDTH): the sum over the words of each row that are no values; of one whose words all are
        unknown, over their Han characters."""
        out = np.asarray(units @ self._free_units, dtype=np.float32)
        unknown = np.flatnonzero(~out.any(axis=1))
        if len(unknown) and self._characters.any():
            out[unknown] = units.tocsr()[unknown] @ self._characters
        return out


def _directed(sums: NDArray[np.float32]) -> Vectors:
    sums = np.asarray(sums, dtype=np.float32)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(length > _SHORTEST, sums / np.maximum(length, _SHORTEST), np.float32(0))


def _cosine(one: Vectors, other: Vectors) -> Vectors:
    found = np.einsum("ij,ij->i", one, other)
    known = one.any(axis=1) & other.any(axis=1)
    return np.where(known, found, np.nan).astype(np.float32)
