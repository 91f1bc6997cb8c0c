"""What was measured of pairs in one look, kept for the next: most pairs are the same again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphdream.scoring.curve import Ints

Table = NDArray[np.float32]
_SHIFT = 32
"""Bits of a thing's number."""


class KeptPairs:
    """Rows of pairs of things (texts, readings), those of the look before."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._next = 0
        self._keys = np.zeros(0, dtype=np.int64)
        self._rows = np.zeros((0, 0), dtype=np.float32)

    def rows(self, things: Sequence[Hashable], low: Ints, high: Ints, measure: Callable[[Ints], Table]) -> Table:
        """What `measure` says of pairs, asked only of those that are new.

        Args:
            things: all of them.
            low, high: shape (pairs,), places of the two things of each pair.
            measure: takes places of pairs, shape (n,); gives their rows, shape (n, columns), which hang on nothing but
                the two things in their order.

        Returns:
            Shape (pairs, columns).
        """
        number = self._numbered(things)
        keys = number[low] << _SHIFT | number[high]
        place = np.searchsorted(self._keys, keys)
        known = np.zeros(len(keys), dtype=np.bool_)
        inside = place < len(self._keys)
        known[inside] = self._keys[place[inside]] == keys[inside]
        fresh = measure(np.flatnonzero(~known))
        out = np.empty((len(keys), fresh.shape[1]), dtype=np.float32)
        out[~known] = fresh
        if known.any():
            out[known] = self._rows[place[known]]
        order = np.argsort(keys, kind="stable")
        self._keys, self._rows = keys[order], out[order]
        return out

    def _numbered(self, things: Sequence[Hashable]) -> Ints:
        """The number of each thing, the one that it had in the look before."""
        numbers: dict[Hashable, int] = {}
        for thing in things:
            if thing not in numbers:
                known = self._numbers.get(thing)
                if known is None:
                    known, self._next = self._next, self._next + 1
                numbers[thing] = known
        self._numbers = numbers
        return np.array([numbers[thing] for thing in things], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class PairMemory:
    """What two statements show by themselves, whatever else the graph holds.

    Attributes:
        texts: of pairs of texts as they are written.
        readings: of pairs of texts as they are read.
    """

    texts: KeptPairs = field(default_factory=KeptPairs)
    readings: KeptPairs = field(default_factory=KeptPairs)
