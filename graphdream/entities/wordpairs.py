"""How the words of two names pair up: which are shared, which stand alone, which are one another's misspelling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler, Levenshtein
from scipy import sparse

from graphdream.entities.corpus import Corpus, Floats, Ints

WORD_SIGNALS = ("missing_small", "missing_large", "soft", "soft_known", "rarest")
"""The columns of `word_signals`."""
TYPO_LENGTH = 4
"""Letters of the shortest word that may be a misspelling of another."""
RECURRING = 2
"""Words that a side may have alone for the difference to recur between other names."""
MATCHABLE = 64
"""Pairs of unequal words that are compared for one pair of names."""


def word_signals(corpus: Corpus, light: Ints, heavy: Ints, workers: int = 1) -> tuple[Floats, Ints]:
    """Signals of the words that two names share and do not share.

    Args:
        corpus: the records; names are addressed by key index.
        light, heavy: shape (pairs,), key indices; the light name is the one whose words weigh less.
        workers: threads for the edit distances.

    Returns:
        Shape (pairs, len(WORD_SIGNALS)): weight of the rarest word that only the light name has, and only the heavy
        one, words that pair up left out; how well unequal words pair up; how often both words of such a pair occur
        elsewhere (log); weight of the rarest shared word. And shape (pairs,): identity of the words that only one of
        the two names has, -1 where there is none, or too many to recur.
    """
    squash: dict[str, int] = {}
    code = np.array([squash.setdefault(form.squash, len(squash)) for form in corpus.forms], dtype=np.int64)
    apart = np.flatnonzero(code[light] != code[heavy])
    out = np.zeros((len(light), len(WORD_SIGNALS)))
    ours, theirs = corpus.name_words[light], corpus.name_words[heavy]
    common = ours.multiply(theirs).tocsr()
    out[:, 4] = _heaviest(common, corpus.word_weight)
    difference = np.full(len(light), -1, dtype=np.int64)
    if not len(apart):
        return out, difference
    only_a, only_b = without(ours, common)[apart], without(theirs, common)[apart]
    out[apart, 0], out[apart, 1] = _heaviest(only_a, corpus.word_weight), _heaviest(only_b, corpus.word_weight)
    difference[apart] = _differences(only_a, only_b)
    index = {word: at for at, word in enumerate(corpus.words)}
    tokens = [[index[token] for token in form.tokens] for form in corpus.forms]
    uses = corpus.word_uses
    for row, alike in _similar(corpus, only_a, only_b, workers).items():
        one, two = tokens[light[apart[row]]], tokens[heavy[apart[row]]]
        alone = [t for t in one if t not in two], [t for t in two if t not in one]
        out[apart[row], :4] = _paired(*alone, alike, corpus.word_weight, uses)
    return out, difference


def without(words: sparse.csr_matrix, common: sparse.csr_matrix) -> sparse.csr_matrix:
    """The words of each row that are not in the same row of `common`, which holds no others."""
    alone = sparse.csr_matrix(words - common)
    alone.eliminate_zeros()
    alone.sort_indices()
    return alone


def _heaviest(words: sparse.csr_matrix, weight: Floats) -> Floats:
    """The largest weight in each row, 0 for an empty one."""
    out = np.zeros(words.shape[0])
    filled = np.flatnonzero(np.diff(words.indptr))
    if len(filled):
        out[filled] = np.maximum.reduceat(weight[words.indices], words.indptr[filled])
    return out


def _differences(only_a: sparse.csr_matrix, only_b: sparse.csr_matrix) -> Ints:
    """Identity of the two sets of words of each row, whichever name has which; -1 where one is too large to recur."""
    width = only_a.shape[1] + 1
    sides = np.stack([_side(only, width) for only in (only_a, only_b)])
    low, high = sides.min(axis=0), sides.max(axis=0)
    known = low >= 0
    out = np.full(only_a.shape[0], -1, dtype=np.int64)
    if known.any():
        _, out[known] = np.unique(np.stack((low[known], high[known])), axis=1, return_inverse=True)
    return out


def _side(only: sparse.csr_matrix, width: int) -> Ints:
    """One number for the at most `RECURRING` words of each row, -1 for more."""
    size = np.diff(only.indptr)
    out = np.zeros(len(size), dtype=np.int64)
    for place in range(RECURRING):
        has = size > place
        out[has] = out[has] * width + only.indices[only.indptr[:-1][has] + place] + 1
    out[size > RECURRING] = -1
    return out


def _similar(
    corpus: Corpus, only_a: sparse.csr_matrix, only_b: sparse.csr_matrix, workers: int
) -> dict[int, dict[tuple[int, int], float]]:
    """Row -> the pairs of its unequal words that are alike, with how much; rows without any are left out."""
    size_a, size_b = np.diff(only_a.indptr), np.diff(only_b.indptr)
    count = np.where(size_a * size_b <= MATCHABLE, size_a * size_b, 0)
    row = np.repeat(np.arange(len(count)), count)
    at = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    left = only_a.indices[only_a.indptr[:-1][row] + at // np.maximum(1, size_b[row])].astype(np.int64)
    right = only_b.indices[only_b.indptr[:-1][row] + at % np.maximum(1, size_b[row])].astype(np.int64)
    both, back = np.unique(left * len(corpus.words) + right, return_inverse=True)
    alike = word_similarity(
        [corpus.words[i] for i in (both // max(1, len(corpus.words))).tolist()],
        [corpus.words[i] for i in (both % max(1, len(corpus.words))).tolist()],
        workers,
    )[back]
    out: dict[int, dict[tuple[int, int], float]] = {}
    for place in np.flatnonzero(alike > 0).tolist():
        out.setdefault(int(row[place]), {})[int(left[place]), int(right[place])] = float(alike[place])
    return out


def _paired(
    only_a: list[int], only_b: list[int], alike: dict[tuple[int, int], float], weight: Floats, uses: Ints
) -> tuple[float, float, float, float]:
    """Pair up unequal words that are a typo, an inflection or an abbreviation of one another, in the names' order."""
    left_b = list(only_b)
    rest_a: list[int] = []
    gained, twice = 0.0, 0
    for word in only_a:
        best = max(left_b, key=lambda other: alike.get((word, other), 0.0), default=None)
        if best is None or (word, best) not in alike:
            rest_a.append(word)
            continue
        gained += alike[word, best]
        twice = max(twice, min(int(uses[word]), int(uses[best])))
        left_b.remove(best)
    return (
        max((float(weight[word]) for word in rest_a), default=0.0),
        max((float(weight[word]) for word in left_b), default=0.0),
        gained / len(only_a),
        float(np.log1p(twice)),
    )


def word_similarity(left: Sequence[str], right: Sequence[str], workers: int = 1) -> NDArray[np.float64]:
    """How likely each pair of unequal words is one word: 0 if they are not alike.

    The beginning of a word is its abbreviation; words of `TYPO_LENGTH` letters and more may be misspelled. Numbers
    are never alike.
    """
    edits = np.asarray(
        process.cpdist(
            left, right, scorer=Levenshtein.normalized_similarity, score_cutoff=0.7, workers=workers, dtype=np.float64
        )
    )
    close = np.asarray(
        process.cpdist(left, right, scorer=JaroWinkler.similarity, score_cutoff=0.93, workers=workers, dtype=np.float64)
    )
    out = np.where((edits >= 0.75) | (close >= 0.93), np.maximum(edits, 0.7), 0.0)
    alike = (out > 0).tolist()
    for place, (a, b) in enumerate(zip(left, right, strict=True)):
        if a[:1] != b[:1] and not alike[place]:
            continue  # neither begins the other
        short, long = (a, b) if len(a) <= len(b) else (b, a)
        if a.isdigit() or b.isdigit():
            out[place] = 0.0
        elif long.startswith(short):
            out[place] = 0.5 if len(short) == 1 else 0.8 if len(short) >= 3 else 0.6
        elif len(short) < TYPO_LENGTH:
            out[place] = 0.0
    return out
