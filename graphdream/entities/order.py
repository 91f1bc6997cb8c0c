"""The pairs of each record in order, the best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphdream.entities.corpus import Floats, Ints


@dataclass(frozen=True, slots=True)
class BestFirst:
    """Every record's pairs, one record after the other. Each pair is there twice, once for each of its records.

    Attributes:
        who: shape (2 * pairs,), the record, ascending.
        entry: shape (2 * pairs,), the pair if `who` is its left record, `pairs` + the pair if it is its right one.
        start: shape (records + 1,), where the pairs of a record begin; the last one is the end of all.
    """

    who: Ints
    entry: Ints
    start: Ints

    @property
    def place(self) -> Ints:
        """Shape (2 * pairs,): place in the list of its record, 0 is first."""
        return np.arange(len(self.who)) - self.start[self.who]


def best_first(left: Ints, right: Ints, score: Floats, records: int) -> BestFirst:
    """Order the pairs of each record by score; of equal scores the earlier pair comes first.

    Args:
        left, right: shape (pairs,), record indices in 0 .. `records` - 1, `left` != `right`.
        score: shape (pairs,), no NaN.
        records: how many there are.
    """
    pairs = len(score)
    order = np.argsort(-score, kind="stable")
    rank = np.empty(pairs, dtype=np.int64)
    rank[order] = np.arange(pairs)
    # one number for record and rank: sorting plain numbers takes a fraction of what sorting by two keys does
    key = np.concatenate((left * pairs + rank, right * pairs + rank))
    key.sort()
    who = key // max(1, pairs)
    pair = order[key - who * pairs]
    return BestFirst(who, np.where(left[pair] == who, pair, pairs + pair), np.searchsorted(who, np.arange(records + 1)))


def two_best(listed: BestFirst, score: Floats, none: float) -> tuple[Floats, Floats]:
    """Shape (records,) each: the best and the second best score of a record's pairs, `none` where there is no such."""
    sorted_score = score[listed.entry % max(1, len(score))]
    begin, size = listed.start[:-1], np.diff(listed.start)
    top, second = np.full(len(size), none), np.full(len(size), none)
    top[size > 0] = sorted_score[begin[size > 0]]
    second[size > 1] = sorted_score[begin[size > 1] + 1]
    return top, second
