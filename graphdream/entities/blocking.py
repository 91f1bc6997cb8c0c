"""Which pairs are worth a look: several channels, each bounded, so that no input makes it quadratic.

A pair that no channel proposes is never merged, so blocking recall bounds everything after it; it is measured by
`bench/resolve.py` beside the number of candidates an entity.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.entities.containment import POSTING_CAP
from graphdream.entities.corpus import Corpus, Floats, Ints
from graphdream.entities.mentions import Mentions
from graphdream.entities.order import best_first
from graphdream.entities.transcription import script_of, sounds, transcribed

QUERY_FEATURES = 14
"""Rarest features a row is looked up by."""
PER_ENTITY = 40
"""Pairs kept for each record, the likeliest first."""
ALWAYS, PROMISING, BARE_PROMISING = 12, 0.42, 0.3
"""The first twelve of a record's pairs are kept whatever they score, the others only above `PROMISING`, or above
`BARE_PROMISING` where both are bare names, which no other channel can bring together. `bench/resolve.py` shows what
that gives: pairs an entity, and the share of the true pairs among them."""
STEADY, RISE = 8_192, 0.07
"""Records up to which the bars stand still, those two and the likeness from which a channel proposes a pair, and how
much they rise each time that the records double: the more names there are, the more of them are as alike as that by
chance. On generated memories of 13,000 and 50,000 records that leaves 10.0 and 10.9 pairs an entity instead of 13.0 and
22.6, and 99.3 and 96.6 % of the true ones among them; nearly all of the others follow from these."""
CALLED = 2
"""Names that a record's facts begin with most often, whose bearers it is paired with."""
GROUP_WINDOW = 48
"""Rows of one name, value or initials that are paired with each member."""
CROSS = 24
"""Rows of the rarer name that each row of the commoner one is paired with."""
LATIN = "LATIN"
SOUND_LETTERS = 2
"""Consonants of the shortest word that is looked for in another script."""
CHUNK = 2048
ITSELF = -1.0
"""Likeness of a row to itself: it comes after all others."""


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


CHANNELS = (
    "same name", "characters", "words", "form", "initials", "facts", "neighbors", "values", "called", "other script",
    "identifiers",
)  # fmt: skip


def find_candidates(
    corpus: Corpus, mentions: Mentions, changed: NDArray[np.bool_] | None = None, per_entity: int = PER_ENTITY
) -> Candidates:
    """Propose pairs of records that may be one thing.

    Args:
        corpus: the records.
        mentions: the names that their facts call.
        changed: shape (records,); with it, only pairs that touch one of these records.
        per_entity: pairs kept for each record by the channels that rank (the others are bounded by themselves).

    Returns:
        At most about 2 * per_entity pairs a record.
    """
    found = _Found(len(corpus))
    if len(corpus) < 2 or (changed is not None and not changed.any()):
        nobody = np.zeros(0, dtype=np.int64)
        return Candidates(nobody, nobody, nobody)
    rows_asked = np.arange(len(corpus)) if changed is None else np.flatnonzero(changed)
    keys_asked = np.arange(len(corpus.forms)) if changed is None else np.unique(corpus.of_key[rows_asked])
    by_key = _Members.of(corpus)
    rise = _rise(len(corpus))
    _same_name(corpus, by_key, keys_asked, found)
    rows, cols, score = _nearest(corpus.grams, per_entity, 0.30 + rise, keys_asked)
    found.add_keys(rows, cols, score, 1, by_key)
    words = _weighted_words(corpus)
    rows, cols, score = _nearest(words, per_entity, 0.25 + rise, keys_asked)
    found.add_keys(rows, cols, 0.9 * score, 2, by_key)
    rows, cols = _contained(corpus, keys_asked)
    found.add_keys(rows, cols, np.full(len(rows), 0.75), 2, by_key)
    rows, cols = _shared_forms(corpus)
    found.add_keys(rows, cols, np.full(len(rows), 0.8), 3, by_key)
    rows, cols = _initials(corpus)
    found.add_keys(rows, cols, np.full(len(rows), 0.5), 4, by_key)
    rows, cols, score = _nearest(corpus.bag, max(2, per_entity // 3), 0.15 + rise, rows_asked)
    found.add(rows, cols, 0.8 * score, 5)
    rows, cols, score = _nearest(corpus.neighbors, 2, 0.30 + rise, rows_asked)
    found.add(rows, cols, 0.4 * score, 6)
    rows, cols = _called(corpus, mentions)
    found.add(rows, cols, np.full(len(rows), 0.7), 8)
    rows, cols = _other_scripts(corpus)
    found.add_keys(rows, cols, np.full(len(rows), 0.7), 9, by_key)
    rows, cols = corpus.identified
    found.add(rows, cols, np.full(len(rows), 0.8), 10)
    for column in corpus.fields:
        if not column.numeric:
            rows, cols, score = _nearest(column.matrix, 3, 0.5, rows_asked)
            found.add(rows, cols, 0.6 * score, 7)
    return found.best(per_entity, changed, rise, np.diff(corpus.fact_start) == 0)


def _rise(records: int) -> float:
    """How much the bars are above those of a small graph."""
    return RISE * max(0.0, math.log2(records / STEADY))


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

    def add_keys(self, rows: Ints, cols: Ints, score: Floats, channel: int, members: _Members) -> None:
        """Pairs of distinct names, spread over the records that bear them (bounded on both sides)."""
        keep = rows < cols
        rows, cols, score = rows[keep], cols[keep], score[keep]
        size, start = members.size, members.start
        swap = size[rows] > size[cols]
        few, many = np.where(swap, cols, rows), np.where(swap, rows, cols)
        width = np.minimum(CROSS, size[few])
        count = size[many] * width
        at = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        few, many, width = np.repeat(few, count), np.repeat(many, count), np.repeat(width, count)
        row, shift = at // width, at % width
        left = members.order[start[many] + row]
        right = members.order[start[few] + (row + shift) % size[few]]
        self.add(left, right, np.repeat(score, count), channel)

    def best(
        self, per_entity: int, changed: NDArray[np.bool_] | None, rise: float, bare: NDArray[np.bool_]
    ) -> Candidates:
        low = np.concatenate([p[0] for p in self.parts])
        high = np.concatenate([p[1] for p in self.parts])
        score = np.concatenate([p[2] for p in self.parts])
        bits = np.concatenate([np.full(len(p[0]), 1 << p[3], dtype=np.int64) for p in self.parts])
        code = low * self.n + high
        order = np.argsort(code)
        code = code[order]
        first = np.flatnonzero(np.diff(code, prepend=-1))
        code, score = code[first], np.maximum.reduceat(score[order], first)
        joined = np.bitwise_or.reduceat(bits[order], first)
        low, high = code // self.n, code % self.n
        if changed is not None:
            keep = changed[low] | changed[high]
            low, high, score, joined = low[keep], high[keep], score[keep], joined[keep]
        rank = _rank(low, high, score, self.n)
        promising = score >= np.where(bare[low] & bare[high], BARE_PROMISING, PROMISING) + rise
        keep = (rank < ALWAYS) | ((rank < per_entity) & promising) | (score >= 1.0)
        return Candidates(low[keep], high[keep], joined[keep])


def _rank(low: Ints, high: Ints, score: Floats, n: int) -> Ints:
    """The better of a pair's two places in the lists of its two records (0 is first)."""
    listed = best_first(low, high, score, n)
    place = np.empty(len(listed.entry), dtype=np.int64)
    place[listed.entry] = listed.place
    return np.minimum(place[: len(low)], place[len(low) :])


@dataclass(frozen=True, slots=True)
class _Members:
    """The records of each name: `order[start[k] : start[k] + size[k]]` bear key `k`."""

    order: Ints
    start: Ints
    size: Ints

    @classmethod
    def of(cls, corpus: Corpus) -> _Members:
        size = corpus.key_size
        return cls(np.argsort(corpus.of_key, kind="stable").astype(np.int64), np.cumsum(size) - size, size)


def _same_name(corpus: Corpus, members: _Members, keys: Ints, found: _Found) -> None:
    """Rows of one key: every pair of a small group, a window over a large one (ordered by what they say)."""
    signature = _signature(corpus) if (members.size > GROUP_WINDOW).any() else None
    groups: list[list[int]] = []
    for key in keys[members.size[keys] > 1].tolist():
        rows = members.order[members.start[key] : members.start[key] + members.size[key]]
        if signature is not None and len(rows) > GROUP_WINDOW:
            rows = rows[np.lexsort((rows, signature[rows]))]
        groups.append(rows.tolist())
    left, right = _windows(groups)
    found.add(left, right, np.ones(len(left)), 0)


def _signature(corpus: Corpus) -> Ints:
    """The heaviest word of each record's facts: rows that say alike come to lie side by side."""
    bag = corpus.bag
    out = np.full(len(corpus), -1, dtype=np.int64)
    for i in range(len(corpus)):
        at, end = bag.indptr[i], bag.indptr[i + 1]
        if end > at:
            out[i] = bag.indices[at + int(np.argmax(bag.data[at:end]))]
    return out


def _called(corpus: Corpus, mentions: Mentions) -> tuple[Ints, Ints]:
    """A record and the bearers of the names that its facts begin with (`NPM`: "npm cli is pinned at 9")."""
    bearers: dict[int, list[int]] = defaultdict(list)
    for i, key in enumerate(corpus.of_key.tolist()):
        bearers[int(mentions.of_key[key])].append(i)
    subject = mentions.subject
    rows: list[int] = []
    cols: list[int] = []
    for i in range(len(corpus)):
        at, end = subject.indptr[i], subject.indptr[i + 1]
        own = int(mentions.of_key[corpus.of_key[i]])
        heard = sorted(zip((-subject.data[at:end]).tolist(), subject.indices[at:end].tolist(), strict=True))[:CALLED]
        for _, name in heard:
            if name != own:
                others = bearers[name][:CROSS]
                rows.extend([i] * len(others))
                cols.extend(others)
    return np.array(rows, dtype=np.int64), np.array(cols, dtype=np.int64)


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


def _nearest(matrix: sparse.csr_matrix, count: int, least: float, asked: Ints) -> tuple[Ints, Ints, Floats]:
    """For each row asked for its `count` most similar other rows (cosine over the row's rarest features)."""
    posting = _capped(matrix)
    query = _rarest(matrix[asked], QUERY_FEATURES)
    nobody = np.zeros(0, dtype=np.int64)
    rows: list[Ints] = [nobody]
    cols: list[Ints] = [nobody]
    scores: list[Floats] = [np.zeros(0)]
    for at in range(0, len(asked), CHUNK):
        product = (query[at : at + CHUNK] @ posting).tocoo()
        near = np.flatnonzero(product.data >= least)
        place, col, value = product.row[near], product.col[near], product.data[near]
        value[asked[at + place] == col] = ITSELF
        keep = np.flatnonzero(_may_lead(place, value, count) & (value != ITSELF))
        place, col, value = place[keep].astype(np.int64), col[keep].astype(np.int64), value[keep]
        order = np.lexsort((col, -value, place))
        place, col, value = place[order], col[order], value[order]
        keep = np.arange(len(place)) - np.searchsorted(place, np.arange(CHUNK))[place] < count
        rows.append(asked[at + place[keep]])
        cols.append(col[keep])
        scores.append(value[keep])
    low = np.minimum(np.concatenate(rows), np.concatenate(cols))
    high = np.maximum(np.concatenate(rows), np.concatenate(cols))
    return low, high, np.concatenate(scores)


def _may_lead(place: Ints, value: Floats, count: int) -> NDArray[np.bool_]:
    """Whether each value is among the `count` largest of its place, or as good as equal to the last of these.

    Args:
        place: shape (values,), 0 .. CHUNK-1, ascending.
        value: shape (values,), -1..1.
    """
    key = np.sort(place - 0.5 * value)  # one number sorts faster than three, and is exact to 1e-12
    start = np.searchsorted(place, np.arange(CHUNK))
    size = np.diff(np.append(start, len(place)))
    last = np.full(CHUNK, -np.inf)
    full = np.flatnonzero(size > count)
    last[full] = 2.0 * (full - key[start[full] + count - 1])
    return np.asarray(value >= last[place] - 1e-9)


def _contained(corpus: Corpus, asked: Ints) -> tuple[Ints, Ints]:
    """Names whose every word is in another name (`Maya` in `Maya Okafor`), the least ambiguous first."""
    inner, outer = corpus.inner, corpus.outer
    size = np.diff(corpus.name_words.indptr)
    order = np.lexsort((outer, -corpus.key_size[outer], size[outer], inner))
    inner, outer = inner[order], outer[order]
    wanted = np.zeros(len(corpus.forms), dtype=np.bool_)
    wanted[asked] = True
    first = np.searchsorted(inner, inner)
    keep = (np.arange(len(inner)) - first < 2 * GROUP_WINDOW) & (wanted[inner] | wanted[outer])
    return np.minimum(inner, outer)[keep], np.maximum(inner, outer)[keep]


def _shared_forms(corpus: Corpus) -> tuple[Ints, Ints]:
    """Names that meet in a derived form: squashed, without brackets, base name, a side of a slash."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for k, form in enumerate(corpus.forms):
        for value in dict.fromkeys((form.squash, form.core, form.base, *form.sides)):
            if value:
                groups[value].append(k)
    return _windows(groups.values())


def _other_scripts(corpus: Corpus) -> tuple[Ints, Ints]:
    """Names of two scripts that share a word by its sound, or sound alike as a whole."""
    heard: dict[str, list[int]] = defaultdict(list)
    foreign = [not form.squash.isascii() and script_of(form.squash) != LATIN for form in corpus.forms]
    if not any(foreign):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for k, form in enumerate(corpus.forms):
        for word in dict.fromkeys((form.squash, *form.tokens)):
            # without vowels: transcriptions differ in these first
            sound = "".join(sign for sign in sounds(transcribed(word)) if sign not in "aeiou")
            if len(sound) >= SOUND_LETTERS:
                heard[sound].append(k)
    rows, cols = _windows(heard.values())
    keep = np.array(
        [foreign[a] != foreign[b] for a, b in zip(rows.tolist(), cols.tolist(), strict=True)], dtype=np.bool_
    )
    return rows[keep], cols[keep]


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
