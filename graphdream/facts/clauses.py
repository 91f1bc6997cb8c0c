"""The clauses of a statement: what stands between marks and conjunctions."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from graphdream.facts.reading import Reading
from graphdream.facts.words import CONJUNCTIONS, IS, JOINS

_JOINS = CONJUNCTIONS | JOINS - IS
"""Words that begin a clause; some of one language are the copula of another (Hungarian `és`, as it is compared)."""


def clause_of(one: Reading, at: int) -> tuple[int, int]:
    """Where the clause of a place begins and ends."""
    bounds = _bounds(one)
    after = bisect_right(bounds, at)
    return bounds[after - 1], bounds[after]


@lru_cache(maxsize=200_000)
def _bounds(one: Reading) -> list[int]:
    joins = (at for at, word in enumerate(one.words) if word in _JOINS)
    return sorted({0, len(one.words), *one.marks, *joins})
