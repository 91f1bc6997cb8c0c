"""The company that words keep: two values are of one kind where they stand between the same words.

`Oslo` and `Bergen` stand behind `lives in` on many entities, `Oslo` and `tea` do not. Nobody lists what is a city.
Source: Harris 1954, Distributional structure; Firth 1957.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from graphdream.facts.bags import Bags
from graphdream.facts.reading import TYPED
from graphdream.facts.statements import Statement
from graphdream.language.scripts import units

_EDGE = "|"
"""What stands before the first and behind the last word."""


def company_of(said: Sequence[Statement], bags: Bags) -> Any:
    """Shape (units, contexts): how telling it is that a unit has a neighbour, each row of length 1 or 0.

    A neighbour counts by the logarithm of how often it is there, and the less the more units have it.
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
        return sparse.csr_matrix((len(bags.names), 1))
    places = np.array(list(seen), dtype=np.int64)
    count = np.log1p(np.array(list(seen.values()), dtype=np.float64))
    of_context = np.bincount(places[:, 1], minlength=len(contexts))
    weight = count * np.log((1 + len(bags.names)) / (1 + of_context))[places[:, 1]]
    table = sparse.csr_matrix((weight, (places[:, 0], places[:, 1])), shape=(len(bags.names), len(contexts)))
    length = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return sparse.diags(1 / np.maximum(length, 1e-12)) @ table


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
