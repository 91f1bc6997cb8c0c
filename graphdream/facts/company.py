"""The company that words keep: two values are of one kind where they stand between the same words.

`Oslo` and `Bergen` stand behind `lives in` on many entities, `Oslo` and `tea` do not. Nobody lists what is a city.
Source: Harris 1954, Distributional structure; Firth 1957.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.facts.bags import Bags
from graphdream.facts.reading import TYPED
from graphdream.facts.statements import Statement
from graphdream.language.scripts import units

Table = NDArray[np.float32]

_EDGE = "|"
"""What stands before the first and behind the last word."""
_WIDTH = 512
"""Columns: two kilobytes a word."""
_AT_ONCE = 8_192
"""Pairs that are compared at once: 16 megabytes a side."""
_SHORTEST = 1e-9
"""Length of a row from which it has a direction."""


def company_of(said: Sequence[Statement], bags: Bags) -> Table:
    """Shape (units, _WIDTH): how telling it is that a unit has a neighbour, rows of length about 1, or 0.

    A neighbour counts by the logarithm of how often it is there, and the less the more units have it. Neighbours are as
    many as words, so each is added to or taken from one of `_WIDTH` columns, by its spelling: angles between rows, and
    between sums of rows, are kept to .03 on average (Charikar, Chen and Farach-Colton 2002, the count sketch).
    """
    numbers = {name: at for at, name in enumerate(bags.names)}
    contexts: dict[tuple[str, str], int] = {}
    seen: Counter[tuple[int, int]] = Counter()
    for statement in said:
        words = _sequence(statement)
        for at, word in enumerate(words):
            unit = numbers.get(word)
            if unit is None:
                continue
            before = words[at - 1] if at else _EDGE
            behind = words[at + 1] if at + 1 < len(words) else _EDGE
            for context in (("<", before), (">", behind)):
                seen[unit, contexts.setdefault(context, len(contexts))] += 1
    if not seen:
        return np.zeros((len(bags.names), _WIDTH), dtype=np.float32)
    places = np.array(list(seen), dtype=np.int64)
    count = np.log1p(np.array(list(seen.values()), dtype=np.float64))
    of_context = np.bincount(places[:, 1], minlength=len(contexts))
    weight = count * np.log((1 + len(bags.names)) / (1 + of_context))[places[:, 1]]
    table = sparse.csr_matrix((weight, (places[:, 0], places[:, 1])), shape=(len(bags.names), len(contexts)))
    length = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    narrow = sparse.diags(1 / np.maximum(length, 1e-12)) @ table @ _columns(contexts)
    return np.asarray(narrow.todense(), dtype=np.float32)


def _columns(contexts: Iterable[tuple[str, str]]) -> Any:
    """Shape (contexts, _WIDTH): 1 or -1 in one column of each, by its spelling."""
    spelled = np.array([crc32("".join(one).encode("utf-8", "surrogatepass")) for one in contexts], dtype=np.int64)
    sign = np.where(spelled & 1, 1.0, -1.0)
    rows = np.arange(len(spelled))
    return sparse.csr_matrix((sign, (rows, (spelled >> 1) % _WIDTH)), shape=(len(spelled), _WIDTH))


def alike(company: Table, one: Any, other: Any) -> Table:
    """Cosine of the company of two bags of units, NaN where either is empty.

    Args:
        company: shape (units, _WIDTH).
        one, other: shape (pairs, units), sparse: how often a bag has a unit.
    """
    out = np.full(one.shape[0], np.nan, dtype=np.float32)
    for low in range(0, one.shape[0], _AT_ONCE):
        part = slice(low, low + _AT_ONCE)
        first, second = (bag[part].astype(np.float32) @ company for bag in (one, other))
        length = np.sqrt((first * first).sum(axis=1) * (second * second).sum(axis=1))
        cosine = (first * second).sum(axis=1) / np.maximum(length, _SHORTEST)
        out[part] = np.where(length > _SHORTEST, cosine, np.nan)
    return out


def _sequence(statement: Statement) -> list[str]:
    """The units of a statement in the order in which they stand."""
    out, free = list[str](), list[str]()
    for kind, word in zip(statement.reading.shape, statement.reading.words, strict=True):
        if kind in TYPED:
            out += [*units(free), word]
            free = []
        else:
            free.append(word)
    return [*out, *units(free)]
