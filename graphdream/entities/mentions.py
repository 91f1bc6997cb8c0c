"""By which names the facts of a record speak: a row `lol robin` whose facts say "Robin Sato" tells who it is.

Known names are found in the facts by longest match, so "Obsidian Sync costs $5" speaks of `Obsidian Sync`, not of
`Obsidian`. Nothing but the graph's own names is looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphdream.entities.corpus import BAG_FACTS, Corpus, Floats, Ints, fact_words
from graphdream.entities.forms import FUNCTION_WORDS
from graphdream.entities.records import Record

LONGEST_NAME = 7
"""Words of the longest name that is looked for in facts."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names that facts speak by.

    Attributes:
        of_key: shape (keys,), the name (distinct squash) of each key.
        called: shape (records, names), share of a record's facts that call the name.
        subject: shape (records, names), unit rows: the first name of each fact, ambiguous names weighing less.
        wider: shape (names, names), 1 where the column name holds all words of the row name and more.
        holders: shape (names,), how many other names hold all of its words.
    """

    of_key: Ints
    called: sparse.csr_matrix
    subject: sparse.csr_matrix
    wider: sparse.csr_matrix
    holders: Ints


def find_mentions(corpus: Corpus, records: Sequence[Record]) -> Mentions:
    """Look for the graph's names in the graph's facts.

    Args:
        corpus: arrays of `records`.
        records: in the corpus's order.
    """
    index: dict[str, int] = {}
    of_key = np.array([index.setdefault(f.squash, len(index)) for f in corpus.forms], dtype=np.int64)
    wider, holders = _wider(corpus, of_key, len(index))
    names: dict[tuple[str, ...], int] = {}
    longest: dict[str, int] = {}
    for key, form in enumerate(corpus.forms):
        if 0 < len(form.tokens) <= LONGEST_NAME and len(form.squash) > 1 and not FUNCTION_WORDS.issuperset(form.tokens):
            names.setdefault(form.tokens, int(of_key[key]))
            longest[form.tokens[0]] = max(longest.get(form.tokens[0], 0), len(form.tokens))
    called: list[tuple[int, int, float]] = []
    subject: list[tuple[int, int, float]] = []
    cache: dict[str, tuple[int, ...]] = {}
    for i, record in enumerate(records):
        texts = record.attributes[:BAG_FACTS]
        counts: dict[int, int] = {}
        firsts: dict[int, int] = {}
        for text in texts:
            found = cache.get(text)
            if found is None:
                found = cache[text] = _names_in(fact_words(text), names, longest)
            for name in found:
                counts[name] = counts.get(name, 0) + 1
            if found:
                firsts[found[0]] = firsts.get(found[0], 0) + 1
        called.extend((i, name, count / len(texts)) for name, count in counts.items())
        subject.extend((i, name, count / (1.0 + holders[name])) for name, count in firsts.items())
    shape = (len(records), max(1, len(index)))
    return Mentions(of_key, _matrix(called, shape), _unit(_matrix(subject, shape)), wider, holders)


def _names_in(spoken: Sequence[str], names: dict[tuple[str, ...], int], longest: dict[str, int]) -> tuple[int, ...]:
    """The names that are spoken, each once, in the order of their first places."""
    out: dict[int, None] = {}
    free = 0
    for at in [at for at, word in enumerate(spoken) if word in longest]:
        if at < free:
            continue  # inside a longer name
        for length in range(min(longest[spoken[at]], len(spoken) - at), 0, -1):
            name = names.get(tuple(spoken[at : at + length]))
            if name is not None:
                out[name] = None
                free = at + length
                break
    return tuple(out)


def _wider(corpus: Corpus, of_key: Ints, count: int) -> tuple[sparse.csr_matrix, Ints]:
    size = np.diff(corpus.name_words.indptr)
    inner, outer = of_key[corpus.inner], of_key[corpus.outer]
    wider = (size[corpus.inner] < size[corpus.outer]) & (inner != outer)
    cells = np.unique(inner[wider] * count + outer[wider])
    shape = (max(1, count), max(1, count))
    matrix = sparse.csr_matrix((np.ones(len(cells)), (cells // max(1, count), cells % max(1, count))), shape=shape)
    return matrix, np.diff(matrix.indptr).astype(np.int64)


def _matrix(cells: list[tuple[int, int, float]], shape: tuple[int, int]) -> sparse.csr_matrix:
    rows = np.array([c[0] for c in cells], dtype=np.int64)
    cols = np.array([c[1] for c in cells], dtype=np.int64)
    return sparse.csr_matrix((np.array([c[2] for c in cells], dtype=np.float64), (rows, cols)), shape=shape)


def _unit(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    norm[norm == 0] = 1.0
    return sparse.csr_matrix(sparse.diags(1.0 / norm) @ matrix)


def mention_signals(corpus: Corpus, mentions: Mentions, left: Ints, right: Ints) -> dict[str, Floats]:
    """How the facts of each record of a pair call the other.

    Returns:
        Per pair: `call_up` share of the shorter-named record's facts that call the longer name, `call_down` the
        reverse, `call_rival` the largest share that calls another, wider name of either, `subject` agreement of the
        names that the facts begin with, `subject_both` whether both have such names. NaN without facts.
    """
    key_a, key_b = corpus.of_key[left], corpus.of_key[right]
    weight = np.asarray(corpus.name_words @ corpus.word_weight)
    small = np.where(weight[key_a] <= weight[key_b], left, right)
    large = np.where(weight[key_a] <= weight[key_b], right, left)
    name_s, name_l = mentions.of_key[corpus.of_key[small]], mentions.of_key[corpus.of_key[large]]
    facts = np.diff(corpus.fact_start)
    other = name_s != name_l
    up = _cells(mentions.called, small, name_l)
    down = _cells(mentions.called, large, name_s)
    # the names wider than a record's own that its facts call, but not the partner's
    wide = mentions.called.multiply(mentions.wider[mentions.of_key[corpus.of_key]]).tocsr()
    rival = np.maximum(_best_other(wide, small, name_l), _best_other(wide, large, name_s))
    alike = np.asarray(mentions.subject[left].multiply(mentions.subject[right]).sum(axis=1)).ravel()
    speaks = np.diff(mentions.subject.indptr) > 0
    both = speaks[left] & speaks[right]
    return {
        "call_up": np.where(other & (facts[small] > 0), up, np.nan),
        "call_down": np.where(other & (facts[large] > 0), down, np.nan),
        "call_rival": rival,
        "subject": np.where(both, alike, np.nan),
        "wider": np.log1p(np.minimum(mentions.holders[name_s], mentions.holders[name_l])),
    }


def _cells(matrix: sparse.csr_matrix, rows: Ints, cols: Ints) -> Floats:
    return np.asarray(matrix[rows, cols]).ravel().astype(np.float64)


def _best_other(wide: sparse.csr_matrix, rows: Ints, exclude: Ints) -> Floats:
    """Largest cell of each row, one column left out."""
    top = np.zeros(wide.shape[0])
    place = np.full(wide.shape[0], -1)
    second = np.zeros(wide.shape[0])
    for i in np.flatnonzero(np.diff(wide.indptr)).tolist():
        values = wide.data[wide.indptr[i] : wide.indptr[i + 1]]
        columns = wide.indices[wide.indptr[i] : wide.indptr[i + 1]]
        order = np.lexsort((columns, -values))
        top[i], place[i] = values[order[0]], columns[order[0]]
        second[i] = values[order[1]] if len(order) > 1 else 0.0
    return np.where(place[rows] == exclude, second[rows], top[rows])
