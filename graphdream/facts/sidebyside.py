"""Statements laid side by side: how many tokens two of them begin and end with in common."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.reading import Reading
from graphdream.facts.tokentable import numbered
from graphdream.scoring.curve import Ints

_EDGE = 96
"""Tokens of the beginning and of the end of a statement that are compared."""
_NOTHING = -1
"""Stands where a statement has no token any more; like nothing."""
_AT_ONCE = 20_000
"""Pairs that are compared at once: eight megabytes a side."""

Tokens = NDArray[np.int32]


class SideBySide:
    """The edges of statements.

    Args:
        readings: of all statements.

    Attributes:
        size: shape (statements,), tokens of each.
    """

    def __init__(self, readings: Sequence[Reading]) -> None:
        token = numbered(chain.from_iterable(reading.words for reading in readings))[0]
        end = np.cumsum([len(reading.words) for reading in readings], dtype=np.int64)
        self.size: Ints = np.diff(end, prepend=0)
        token, place = np.append(token, _NOTHING), np.arange(_EDGE + 1)
        inside = (place < self.size[:, None]) & (place < _EDGE)
        start = (end - self.size)[:, None]
        self._front: Tokens = token[np.where(inside, start + place, -1)].astype(np.int32)
        self._rear: Tokens = token[np.where(inside, end[:, None] - 1 - place, -1)].astype(np.int32)

    def begin_alike(self, low: Ints, high: Ints) -> Ints:
        """How many tokens from the beginning on are the same, shape (pairs,)."""
        return _alike(self._front, low, high)

    def end_alike(self, low: Ints, high: Ints) -> Ints:
        """How many tokens from the end on are the same, shape (pairs,)."""
        return _alike(self._rear, low, high)


def _alike(tokens: Tokens, low: Ints, high: Ints) -> Ints:
    """Tokens that are the same before the first that is not; the last column holds none."""
    out = np.zeros(len(low), dtype=np.int64)
    for begin in range(0, len(low), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        left, right = tokens[low[part]], tokens[high[part]]
        out[part] = ((left == right) & (left != _NOTHING)).argmin(axis=1)
    return out
