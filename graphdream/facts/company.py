"""The company that words keep: two values are of one kind where they stand between the same words.

`Oslo` and `Bergen` stand behind `lives in` on many entities, `Oslo` and `tea` do not. Nobody lists what is a city.
Source: Harris 1954, Distributional structure; Firth 1957.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.facts.bags import Bags
from graphdream.facts.reading import TYPED, Reading
from graphdream.facts.statements import Statement
from graphdream.facts.tokentable import Ints, numbered
from graphdream.language.scripts import units

Table = NDArray[np.float32]

_EDGE = "|"
"""What stands before the first and behind the last word."""
_WIDTH = 512
"""Columns: two kilobytes a word."""
_AT_ONCE = 8_192
"""Pairs that are compared at once: 16 megabytes a side."""
_SHORTEST = 1e-3
"""Length of a sum of rows from which it has a direction: a row has length about 1, what rounding leaves is a hundredth
of this."""


def company_of(said: Sequence[Statement], bags: Bags) -> Table:
    """Shape (units, _WIDTH): how telling it is that a unit has a neighbour, rows of length about 1, or 0.

    A neighbour counts by the logarithm of how often it is there, and the less the more units have it. Neighbours are as
    many as words, so each is added to or taken from one of `_WIDTH` columns, by its spelling: angles between rows, and
    between sums of rows, are kept to .03 on average (Charikar, Chen and Farach-Colton 2002, the count sketch).
    """
    unit, context, contexts = _met(said, {name: at for at, name in enumerate(bags.names)})
    if not len(unit):
        return np.zeros((len(bags.names), _WIDTH), dtype=np.float32)
    places, times = np.unique(unit * len(contexts) + context, return_counts=True)
    unit, context = places // len(contexts), places % len(contexts)
    of_context = np.bincount(context, minlength=len(contexts))
    weight = np.log1p(times) * np.log((1 + len(bags.names)) / (1 + of_context))[context]
    table = sparse.csr_matrix((weight, (unit, context)), shape=(len(bags.names), len(contexts)))
    length = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    narrow = sparse.diags(1 / np.maximum(length, 1e-12)) @ table @ _columns(contexts)
    return np.asarray(narrow.astype(np.float32).todense())


def _met(said: Sequence[Statement], numbers: Mapping[str, int]) -> tuple[Ints, Ints, list[tuple[str, str]]]:
    """What stands before and behind each unit, each time: the unit, and the place of its neighbour in the list of all.

    Args:
        said: all statements.
        numbers: unit -> its number; other words are only neighbours.
    """
    words, sizes = [_EDGE], list[int]()
    for statement in said:
        sequence = _sequence(statement.reading)
        words += sequence
        words.append(_EDGE)
        sizes.append(len(sequence) + 1)
    word, spelled = numbered(words)
    unit = np.array([numbers.get(one, -1) for one in spelled], dtype=np.int64)[word]
    unit[np.cumsum([0, *sizes])] = -1
    at = np.flatnonzero(unit >= 0)
    sides = np.stack([2 * word[at - 1], 2 * word[at + 1] + 1], axis=1).ravel()
    found, first, place = np.unique(sides, return_index=True, return_inverse=True)
    order = np.argsort(first)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    contexts = [("<>"[one % 2], spelled[one // 2]) for one in found[order].tolist()]
    return np.repeat(unit[at], 2), ranks[place], contexts


def _columns(contexts: Iterable[tuple[str, str]]) -> Any:
    """Shape (contexts, _WIDTH): 1 or -1 in one column of each, by its spelling."""
    spelled = np.array([crc32("".join(one).encode("utf-8", "surrogatepass")) for one in contexts], dtype=np.int64)
    sign = np.where(spelled & 1, 1.0, -1.0)
    rows = np.arange(len(spelled))
    return sparse.csr_matrix((sign, (rows, (spelled >> 1) % _WIDTH)), shape=(len(spelled), _WIDTH))


def alike(company: Table, bags: Any, low: Ints, high: Ints, both: Any) -> Table:
    """Cosine of the company of what either of two bags has for itself, NaN where either has nothing.

    What a bag has for itself is all of it without what both have: few pairs have much in common, and bags are added up
    once for all their pairs.

    Args:
        company: shape (units, _WIDTH).
        bags: shape (bags, units), sparse: how often a bag has a unit.
        low, high: shape (pairs,), the two bags of each pair.
        both: shape (pairs, units), sparse: what both have.
    """
    out = np.full(len(low), np.nan, dtype=np.float32)
    for begin in range(0, len(low), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        there, place = np.unique(np.stack([low[part], high[part]]), return_inverse=True)
        whole = bags[there].astype(np.float32) @ company
        shared = both[part].astype(np.float32) @ company
        first, second = (whole[at] - shared for at in place.reshape(2, -1))
        one, other = (np.sqrt((own * own).sum(axis=1)) for own in (first, second))
        cosine = (first * second).sum(axis=1) / np.maximum(one * other, _SHORTEST * _SHORTEST)
        out[part] = np.where((one > _SHORTEST) & (other > _SHORTEST), cosine, np.nan)
    return out


@lru_cache(maxsize=200_000)
def _sequence(reading: Reading) -> tuple[str, ...]:
    """The units of a statement in the order in which they stand. Kept: each look of a pass asks again."""
    out, free = list[str](), list[str]()
    for kind, word in zip(reading.shape, reading.words, strict=True):
        if kind in TYPED:
            out += [*units(free), word]
            free = []
        else:
            free.append(word)
    return (*out, *units(free))
