"""Values that two statements exchange: of what kind they are, how they are written, and when their days were due.

`pocket money: Saturday` and `pocket money: Ada` answer two questions; `led by Ada` and `led by Bergen` do, too. A day
that had passed when another was told was no plan that the other replaced: calls on 5 May and on 9 June were two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.facts.bags import KINDS, Bags
from graphdream.facts.reading import DATE, LABEL, NUMBER, SUBJECT, TYPED
from graphdream.facts.statements import Statement
from graphdream.facts.tellings import Told
from graphdream.facts.words import FUNCTION_WORDS, QUANTIFIERS
from graphdream.scoring.curve import Ints

Table = NDArray[np.float32]
Floats = NDArray[np.float64]

_COUNT = len(TYPED)
"""The first kinds of units (bags.KINDS) are those of typed values."""
_NO_NOUN = FUNCTION_WORDS | QUANTIFIERS | TYPED | {LABEL, SUBJECT}
"""What a number behind it does not name."""
_DIGITS = re.compile(r"\d+")
_DAY = re.compile(r"(\d\d)-(\d\d)")
_EPOCH = date(1970, 1, 1)


class Values:
    """The values of the statements of one graph.

    Args:
        said: the statements.
        bags: their units.
        types: entity -> its type.
        told: when each statement was told.
    """

    def __init__(self, said: Sequence[Statement], bags: Bags, types: Mapping[int, str], told: Sequence[Told]) -> None:
        kind = np.asarray(bags.kind[:, :_COUNT].sum(axis=1)).ravel() > 0
        self._forms = _one_hot(
            [
                _DIGITS.sub("0", name) if typed and _DIGITS.search(name) else ""
                for name, typed in zip(bags.names, kind, strict=True)
            ]
        )
        self._named = _naming_numbers(said, bags)
        self._types = _one_hot([_type_of(name, types) for name in bags.names])
        is_date = np.asarray(bags.kind[:, KINDS.index(DATE)].todense()).ravel() > 0
        self._days = [
            name if dated and _DAY.fullmatch(name) else "" for name, dated in zip(bags.names, is_date, strict=True)
        ]
        self._dated = np.array([bool(day) for day in self._days])
        self._first = np.array([one.first for one in told])

    def forms_meet(self, only_a: Any, only_b: Any) -> Floats:
        """Whether values that differ are written alike (`£340`, `£12`); NaN where not both have such."""
        return _meet(only_a @ self._forms, only_b @ self._forms)

    def numbered(self, low: Ints, high: Ints, only_a: Any, only_b: Any) -> NDArray[np.bool_]:
        """Whether each has a number for a name that the other has not (`PR #12`, `PR #40`); arguments as of `days`."""
        one, other = (
            np.asarray(only.multiply(self._named[at]).sum(axis=1)).ravel() > 0
            for only, at in ((only_a, low), (only_b, high))
        )
        return np.asarray(one & other)

    def types_meet(self, only_a: Any, only_b: Any) -> Floats:
        """Whether entities that differ are of one type; NaN where not both name one."""
        return _meet(only_a @ self._types, only_b @ self._types)

    def days(self, low: Ints, high: Ints, only_a: Any, only_b: Any) -> tuple[Floats, Floats, Floats]:
        """Of pairs in which either has one day for itself, in log days, negative if it is before, NaN elsewhere.

        Args:
            low, high: shape (pairs,), the statements.
            only_a, only_b: shape (pairs, units), the units that either has for itself.

        Returns:
            Shape (pairs,) each: from the telling of the second to the day of the first; from the telling of the first
            to the day of the second; from the day of the first to that of the second.
        """
        out = np.full((3, len(low)), np.nan)
        one, other = (_only_one(only, self._dated) for only in (only_a, only_b))
        for row in np.flatnonzero((one >= 0) & (other >= 0)).tolist():
            a, b = self._first[low[row]], self._first[high[row]]
            first, second = _nearest(self._days[one[row]], int(a)), _nearest(self._days[other[row]], int(b))
            if first is not None and second is not None:
                out[:, row] = first - b, second - a, second - first
        found = np.sign(out) * np.log1p(np.abs(out))
        return found[0], found[1], found[2]


def kinds_met(only_a: Table, only_b: Table) -> tuple[Floats, Floats, Floats]:
    """Whether two texts differ in values of one kind; whether either has one of a kind that the other has none of.

    Args:
        only_a, only_b: shape (pairs, kinds of typed values), how many either has for itself.
    """
    a, b = only_a > 0, only_b > 0
    typed = a.any(axis=1) | b.any(axis=1)
    meets = np.where(typed, (a & b).any(axis=1), np.nan)
    return meets, np.where(typed, (a & ~b).any(axis=1), np.nan), np.where(typed, (b & ~a).any(axis=1), np.nan)


def _naming_numbers(said: Sequence[Statement], bags: Bags) -> Any:
    """Shape (statements, units), 1.0 for a number that is a name: with a sign for it (`#12`), or between a word and
    what is said of it (`crate 118 to Oslo`, but not `headcount 35`, nor `has 35 people`)."""
    places = {name: at for at, name in enumerate(bags.names)}
    found = list[tuple[int, int]]()
    for one in said:
        shape, words = one.reading.shape, one.reading.words
        for at, kind in enumerate(shape):
            if kind == NUMBER and words[at] in places:
                follows = 0 < at < len(shape) - 1 and at not in one.reading.marks
                free = follows and shape[at - 1] not in _NO_NOUN
                if free or words[at][:1] == "#":
                    found.append((one.at, places[words[at]]))
    row, column = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return sparse.csr_matrix((np.ones(len(row)), (row, column)), shape=(len(said), len(bags.names)))


def _type_of(name: str, types: Mapping[int, str]) -> str:
    """The type of the entity that a unit names (`best name@number`), "" where it names none."""
    number = name.rpartition("@")[2]
    return types.get(int(number), "") if "@" in name and number.isdecimal() else ""


def _one_hot(words: Sequence[str]) -> Any:
    """Shape (words, different words), 1.0 for the word; a row of none for ""."""
    numbers: dict[str, int] = {}
    found = [(at, numbers.setdefault(word, len(numbers))) for at, word in enumerate(words) if word]
    at, column = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return sparse.csr_matrix((np.ones(len(at)), (at, column)), shape=(len(words), max(1, len(numbers))))


def _meet(one: Any, other: Any) -> Floats:
    one, other = one.tocsr(), other.tocsr()
    shared = np.asarray(one.multiply(other).sum(axis=1)).ravel() > 0
    return np.where((np.diff(one.indptr) > 0) & (np.diff(other.indptr) > 0), shared, np.nan)


def _only_one(rows: Any, wanted: NDArray[np.bool_]) -> Ints:
    """The only wanted unit of each row, -1 where there is not just one."""
    out = np.full(rows.shape[0], -1, dtype=np.int64)
    keep = wanted[rows.indices]
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[keep]
    unit = rows.indices[keep]
    count = np.bincount(row, minlength=rows.shape[0])
    out[row] = unit
    out[count != 1] = -1
    return out


@lru_cache(maxsize=50_000)
def _nearest(day: str, told: int) -> int | None:
    """Days since 1970 of a day of some year (`MM-DD`): of the one that is nearest to when it was told."""
    month, number = map(int, day.split("-"))
    near = _EPOCH + timedelta(days=told)
    try:
        found = date(near.year, month, number)
    except (ValueError, OverflowError):
        return None
    for year in (near.year - 1, near.year + 1):
        try:
            other = date(year, month, number)
        except (ValueError, OverflowError):
            continue
        found = min(found, other, key=lambda one: abs((one - near).days))
    return (found - _EPOCH).days
