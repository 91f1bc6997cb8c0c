"""How alike two names are: every signal that the names alone give, for many pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler, Levenshtein

from graphdream.resolve.corpus import Corpus, Floats, Ints
from graphdream.resolve.forms import NameForm

NAME_SIGNALS = (
    "ratio",
    "winkler",
    "sorted",
    "grams",
    "overlap",
    "covered",
    "missing_small",
    "missing_large",
    "soft",
    "soft_known",
    "rarest",
    "squash",
    "core",
    "initials",
    "numbers",
    "ambiguous",
    "length",
    "words",
    "head",
    "lead",
    "base",
    "slash",
)
_TYPO_LENGTH = 4
_TYPO_SIMILARITY = 0.82


def name_signals(corpus: Corpus, left: Ints, right: Ints, workers: int = 1) -> tuple[Floats, Ints]:
    """Signals of pairs of distinct names.

    Args:
        corpus: the records; names are addressed by key index.
        left, right: shape (pairs,), key indices.
        workers: threads for the edit distances.

    Returns:
        Shape (pairs, len(NAME_SIGNALS)), and shape (pairs,): the identity of the difference between the two names
        (the words that only one of them has), -1 where there is none or it is too large to recur.
    """
    forms = corpus.forms
    keys_a, keys_b = [forms[i].key for i in left], [forms[i].key for i in right]
    squash_a, squash_b = [forms[i].squash for i in left], [forms[i].squash for i in right]
    out = np.zeros((len(left), len(NAME_SIGNALS)))
    column = {name: i for i, name in enumerate(NAME_SIGNALS)}
    differences = np.full(len(left), -1, dtype=np.int64)
    if not len(left):
        return out, differences
    out[:, column["ratio"]] = _scores(squash_a, squash_b, Levenshtein.normalized_similarity, workers)
    out[:, column["winkler"]] = _scores(squash_a, squash_b, JaroWinkler.normalized_similarity, workers)
    out[:, column["sorted"]] = _scores(keys_a, keys_b, fuzz.token_sort_ratio, workers) / 100.0
    out[:, column["grams"]] = _cosine(corpus.grams, left, right)
    weight = _weights(corpus)
    total_a, total_b = weight[left], weight[right]
    shared = _shared(corpus, left, right)
    small, large = np.minimum(total_a, total_b), np.maximum(total_a, total_b)
    out[:, column["overlap"]] = shared / np.maximum(1e-9, total_a + total_b - shared)
    out[:, column["covered"]] = shared / np.maximum(1e-9, small)
    out[:, column["length"]] = np.log1p(np.minimum([len(s) for s in squash_a], [len(s) for s in squash_b]))
    out[:, column["words"]] = np.abs(
        np.array([len(forms[i].tokens) for i in left]) - np.array([len(forms[i].tokens) for i in right])
    )
    del large
    holders = _holders(corpus)
    token_weight = dict(zip(corpus.words, corpus.word_weight.tolist(), strict=False))
    detail = np.empty((len(left), 13))
    known = corpus.word_count
    identity: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
    for at, (i, j) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        difference = _difference(forms[i], forms[j])
        if difference is not None:
            differences[at] = identity.setdefault(difference, len(identity))
        detail[at] = _pair(forms[i], forms[j], total_a[at] <= total_b[at], token_weight, known, holders[i], holders[j])
    names = (
        "missing_small", "missing_large", "soft", "soft_known", "rarest", "squash", "core",
        "initials", "numbers", "ambiguous", "head", "lead", "base",
    )  # fmt: skip
    for at, name in enumerate(names):
        out[:, column[name]] = detail[:, at]
    out[:, column["slash"]] = [bool(forms[i].sides) + bool(forms[j].sides) for i, j in zip(left, right, strict=True)]
    return out, differences


def _difference(a: NameForm, b: NameForm) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    if a.squash == b.squash:
        return None
    only_a = tuple(sorted(set(a.tokens) - set(b.tokens)))
    only_b = tuple(sorted(set(b.tokens) - set(a.tokens)))
    if max(len(only_a), len(only_b)) > 2:
        return None
    return (only_a, only_b) if only_a <= only_b else (only_b, only_a)


def _scores(left: Sequence[str], right: Sequence[str], scorer: Any, workers: int) -> NDArray[np.float32]:
    return np.asarray(process.cpdist(left, right, scorer=scorer, workers=workers, dtype=np.float32))


def _cosine(matrix: object, left: Ints, right: Ints) -> Floats:
    rows = matrix[left].multiply(matrix[right])  # type: ignore[index]
    return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()


def _weights(corpus: Corpus) -> Floats:
    return np.asarray(corpus.name_words @ corpus.word_weight, dtype=np.float64)


def _shared(corpus: Corpus, left: Ints, right: Ints) -> Floats:
    both = corpus.name_words[left].multiply(corpus.name_words[right])
    return np.asarray(both @ corpus.word_weight, dtype=np.float64).ravel()


def _holders(corpus: Corpus) -> NDArray[np.int64]:
    """For each key, how many other distinct names hold all of its words."""
    words = corpus.name_words
    by_word: list[list[int]] = [[] for _ in range(words.shape[1])]
    sets = [frozenset(words.indices[words.indptr[k] : words.indptr[k + 1]].tolist()) for k in range(words.shape[0])]
    for k, own in enumerate(sets):
        for w in own:
            by_word[w].append(k)
    out = np.zeros(len(sets), dtype=np.int64)
    for k, own in enumerate(sets):
        if own:
            rarest = min(own, key=lambda w: (len(by_word[w]), w))
            out[k] = len({corpus.forms[j].squash for j in by_word[rarest][:400] if own < sets[j]})
    return out


def _pair(
    a: NameForm,
    b: NameForm,
    a_is_small: bool,
    weight: dict[str, float],
    known: dict[str, int],
    holders_a: int,
    holders_b: int,
) -> tuple[float, ...]:
    if not a_is_small:
        a, b, holders_a, holders_b = b, a, holders_b, holders_a
    mine, yours = set(a.tokens), set(b.tokens)
    common = mine & yours
    only_a = [t for t in a.tokens if t not in common]
    only_b = [t for t in b.tokens if t not in common]
    soft, twice = 0.0, 0
    if only_a and only_b and len(only_a) * len(only_b) <= 64:
        soft, twice, only_a, only_b = _soft_match(only_a, only_b, known)
    squash = float(a.squash == b.squash)
    if squash:
        only_a, only_b = [], []
    return (
        max((weight.get(t, 5.0) for t in only_a), default=0.0),
        max((weight.get(t, 5.0) for t in only_b), default=0.0),
        soft,
        float(np.log1p(twice)),
        max((weight.get(t, 5.0) for t in common), default=0.0),
        squash,
        float(a.core == b.core),
        _initial_match(a, b),
        _number_relation(a.numbers, b.numbers),
        float(np.log1p(holders_a)),
        float(bool(a.tokens) and bool(b.tokens) and a.tokens[-1] == b.tokens[-1]),
        float(bool(a.tokens) and bool(b.tokens) and a.tokens[0] == b.tokens[0]),
        _base_relation(a, b),
    )


def _soft_match(only_a: list[str], only_b: list[str], known: dict[str, int]) -> tuple[float, int, list[str], list[str]]:
    """Pair up unequal words that are a typo, an inflection or an abbreviation of one another."""
    left_b = list(only_b)
    rest_a: list[str] = []
    gained, twice = 0.0, 0
    for token in only_a:
        best, at = 0.0, -1
        for j, other in enumerate(left_b):
            value = _word_similarity(token, other)
            if value > best:
                best, at = value, j
        if at >= 0 and best > 0:
            gained += best
            twice = max(twice, min(known.get(token, 0), known.get(left_b[at], 0)))
            del left_b[at]
        else:
            rest_a.append(token)
    return gained / len(only_a), twice, rest_a, left_b


def _word_similarity(a: str, b: str) -> float:
    if a.isdigit() or b.isdigit():
        return 0.0
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if long.startswith(short):
        return 0.5 if len(short) == 1 else 0.8 if len(short) >= 3 else 0.6
    if len(short) >= _TYPO_LENGTH:
        similarity = Levenshtein.normalized_similarity(a, b, score_cutoff=0.7)
        if similarity >= 0.75 or JaroWinkler.similarity(a, b) >= 0.93:
            return max(similarity, 0.7)
    return 0.0


def _initial_match(a: NameForm, b: NameForm) -> float:
    """1 where one name is spelled by the other's initials, else 0."""
    for short, long in ((a, b), (b, a)):
        if len(long.initials) >= 2 and short.squash == long.initials:
            return 1.0
    return 0.0


def _number_relation(a: frozenset[str], b: frozenset[str]) -> float:
    """-2 each has a number that the other lacks, -1 one side only, 0 none, 1 equal."""
    if not a and not b:
        return 0.0
    if a == b:
        return 1.0
    return -1.0 if a <= b or b <= a else -2.0


def _base_relation(a: NameForm, b: NameForm) -> float:
    """1 equal base names in agreeing folders, 0 no path, -1 equal base in other folders, -2 other base."""
    if not (a.base and b.base):
        return 0.5 if (a.base and a.base == b.squash) or (b.base and b.base == a.squash) else 0.0
    if a.base != b.base:
        return -2.0
    if not a.folder or not b.folder:
        return 0.5
    return 1.0 if a.folder <= b.folder or b.folder <= a.folder else -1.0
