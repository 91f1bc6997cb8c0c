"""Statements as bags of units: what two of them share, what each has for itself, and how much that weighs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.facts.reading import DATE, LABEL, NAME, NUMBER, SUBJECT, TIME, TYPED, Reading
from graphdream.facts.statements import Statement
from graphdream.facts.words import CHANGE, FUNCTION_WORDS, INTENT, RESTRICTIONS
from graphdream.language.calendar import month_called
from graphdream.language.scripts import units
from graphdream.scoring.curve import Ints

KINDS = (NUMBER, DATE, TIME, NAME, "word", "function", "negation", "change", "intent")
"""What a unit is: a typed value, a free word, or a word of a closed class."""
_COMMON = 0.05
"""Share of all statements above which a word says as little as grammar does."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bags:
    """The units of statements, as parallel arrays, one row per (statement, unit), each once.

    Attributes:
        row: the statement's position; unit: number of the unit.
        table: shape (statements, units), 1.0 where a statement has a unit.
        weight: shape (units,), how rare a unit is: nats, 0 for what says no more than grammar.
        kind: shape (units, kinds), one-hot over `KINDS`.
    """

    row: Ints
    unit: Ints
    table: sparse.csr_matrix
    weight: Floats
    kind: sparse.csr_matrix
    names: tuple[str, ...]

    def shared(self, low: Ints, high: Ints) -> Floats:
        """Weight of what both statements of each pair have, shape (pairs,)."""
        weighted = self.table[low].multiply(self.table[high])
        return np.asarray(weighted @ self.weight)


def bags_of(said: Sequence[Statement]) -> Bags:
    """The bags of statements.

    A unit's weight is the logarithm of how many entities there are for each that has it: copies on one entity make
    nothing common.
    """
    numbers: dict[tuple[str, str], int] = {}
    row, unit = list[int](), list[int]()
    for statement in said:
        found = {numbers.setdefault(one, len(numbers)) for one in units_of(statement.reading)}
        row += [statement.at] * len(found)
        unit += sorted(found)
    rows, cols = np.array(row, dtype=np.int64), np.array(unit, dtype=np.int64)
    count, width = len(said), max(1, len(numbers))
    table = sparse.csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(count, width))
    entity = np.unique([statement.entity for statement in said], return_inverse=True)[1]
    entities = int(entity.max(initial=-1)) + 1
    holders = np.unique(cols * max(1, entities) + entity[rows]) // max(1, entities)
    in_entities = np.bincount(holders, minlength=width)
    in_statements = np.bincount(cols, minlength=width)
    # In a graph of few entities it is statements that tell what is rare.
    weight = np.log((1 + entities) / (1 + in_entities)) + np.log((1 + count) / (1 + in_statements))
    weight = 0.5 * np.maximum(weight, 0.0)
    kinds = [kind for kind, _ in numbers] or ["word"]
    weight[[kind == "function" for kind in kinds]] = 0.0
    weight[in_statements > max(8.0, _COMMON * count)] *= 0.25
    at = {kind: place for place, kind in enumerate(KINDS)}
    one_hot = sparse.csr_matrix(
        (np.ones(len(kinds)), (np.arange(len(kinds)), [at[kind] for kind in kinds])), shape=(width, len(KINDS))
    )
    return Bags(rows, cols, table, weight, one_hot, tuple(name for _, name in numbers) or ("",))


def _is_month(reading: Reading, at: int) -> bool:
    """Whether a word is the month of a day (`3 mai`), which is another word in another language (Italian `mai`)."""
    return NUMBER in reading.shape[max(0, at - 1) : at + 2] and month_called(reading.words[at]) is not None


_CLASS: Mapping[str, str] = {
    **dict.fromkeys(FUNCTION_WORDS, "function"),
    **dict.fromkeys((LABEL, SUBJECT), "function"),
    **dict.fromkeys(CHANGE, "change"),
    **dict.fromkeys(INTENT, "intent"),
    **dict.fromkeys(RESTRICTIONS, "negation"),
}


@lru_cache(maxsize=200_000)
def units_of(reading: Reading) -> tuple[tuple[str, str], ...]:
    """(kind, unit) of a reading, each once, as often as it may be said. Kept: each look of a pass asks again."""
    out = set()
    free = list[str]()
    for at, (kind, word) in enumerate(zip(reading.shape, reading.words, strict=True)):
        if kind in TYPED:
            out.add((kind, word))
            free.append("")
        elif _CLASS.get(word) == "negation" and _is_month(reading, at):
            out.add(("word", word))
            free.append("")
        else:
            free.append(word)
    out.update((_CLASS.get(one, "word"), one) for one in units(free) if one)
    return tuple(out)
