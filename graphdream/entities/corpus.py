"""Records as arrays: what every later step (blocking, signals, clustering) computes on.

Names are kept once per distinct key, so ten thousand rows of one name cost one name. Rare things identify, so every
matrix is weighted by how rare a word, a fact or a neighbour is *in this graph*: nothing is known beforehand about
its vocabulary.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphdream.entities.containment import find_containment
from graphdream.entities.forms import FUNCTION_WORDS, NameForm, name_form, words
from graphdream.entities.identifiers import MOST_OWNERS, identifiers_of
from graphdream.entities.records import Record
from graphdream.language.calendar import MONTHS, WEEKDAYS

FACTS_READ = 64
"""Facts of one record that are compared one by one; all facts of a record count in its bag of words."""
FACT_WORDS = 48
"""Words of one fact that are read."""
BAG_FACTS = 400
"""Facts that fill a record's bag of words: one record of 50,000 facts costs as much as one of 400."""

CALENDAR = frozenset((*MONTHS, *(month[:3] for month in MONTHS), "sept", *WEEKDAYS))
"""Names of months and days: they tell dates apart as numbers do."""
_FIELD = re.compile(r"^([A-Za-z][\w -]{0,23}):\s+(?=\S)")
LONG_WORDS = 12
"""Words, on average, above which the values of a field are texts rather than names."""
_FIELD_SHARE = 0.02
_FIELD_LEAST = 3

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """One `key: value` field: the records that have it, and their values as weighted words.

    Attributes:
        name: the key.
        matrix: shape (records, words), rows of unit length, empty where a record lacks the field.
        present: shape (records,), whether the record has the field.
        value: shape (records,), identity of the whole folded value, -1 where missing.
        surprise: shape (records,), -ln of the value's share: how much an agreement on it says.
        numeric: whether nearly every value is a number (a year, a price).
        long: whether the values are texts (more than `LONG_WORDS` words on average) rather than names.
    """

    name: str
    matrix: sparse.csr_matrix
    present: NDArray[np.bool_]
    value: Ints
    surprise: Floats
    numeric: bool
    long: bool


@dataclass(frozen=True, slots=True)
class Corpus:
    """All records of one call, as arrays.

    Attributes:
        ids: shape (records,), as given.
        forms: one per distinct key.
        of_key: shape (records,), index into `forms`.
        key_size: shape (keys,), records that bear the key.
        name_words: shape (keys, words), binary.
        inner, outer: shape (containments,), keys: every word of `inner` is in `outer` (containment.py).
        word_weight: shape (words,), inverse document frequency over distinct keys.
        grams: shape (keys, grams), character 3-grams of the squashed name, unit rows.
        bag: shape (records, words), words of all facts, unit rows.
        facts: shape (facts, words), one row a fact, unit rows.
        fact_start: shape (records + 1,), rows of `facts` that belong to a record.
        fact_key: shape (facts,), identity of the folded fact without its subject's name.
        neighbors: shape (records, names), unit rows.
        fields: structured columns, largest first.
        types: shape (records,), index of the folded type, 0 for none.
        type_names: the folded types.
        pinned: shape (records,).
        fact_vocabulary: the columns of `bag` and `facts`.
        identified: two of shape (pairs,): records that hold an identifier which hardly anyone else holds.
    """

    ids: tuple[str, ...]
    forms: tuple[NameForm, ...]
    of_key: Ints
    key_size: Ints
    name_words: sparse.csr_matrix
    inner: Ints
    outer: Ints
    word_weight: Floats
    words: tuple[str, ...]
    grams: sparse.csr_matrix
    bag: sparse.csr_matrix
    facts: sparse.csr_matrix
    fact_start: Ints
    fact_key: Ints
    neighbors: sparse.csr_matrix
    fields: tuple[FieldColumn, ...]
    types: Ints
    type_names: tuple[str, ...]
    pinned: NDArray[np.bool_]
    fact_vocabulary: tuple[str, ...]
    identified: tuple[Ints, Ints]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def word_uses(self) -> Ints:
        """Shape (words,): how many distinct names and records use a word: a misspelling is used once, a word often."""
        facts = np.bincount(self.bag.indices, minlength=len(self.fact_vocabulary))
        spoken = dict(zip(self.fact_vocabulary, facts.tolist(), strict=False))
        names = np.bincount(self.name_words.indices, minlength=len(self.words))
        return names + np.array([spoken.get(word, 0) for word in self.words], dtype=np.int64)


@lru_cache(maxsize=65_536)
def fact_words(text: str) -> tuple[str, ...]:
    """The words of a fact that are read; remembered, since facts are read more than once, by later looks too."""
    return words(text)[:FACT_WORDS]


def build_corpus(records: Sequence[Record]) -> Corpus:
    """Turn records into arrays.

    Raises:
        ValueError: two records share an id.
    """
    if len({r.id for r in records}) != len(records):
        raise ValueError("record ids are not unique")
    index: dict[str, int] = {}
    forms: list[NameForm] = []
    of_key = np.zeros(len(records), dtype=np.int64)
    for i, record in enumerate(records):
        form = name_form(record.name)
        at = index.setdefault(form.key, len(forms))
        if at == len(forms):
            forms.append(form)
        of_key[i] = at
    vocabulary: dict[str, int] = {}
    name_words = _binary((f.tokens for f in forms), vocabulary, len(forms))
    inner, outer = find_containment(name_words)
    type_index: dict[str, int] = {"": 0}
    types = np.array(
        [type_index.setdefault(r.type.strip().casefold(), len(type_index)) for r in records], dtype=np.int64
    )
    columns, loose = _split_fields(records)
    read = _read_facts(records, loose)
    neighbor_index: dict[str, int] = {}
    return Corpus(
        ids=tuple(r.id for r in records),
        forms=tuple(forms),
        of_key=of_key,
        key_size=np.bincount(of_key, minlength=len(forms)).astype(np.int64),
        name_words=name_words,
        inner=inner,
        outer=outer,
        word_weight=_rarity(name_words),
        words=tuple(vocabulary),
        grams=_unit(_weighted(_binary((_grams(f.squash) for f in forms), {}, len(forms)))),
        bag=read.bag,
        facts=read.facts,
        fact_start=read.start,
        fact_key=read.key,
        neighbors=_unit(
            _weighted(
                _binary(
                    ([name_form(x).key for x in r.neighbors[:BAG_FACTS]] for r in records),
                    neighbor_index,
                    len(records),
                )
            )
        ),
        fields=columns,
        types=types,
        type_names=tuple(type_index),
        pinned=np.array([r.pinned for r in records], dtype=np.bool_),
        fact_vocabulary=read.vocabulary,
        identified=_share_identifier(records),
    )


def _share_identifier(records: Sequence[Record]) -> tuple[Ints, Ints]:
    """Pairs of records, ascending, that hold an identifier which at most `MOST_OWNERS` records hold."""
    owners: dict[tuple[int, str], list[int]] = {}
    for at, record in enumerate(records):
        for found in sorted(identifiers_of(record, FACTS_READ)):
            owners.setdefault(found, []).append(at)
    pairs = sorted({pair for rows in owners.values() if len(rows) <= MOST_OWNERS for pair in combinations(rows, 2)})
    return np.array([a for a, _ in pairs], dtype=np.int64), np.array([b for _, b in pairs], dtype=np.int64)


def _grams(squash: str) -> tuple[str, ...]:
    padded = f"^{squash}$"
    return tuple(dict.fromkeys(padded[i : i + 3] for i in range(max(1, len(padded) - 2))))


def _binary(rows: Iterable[Iterable[str]], vocabulary: dict[str, int], count: int) -> sparse.csr_matrix:
    """Rows of words as a 0/1 matrix; `vocabulary` is filled in order of first sight."""
    indices: list[int] = []
    start = [0]
    for row in rows:
        indices.extend(vocabulary.setdefault(word, len(vocabulary)) for word in dict.fromkeys(row))
        start.append(len(indices))
    data = np.ones(len(indices))
    matrix = sparse.csr_matrix(
        (data, np.array(indices, dtype=np.int32), np.array(start, dtype=np.int32)),
        shape=(count, max(1, len(vocabulary))),
    )
    matrix.sort_indices()
    return matrix


def _rarity(matrix: sparse.csr_matrix) -> Floats:
    """ln((rows + 1) / (rows with the word + 1/2)): 0 for a word of every row."""
    seen = np.bincount(matrix.indices, minlength=matrix.shape[1])
    return np.asarray(np.maximum(0.01, np.log((matrix.shape[0] + 1.0) / (seen + 0.5))))


def _weighted(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    out = matrix.copy()
    out.data = (1.0 + np.log(out.data)) * _rarity(matrix)[out.indices]
    return out


def _unit(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """The matrix with rows of length 1 (empty rows stay empty)."""
    norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    norm[norm == 0] = 1.0
    return sparse.csr_matrix(sparse.diags(1.0 / norm) @ matrix)


@dataclass(frozen=True, slots=True)
class _Read:
    bag: sparse.csr_matrix
    facts: sparse.csr_matrix
    start: Ints
    key: Ints
    vocabulary: tuple[str, ...]


def _read_facts(records: Sequence[Record], texts: Sequence[Sequence[str]]) -> _Read:
    vocabulary: dict[str, int] = {}
    identity: dict[frozenset[int], int] = {}
    rows: list[int] = []
    row_start, start = [0], [0]
    keys: list[int] = []
    bag_indices: list[int] = []
    bag_data: list[float] = []
    bag_start = [0]
    cache: dict[str, tuple[int, ...]] = {}
    for record, own in zip(records, texts, strict=True):
        subject = name_form(record.name).tokens
        counts: dict[int, int] = {}
        for at, text in enumerate(own[:BAG_FACTS]):
            kept = cache.get(text)
            if kept is None:
                spoken = (w for w in fact_words(text) if w not in FUNCTION_WORDS)
                kept = cache[text] = tuple(dict.fromkeys(vocabulary.setdefault(w, len(vocabulary)) for w in spoken))
            named = {w for w in map(vocabulary.get, subject) if w in kept}
            if named:
                kept = tuple(w for w in kept if w not in named)
            for w in kept:
                counts[w] = counts.get(w, 0) + 1
            if at < FACTS_READ and kept:
                rows.extend(kept)
                row_start.append(len(rows))
                keys.append(identity.setdefault(frozenset(kept), len(identity)))
        bag_indices.extend(counts)
        bag_data.extend(counts.values())
        bag_start.append(len(bag_indices))
        start.append(len(keys))
    width = max(1, len(vocabulary))
    facts = sparse.csr_matrix(
        (np.ones(len(rows)), np.array(rows, dtype=np.int32), np.array(row_start, dtype=np.int32)),
        shape=(len(keys), width),
    )
    bag = sparse.csr_matrix(
        (
            np.array(bag_data, dtype=np.float64),
            np.array(bag_indices, dtype=np.int32),
            np.array(bag_start, dtype=np.int32),
        ),
        shape=(len(records), width),
    )
    facts.sort_indices()
    bag.sort_indices()
    rarity = _rarity(bag)
    facts.data = rarity[facts.indices]
    bag.data = (1.0 + np.log(bag.data)) * rarity[bag.indices]
    return _Read(
        _unit(bag), _unit(facts), np.array(start, dtype=np.int64), np.array(keys, dtype=np.int64), tuple(vocabulary)
    )


def _split_fields(records: Sequence[Record]) -> tuple[tuple[FieldColumn, ...], list[list[str]]]:
    """Tell `key: value` attributes that many records share from free text."""
    keyed = [[_FIELD.match(text) for text in record.attributes[:BAG_FACTS]] for record in records]
    count: dict[str, int] = {}
    for matches in keyed:
        for name in {match.group(1).casefold() for match in matches if match}:
            count[name] = count.get(name, 0) + 1
    least = max(_FIELD_LEAST, math.ceil(_FIELD_SHARE * len(records)))
    chosen = sorted((name for name, n in count.items() if n >= least), key=lambda name: (-count[name], name))[:16]
    values: dict[str, list[str]] = {name: [""] * len(records) for name in chosen}
    loose: list[list[str]] = []
    for i, (record, matches) in enumerate(zip(records, keyed, strict=True)):
        rest = list(record.attributes[:BAG_FACTS])
        for at, match in enumerate(matches):
            name = match.group(1).casefold() if match else ""
            if match and name in values and not values[name][i]:
                values[name][i] = rest[at] = match.string[match.end() :]
        loose.append(rest)
    return tuple(_column(name, values[name]) for name in chosen), loose


def _column(name: str, values: Sequence[str]) -> FieldColumn:
    spoken = [fact_words(v) if v else () for v in values]
    identity: dict[tuple[str, ...], int] = {}
    value = np.array([identity.setdefault(s, len(identity)) if s else -1 for s in spoken], dtype=np.int64)
    present = value >= 0
    share = np.bincount(value[present], minlength=len(identity)) / max(1, int(present.sum()))
    surprise = np.zeros(len(values))
    surprise[present] = -np.log(share[value[present]])
    numeric = sum(all(t.isdigit() for t in s) for s in spoken if s) >= 0.9 * present.sum()
    return FieldColumn(
        name=name,
        matrix=_unit(_weighted(_binary(spoken, {}, len(values)))),
        present=present,
        value=value,
        surprise=surprise,
        numeric=bool(numeric),
        long=sum(len(s) for s in spoken if s) > LONG_WORDS * max(1, int(present.sum())),
    )
