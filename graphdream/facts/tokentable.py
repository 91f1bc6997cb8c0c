"""The tokens of many readings as arrays of numbers, for counting over all of them at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.reading import Reading

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The tokens of a list of readings, end to end: those of reading r are the rows start[r] .. start[r + 1] - 1.

    Attributes:
        shape, word: shape (tokens,), the number of what stands at a place.
        shapes, words: the tokens by their number, in the order in which they are met.
        start: shape (readings + 1,).
    """

    shape: Ints
    word: Ints
    shapes: tuple[str, ...]
    words: tuple[str, ...]
    start: Ints

    @classmethod
    def of(cls, readings: Sequence[Reading]) -> TokenTable:
        """The tokens of readings, in their order."""
        shape, shapes = numbered(chain.from_iterable(reading.shape for reading in readings))
        word, words = numbered(chain.from_iterable(reading.words for reading in readings))
        start = np.cumsum([0, *(len(reading.shape) for reading in readings)])
        return cls(shape, word, shapes, words, start)

    @property
    def size(self) -> Ints:
        """Shape (readings,), how many tokens each reading has."""
        return np.diff(self.start)


def numbered(things: Iterable[str]) -> tuple[Ints, tuple[str, ...]]:
    """A number for each different thing, and the things by their number, in the order in which they are met."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    of_thing = np.fromiter(map(numbers.__getitem__, things), dtype=np.int64)
    return of_thing, tuple(numbers)
