"""Which pairs are worth a look: several channels, each bounded, so that no input makes it quadratic.

A pair that no channel proposes is never merged, so blocking recall bounds everything after it; it is measured by
`bench/resolve.py` beside the number of candidates an entity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.resolve.corpus import Corpus, Floats, Ints

POSTING_CAP = 400
"""Rows that one word, gram or value may lead to; of a commoner one only the first rows are visited."""
QUERY_FEATURES = 14
"""Rarest features a row is looked up by."""
GROUP_WINDOW = 40
"""Rows of one name, value or initials that are paired with each member."""
CROSS = 16
"""Rows of the rarer name that each row of the commoner one is paired with."""
CHUNK = 2048


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs to be scored: `left < right`, sorted, without repeats.

    Attributes:
        left, right: shape (pairs,), record indices.
        channel: shape (pairs,), bit set of the channels (`CHANNELS`) that proposed the pair.
    """

    left: Ints
    right: Ints
    channel: Ints


CHANNELS = ("same name", "characters", "words", "form", "initials", "facts", "neighbors", "values")


def find_candidates(corpus: Corpus, changed: NDArray[np.bool_] | None = None, per_entity: int = 20) -> Candidates:
    """Propose pairs of records that may be one thing.

    Args:
        corpus: the records.
        changed: shape (records,); with it, only pairs that touch one of these records.
        per_entity: pairs kept for each record by the channels that rank (the others are bounded by themselves).

    Returns:
        At most about 2 * per_entity pairs a record.
    """
    found = _Found(len(corpus))
    _same_name(corpus, found)
    by_key = _members(corpus)
    keys = len(corpus.forms)
    rows, cols, score = _nearest(corpus.grams, per_entity, 0.30)
    found.add_keys(rows, cols, score, 1, by_key)
    words = _weighted_words(corpus)
    rows, cols, score = _nearest(words, per_entity, 0.25)
    found.add_keys(rows, cols, 0.9 * score, 2, by_key)
    rows, cols, score = _contained(corpus, words)
    found.add_keys(rows, cols, score, 2, by_key)
    rows, cols = _shared_forms(corpus)
    found.add_keys(rows, cols, np.full(len(rows), 0.8), 3, by_key)
    rows, cols = _initials(corpus)
    found.add_keys(rows, cols, np.full(len(rows), 0.5), 4, by_key)
    assert keys == len(by_key)
    rows, cols, score = _nearest(corpus.bag, max(2, per_entity // 3), 0.15)
    found.add(rows, cols, 0.8 * score, 5)
    rows, cols, score = _nearest(corpus.neighbors, 2, 0.30)
    found.add(rows, cols, 0.4 * score, 6)
    for column in corpus.fields:
        if not column.numeric:
            rows, cols, score = _nearest(column.matrix, 3, 0.5)
            found.add(rows, cols, 0.6 * score, 7)
    return found.best(per_entity, changed)


class _Found:
    """Pairs gathered so far, with the best score and all the channels of each."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.parts: list[tuple[Ints, Ints, Floats, int]] = []

    def add(self, rows: Ints, cols: Ints, score: Floats, channel: int) -> None:
        """Pairs of record indices in any order."""
        low, high = np.minimum(rows, cols), np.maximum(rows, cols)
        keep = low != high
        self.parts.append((low[keep], high[keep], score[keep], channel))

    def add_keys(self, rows: Ints, cols: Ints, score: Floats, channel: int, members: list[Ints]) -> None:
        """Pairs of distinct names, spread over the records that bear them (bounded on both sides)."""
        left: list[int] = []
        right: list[int] = []
        value: list[float] = []
        for a, b, s in zip(rows.tolist(), cols.tolist(), score.tolist(), strict=True):
            if a >= b:
                continue
            ours, theirs = members[a], members[b]
            if len(ours) == 1 and len(theirs) == 1:
                left.append(int(ours[0]))
                right.append(int(theirs[0]))
                value.append(s)
                continue
            few, many = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
            for j, row in enumerate(many.tolist()):
                for shift in range(min(CROSS, len(few))):
                    left.append(row)
                    right.append(int(few[(j + shift) % len(few)]))
                    value.append(s)
        self.add(
            np.array(left, dtype=np.int64), np.array(right, dtype=np.int64), np.array(value, dtype=np.float64), channel
        )

    def best(self, per_entity: int, changed: NDArray[np.bool_] | None) -> Candidates:
        low = np.concatenate([p[0] for p in self.parts])
        high = np.concatenate([p[1] for p in self.parts])
        score = np.concatenate([p[2] for p in self.parts])
        bits = np.concatenate([np.full(len(p[0]), 1 << p[3], dtype=np.int64) for p in self.parts])
        code = low * self.n + high
        order = np.lexsort((-score, code))
        code, score, bits = code[order], score[order], bits[order]
        first = np.concatenate(([True], code[1:] != code[:-1])) if len(code) else np.zeros(0, dtype=np.bool_)
        group = np.cumsum(first) - 1
        joined = np.zeros(int(first.sum()), dtype=np.int64)
        np.bitwise_or.at(joined, group, bits)
        code, score = code[first], score[first]
        low, high = code // self.n, code % self.n
        if changed is not None:
            keep = changed[low] | changed[high]
            low, high, score, joined = low[keep], high[keep], score[keep], joined[keep]
        keep = _rank(low, high, score, self.n) < per_entity
        keep |= score >= 1.0
        return Candidates(low[keep], high[keep], joined[keep])


def _rank(low: Ints, high: Ints, score: Floats, n: int) -> Ints:
    """The better of a pair's two places in the lists of its two records (0 is first)."""
    who = np.concatenate((low, high))
    pair = np.concatenate((np.arange(len(low)), np.arange(len(low))))
    value = np.concatenate((score, score))
    order = np.lexsort((pair, -value, who))
    start = np.searchsorted(who[order], np.arange(n))
    place = np.arange(len(order)) - start[who[order]]
    out = np.full(len(low), len(order) + 1, dtype=np.int64)
    np.minimum.at(out, pair[order], place)
    return out


def _members(corpus: Corpus) -> list[Ints]:
    order = np.argsort(corpus.of_key, kind="stable")
    return np.split(order, np.cumsum(corpus.key_size)[:-1]) if len(order) else []


def _same_name(corpus: Corpus, found: _Found) -> None:
    """Rows of one key: every pair of a small group, a window over a large one (ordered by what they say)."""
    signature = _signature(corpus)
    left: list[int] = []
    right: list[int] = []
    for rows in _members(corpus):
        if len(rows) < 2:
            continue
        ordered = rows[np.lexsort((rows, signature[rows]))] if len(rows) > GROUP_WINDOW else rows
        listed = ordered.tolist()
        for i in range(len(listed) - 1):
            for j in range(i + 1, min(len(listed), i + 1 + GROUP_WINDOW)):
                left.append(listed[i])
                right.append(listed[j])
    found.add(np.array(left, dtype=np.int64), np.array(right, dtype=np.int64), np.ones(len(left)), 0)


def _signature(corpus: Corpus) -> Ints:
    """The heaviest word of each record's facts: rows that say alike come to lie side by side."""
    bag = corpus.bag
    out = np.full(len(corpus), -1, dtype=np.int64)
    for i in range(len(corpus)):
        at, end = bag.indptr[i], bag.indptr[i + 1]
        if end > at:
            out[i] = bag.indices[at + int(np.argmax(bag.data[at:end]))]
    return out


def _weighted_words(corpus: Corpus) -> sparse.csr_matrix:
    out = corpus.name_words.copy()
    out.data = corpus.word_weight[out.indices]
    norm = np.sqrt(np.asarray(out.multiply(out).sum(axis=1)).ravel())
    norm[norm == 0] = 1.0
    return sparse.csr_matrix(sparse.diags(1.0 / norm) @ out)


def _capped(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Columns (as rows of the transpose) cut to their heaviest `POSTING_CAP` entries."""
    posting = matrix.T.tocsr()
    size = np.diff(posting.indptr)
    if size.max(initial=0) <= POSTING_CAP:
        return posting
    column = np.repeat(np.arange(posting.shape[0]), size)
    order = np.lexsort((posting.indices, -posting.data, column))
    place = np.arange(len(order)) - posting.indptr[column[order]]
    keep = order[place < POSTING_CAP]
    return sparse.csr_matrix((posting.data[keep], (column[keep], posting.indices[keep])), shape=posting.shape)


def _rarest(matrix: sparse.csr_matrix, count: int) -> sparse.csr_matrix:
    """Each row cut to its `count` heaviest entries."""
    size = np.diff(matrix.indptr)
    if size.max(initial=0) <= count:
        return matrix
    row = np.repeat(np.arange(matrix.shape[0]), size)
    order = np.lexsort((matrix.indices, -matrix.data, row))
    place = np.arange(len(order)) - matrix.indptr[row[order]]
    keep = order[place < count]
    return sparse.csr_matrix((matrix.data[keep], (row[keep], matrix.indices[keep])), shape=matrix.shape)


def _nearest(matrix: sparse.csr_matrix, count: int, least: float) -> tuple[Ints, Ints, Floats]:
    """For each row its `count` most similar other rows (cosine over the row's rarest features)."""
    posting = _capped(matrix)
    query = _rarest(matrix, QUERY_FEATURES)
    nobody = np.zeros(0, dtype=np.int64)
    rows: list[Ints] = [nobody]
    cols: list[Ints] = [nobody]
    scores: list[Floats] = [np.zeros(0)]
    for at in range(0, matrix.shape[0], CHUNK):
        product = (query[at : at + CHUNK] @ posting).tocoo()
        row, col, value = product.row.astype(np.int64) + at, product.col.astype(np.int64), product.data
        keep = (value >= least) & (row != col)
        row, col, value = row[keep], col[keep], value[keep]
        order = np.lexsort((col, -value, row))
        row, col, value = row[order], col[order], value[order]
        start = np.searchsorted(row, np.arange(at, at + CHUNK))
        place = np.arange(len(row)) - start[row - at]
        keep = place < count
        rows.append(row[keep])
        cols.append(col[keep])
        scores.append(value[keep])
    low = np.minimum(np.concatenate(rows), np.concatenate(cols))
    high = np.maximum(np.concatenate(rows), np.concatenate(cols))
    return low, high, np.concatenate(scores)


def _contained(corpus: Corpus, weighted: sparse.csr_matrix) -> tuple[Ints, Ints, Floats]:
    """Names whose every word is in another name (`Maya` in `Maya Okafor`), the least ambiguous first."""
    by_word: dict[int, list[int]] = defaultdict(list)
    words = corpus.name_words
    size = np.diff(words.indptr)
    for k in range(words.shape[0]):
        for w in words.indices[words.indptr[k] : words.indptr[k + 1]].tolist():
            by_word[w].append(k)
    sets = [frozenset(words.indices[words.indptr[k] : words.indptr[k + 1]].tolist()) for k in range(words.shape[0])]
    rows: list[int] = []
    cols: list[int] = []
    score: list[float] = []
    for k, own in enumerate(sets):
        if not own:
            continue
        rarest = min(own, key=lambda w: (len(by_word[w]), w))
        holders = by_word[rarest][:POSTING_CAP]
        fits = [j for j in holders if j != k and own <= sets[j]]
        fits.sort(key=lambda j: (size[j], -corpus.key_size[j], j))
        for j in fits[: 2 * GROUP_WINDOW]:
            rows.append(min(k, j))
            cols.append(max(k, j))
            score.append(0.75)
    return np.array(rows, dtype=np.int64), np.array(cols, dtype=np.int64), np.array(score)


def _shared_forms(corpus: Corpus) -> tuple[Ints, Ints]:
    """Names that meet in a derived form: squashed, without brackets, base name, a side of a slash."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for k, form in enumerate(corpus.forms):
        for value in dict.fromkeys((form.squash, form.core, form.base, *form.sides)):
            if value:
                groups[value].append(k)
    return _windows(groups.values())


def _initials(corpus: Corpus) -> tuple[Ints, Ints]:
    """A short name and the names whose initials spell it."""
    spelled: dict[str, list[int]] = defaultdict(list)
    for k, form in enumerate(corpus.forms):
        if len(form.initials) >= 2:
            spelled[form.initials].append(k)
    rows: list[int] = []
    cols: list[int] = []
    for k, form in enumerate(corpus.forms):
        if len(form.tokens) <= 2 and 2 <= len(form.squash) <= 8:
            for j in spelled.get(form.squash, ())[:GROUP_WINDOW]:
                if j != k:
                    rows.append(min(k, j))
                    cols.append(max(k, j))
    return np.array(rows, dtype=np.int64), np.array(cols, dtype=np.int64)


def _windows(groups: Iterable[list[int]]) -> tuple[Ints, Ints]:
    rows: list[int] = []
    cols: list[int] = []
    for members in groups:
        for i in range(len(members) - 1):
            for j in range(i + 1, min(len(members), i + 1 + GROUP_WINDOW)):
                rows.append(members[i])
                cols.append(members[j])
    return np.array(rows, dtype=np.int64), np.array(cols, dtype=np.int64)
