"""What two statements show by the words that they read as, whatever else the graph holds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.reading import Reading
from graphdream.facts.words import FUNCTION_WORDS, LEADS_FROM
from graphdream.scoring.curve import Ints

Table = NDArray[np.float32]
COLUMNS = ("same_reading", "led_a", "led_b")
"""Whether two have the same words; whether either leads in, as over, a word that the other has."""
_REACH = 3
"""Words behind one that leads in, at most."""


def compare_readings(readings: Sequence[Reading], low: Ints, high: Ints) -> Table:
    """Measure pairs, shape (pairs, COLUMNS).

    Args:
        readings: of all statements.
        low, high: shape (pairs,), places of the readings of each pair.
    """
    words, led = [one.words for one in readings], [led_in(one.words) for one in readings]
    rows = [
        (words[x] == words[y], not led[x].isdisjoint(words[y]), not led[y].isdisjoint(words[x]))
        for x, y in zip(low.tolist(), high.tolist(), strict=True)
    ]
    return np.array(rows, dtype=np.float32).reshape(len(rows), len(COLUMNS))


@lru_cache(maxsize=200_000)
def led_in(words: tuple[str, ...]) -> frozenset[str]:
    """Words of a statement that stand close behind one that leads in what is over: `from Oslo`, `no longer in Oslo`."""
    out: set[str] = set()
    for at, word in enumerate(words):
        if word in LEADS_FROM:
            out.update(one for one in words[at + 1 : at + 1 + _REACH] if one not in FUNCTION_WORDS)
    return frozenset(out)
