"""How alike two names are: every signal that the names alone give, for many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler, Levenshtein
from scipy import sparse

from graphdream.entities.corpus import Corpus, Floats, Ints
from graphdream.entities.forms import NameForm
from graphdream.entities.wordpairs import WORD_SIGNALS, word_signals

NAME_SIGNALS = tuple(
    "ratio winkler sorted grams overlap covered missing_small missing_large soft soft_known rarest squash core "
    "initials numbers codes ambiguous length words head lead base slash".split()
)
"""In order: edit similarity of the squashed names, Jaro-Winkler, edit similarity of the sorted words, cosine of
character 3-grams, rarity-weighted overlap of words, share of the lighter name that is covered, rarest word that only
the lighter or only the heavier name has, how well unequal words pair up as typos or abbreviations, how often both words
of such a pair occur elsewhere, rarest shared word, equal squashed names, equal cores, initials, numbers, identifiers,
names that hold all words of the lighter one, length, difference in words, same last word, same first word, paths,
slashes."""


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
    keys, squashes = [form.key for form in forms], [form.squash for form in forms]
    ours, theirs = left.tolist(), right.tolist()
    keys_a, keys_b = [keys[i] for i in ours], [keys[i] for i in theirs]
    squash_a, squash_b = [squashes[i] for i in ours], [squashes[i] for i in theirs]
    out = np.zeros((len(left), len(NAME_SIGNALS)))
    column = {name: i for i, name in enumerate(NAME_SIGNALS)}
    if not len(left):
        return out, np.zeros(0, dtype=np.int64)
    out[:, column["ratio"]] = _scores(squash_a, squash_b, Levenshtein.normalized_similarity, workers)
    out[:, column["winkler"]] = _scores(squash_a, squash_b, JaroWinkler.normalized_similarity, workers)
    out[:, column["sorted"]] = _scores(keys_a, keys_b, fuzz.token_sort_ratio, workers) / 100.0
    out[:, column["grams"]] = cosine(corpus.grams, left, right)
    weight = _weights(corpus)
    total_a, total_b = weight[left], weight[right]
    shared = _shared(corpus, left, right)
    small = np.minimum(total_a, total_b)
    out[:, column["overlap"]] = shared / np.maximum(1e-9, total_a + total_b - shared)
    out[:, column["covered"]] = shared / np.maximum(1e-9, small)
    length, count = np.array([len(s) for s in squashes]), np.array([len(form.tokens) for form in forms])
    out[:, column["length"]] = np.log1p(np.minimum(length[left], length[right]))
    out[:, column["words"]] = np.abs(count[left] - count[right])
    out[:, column["squash"]] = _equal(squashes, left, right)
    out[:, column["core"]] = _equal([f.core for f in forms], left, right)
    out[:, column["head"]] = _equal([f.tokens[-1] if f.tokens else "" for f in forms], left, right)
    out[:, column["lead"]] = _equal([f.tokens[0] if f.tokens else "" for f in forms], left, right)
    out[:, column["initials"]] = _initial_match(forms, left, right)
    for name, relation, part in _RELATIONS:
        out[:, column[name]] = _related(forms, left, right, part, relation)
    light = np.where(total_a <= total_b, left, right)
    out[:, column["ambiguous"]] = np.log1p(_holders(corpus)[light])
    slashed = np.array([bool(f.sides) for f in forms], dtype=np.int64)
    out[:, column["slash"]] = slashed[left] + slashed[right]
    detail, differences = word_signals(corpus, light, np.where(total_a <= total_b, right, left), workers)
    for at, name in enumerate(WORD_SIGNALS):
        out[:, column[name]] = detail[:, at]
    return out, differences


def _scores(left: Sequence[str], right: Sequence[str], scorer: Any, workers: int) -> NDArray[np.float32]:
    return np.asarray(process.cpdist(left, right, scorer=scorer, workers=workers, dtype=np.float32))


def cosine(matrix: sparse.csr_matrix, left: Ints, right: Ints) -> Floats:
    """Cosine of rows of unit length, for each pair of `left` and `right`."""
    rows = matrix[left].multiply(matrix[right])
    return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()


def _weights(corpus: Corpus) -> Floats:
    return np.asarray(corpus.name_words @ corpus.word_weight, dtype=np.float64)


def _shared(corpus: Corpus, left: Ints, right: Ints) -> Floats:
    both = corpus.name_words[left].multiply(corpus.name_words[right])
    return np.asarray(both @ corpus.word_weight, dtype=np.float64).ravel()


def _holders(corpus: Corpus) -> NDArray[np.int64]:
    """For each key, how many distinct names hold all of its words and more."""
    index: dict[str, int] = {}
    name = np.array([index.setdefault(form.squash, len(index)) for form in corpus.forms], dtype=np.int64)
    size = np.diff(corpus.name_words.indptr)
    more = size[corpus.inner] < size[corpus.outer]
    held = np.unique(corpus.inner[more] * len(name) + name[corpus.outer[more]])
    return np.bincount(held // max(1, len(name)), minlength=len(name))


def _equal(values: Sequence[str], left: Ints, right: Ints) -> NDArray[np.bool_]:
    """Whether the two names of each pair have the same value; an empty value equals nothing."""
    index: dict[str, int] = {"": 0}
    code = np.array([index.setdefault(v, len(index)) for v in values], dtype=np.int64)
    return np.asarray((code[left] == code[right]) & (code[left] > 0))


def _initial_match(forms: Sequence[NameForm], left: Ints, right: Ints) -> NDArray[np.bool_]:
    """Whether one name is spelled by the other's initials."""
    index: dict[str, int] = {}
    short = np.array([index.setdefault(f.squash, len(index)) for f in forms], dtype=np.int64)
    long = np.array([index.get(f.initials, -1) if len(f.initials) >= 2 else -1 for f in forms], dtype=np.int64)
    return np.asarray((short[left] == long[right]) | (short[right] == long[left]))


def _related(
    forms: Sequence[NameForm],
    left: Ints,
    right: Ints,
    part: Callable[[NameForm], object],
    relation: Callable[[NameForm, NameForm], float],
) -> Floats:
    """A relation of two names that is 0 where neither has the part it looks at."""
    out = np.zeros(len(left))
    has = np.array([bool(part(f)) for f in forms], dtype=np.bool_)
    any_has = np.flatnonzero(has[left] | has[right])
    out[any_has] = [
        relation(forms[a], forms[b]) for a, b in zip(left[any_has].tolist(), right[any_has].tolist(), strict=True)
    ]
    return out


def _number_relation(a: NameForm, b: NameForm) -> float:
    """-2 each has a number that the other lacks, -1 one side only, 0 none, 1 equal.

    Numbers that are joined are one number: `2.1` is neither `1.2` nor `2.1.1`.
    """
    if a.numbers == b.numbers:
        if a.joined and b.joined and a.joined != b.joined:
            return -2.0
        return 1.0 if a.numbers else 0.0
    return -1.0 if a.numbers <= b.numbers or b.numbers <= a.numbers else -2.0


def _code_relation(a: NameForm, b: NameForm) -> float:
    """2 an identifier shared, 1 one begins with the other, 0 not both have any, -1 both have and none fits."""
    if not a.codes or not b.codes:
        return 0.0
    if a.codes & b.codes:
        return 2.0
    return 1.0 if any(x.startswith(y) or y.startswith(x) for x in a.codes for y in b.codes) else -1.0


def _base_relation(a: NameForm, b: NameForm) -> float:
    """1 equal base names in agreeing folders, 0 no path, -1 equal base in other folders, -2 other base."""
    if not (a.base and b.base):
        return 0.5 if (a.base and a.base == b.squash) or (b.base and b.base == a.squash) else 0.0
    if a.base != b.base:
        return -2.0
    if not a.folder or not b.folder:
        return 0.5
    return 1.0 if a.folder <= b.folder or b.folder <= a.folder else -1.0


_RELATIONS: tuple[tuple[str, Callable[[NameForm, NameForm], float], Callable[[NameForm], object]], ...] = (
    ("numbers", _number_relation, lambda form: form.numbers),
    ("codes", _code_relation, lambda form: form.codes),
    ("base", _base_relation, lambda form: form.base),
)
"""Relations that are 0 unless one of the two names has the part that they look at."""
