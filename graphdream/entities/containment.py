"""Which names hold all the words of another one (`Maya Okafor` those of `Maya`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ints = NDArray[np.int64]

POSTING_CAP = 400
"""Rows that one word, gram or value may lead to; of a commoner one only the first rows are visited."""
MARKS = 63
"""Marks that words leave on a name, one bit each."""
CHUNK = 1_000_000
"""Pairs looked at at once: bounds the memory."""


def find_containment(words: sparse.csr_matrix) -> tuple[Ints, Ints]:
    """Pairs of names of which one holds all words of the other.

    Each name is held against the first `POSTING_CAP` names that have its rarest word, so that the work grows with the
    number of names.

    Args:
        words: shape (names, words), binary, column indices sorted in each row.

    Returns:
        `inner` and `outer`, shape (pairs,): every word of name `inner` is in name `outer`, another one, that may have
        the same words. Sorted by `inner`, then by `outer`.
    """
    count, width = words.shape
    size = np.diff(words.indptr).astype(np.int64)
    row = np.repeat(np.arange(count), size)
    column = words.indices.astype(np.int64)
    by_word = words.T.tocsr()
    by_word.sort_indices()
    names = by_word.indices.astype(np.int64)
    start, uses = by_word.indptr[:-1].astype(np.int64), np.diff(by_word.indptr).astype(np.int64)
    filled = np.flatnonzero(size)
    rarity = uses[column] * width + column
    rarest = np.minimum.reduceat(rarity, words.indptr[filled]) % width if len(filled) else filled
    mark = np.zeros(count, dtype=np.int64)
    if len(filled):
        mark[filled] = np.bitwise_or.reduceat(np.int64(1) << (column % MARKS), words.indptr[filled])
    held = row * width + column  # ascending, since rows and columns are
    heard = np.minimum(uses[rarest], POSTING_CAP)
    inner: list[Ints] = [np.zeros(0, dtype=np.int64)]
    outer: list[Ints] = [np.zeros(0, dtype=np.int64)]
    ends = np.cumsum(heard)
    begin = 0
    while begin < len(filled):
        done = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + CHUNK, side="right")))
        own, many = filled[begin:end], heard[begin:end]
        one = np.repeat(own, many)
        at = np.arange(len(one)) - np.repeat(np.cumsum(many) - many, many)
        other = names[np.repeat(start[rarest[begin:end]], many) + at]
        likely = (one != other) & (size[one] <= size[other]) & (mark[one] & ~mark[other] == 0)
        one, other = one[likely], other[likely]
        each = np.repeat(np.arange(len(one)), size[one])
        place = np.arange(len(each)) - np.repeat(np.cumsum(size[one]) - size[one], size[one])
        wanted = other[each] * width + column[words.indptr[one][each] + place]
        found = held[np.minimum(np.searchsorted(held, wanted), len(held) - 1)] == wanted
        whole = np.bincount(each[found], minlength=len(one)) == size[one]
        inner.append(one[whole])
        outer.append(other[whole])
        begin = end
    return np.concatenate(inner), np.concatenate(outer)
