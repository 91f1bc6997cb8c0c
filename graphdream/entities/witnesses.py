"""Two witnesses: what may be merged of a list inside an error budget.

On a list unlike those it learned from, a third of the pairs that a scorer is surest of can be wrong, and nothing in its
scores says so. What carries over is agreement between witnesses that know nothing of each other: two names consist of
the same words, and what is said of the two shares more, in rarity, than chance brings about in a list of this length.
Among n records, words whose rarities sum to 2 ln(n) meet in some pair by chance about once. A list of bare names has
one witness only, so there the same words are asked for and nothing else is taken. A name that far more records bear
than is usual in the list (the title of a column in a list of articles) is no witness. Source: independent agreement as
evidence (Fellegi and Sunter 1969, JASA 64:1183); what it is worth is read off labelled lists (train.py) and measured
on lists left out (bench/resolve.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphdream.entities.corpus import Corpus, Floats, Ints
from graphdream.entities.signals import LEAST_TWINS, TWIN_QUANTILE, PairTable

KINDS = ("names and facts", "bare names")
"""What the witnesses of a pair are."""
SAME_WORDS = 0.9
"""Similarity of two names, words sorted, at and above which they consist of the same words, misspellings apart."""
BEST_FACT, ALL_FACTS = 0.8, 1.0
"""Rarity of what the two records share in their best pair of facts, and in all of them, in units of ln(records), above
which facts are heard as a witness at all; how sure they are grows with the latter."""
CLASH = 0.5
"""Likeness of two facts at which different figures in them contradict the pair."""
BARE = 0.5
"""Share of records with facts below which a list is one of bare names."""
CROWD = 2.0
"""Times the usual number of bearers above which a name is no witness."""


@dataclass(frozen=True, slots=True)
class Testimony:
    """What speaks for each pair.

    Attributes:
        kind: shape (pairs,), index into `KINDS`, -1 where there are no witnesses or one contradicts.
        weight: shape (pairs,), rarity of what is shared (facts, or words of bare names), in units of ln(records).
        agreed: shape (pairs,), whether the facts of the two agree, whatever their names.
        contradicted: shape (pairs,), whether a year that differs or a fact with other figures speaks against.
    """

    kind: Ints
    weight: Floats
    agreed: NDArray[np.bool_]
    contradicted: NDArray[np.bool_]


def hear_witnesses(corpus: Corpus, pairs: PairTable) -> Testimony:
    """Which pairs two witnesses agree on."""
    unit = np.log(max(2, len(corpus)))
    same = _same_words(pairs)
    told = pairs.signal("facts_small") > 0
    shared = np.expm1(pairs.signal("bag_info")) / unit
    agreed = _facts_agree(corpus, pairs)
    contradicted = (pairs.signal("field_number") < 0) | (pairs.signal("clash") >= CLASH)
    kind = np.full(len(pairs.table), -1, dtype=np.int64)
    kind[same & agreed & ~contradicted & ~_crowded(corpus, pairs)] = 0
    if is_bare(corpus):
        kind[same & ~told & ~respelled(pairs)] = 1
    return Testimony(kind, np.where(kind == 1, pairs.signal("told") / unit, shared), agreed, contradicted)


def respelled(pairs: PairTable) -> NDArray[np.bool_]:
    """Whether a word of one name is alike to another one of the other, as many words in both, shape (pairs,).

    Where nothing but names is told, nobody can say whether that is one word misspelled or two (Dawson and Lawson).
    """
    return np.asarray((pairs.signal("soft") > 0) & (pairs.signal("words") == 0) & (pairs.signal("squash") == 0))


def is_bare(corpus: Corpus) -> bool:
    """Whether next to nothing but names is told."""
    return bool(np.count_nonzero(np.diff(corpus.fact_start)) < BARE * len(corpus))


def find_commonplace(corpus: Corpus, pairs: PairTable) -> NDArray[np.bool_]:
    """Pairs of a name with far more bearers than usual, of whom things are told that do not agree, shape (pairs,)."""
    silent = (pairs.signal("facts_small") > 0) & ~_facts_agree(corpus, pairs)
    return np.asarray(silent & _crowded(corpus, pairs))


def _same_words(pairs: PairTable) -> NDArray[np.bool_]:
    """No word, number or identifier of one name is missing in the other, but for its spelling."""
    every_word = (pairs.signal("missing_small") == 0) & (pairs.signal("missing_large") == 0)
    figures = (pairs.signal("numbers") >= 0) & (pairs.signal("codes_apart") == 0)
    return np.asarray(every_word & figures & (pairs.signal("sorted") > SAME_WORDS))


def _facts_agree(corpus: Corpus, pairs: PairTable) -> NDArray[np.bool_]:
    """Whether what is said of the two shares more, in rarity, than chance brings about in a list of this length."""
    unit = np.log(max(2, len(corpus)))
    best, shared = pairs.signal("fact_info"), np.expm1(pairs.signal("bag_info"))
    return np.asarray((pairs.signal("facts_small") > 0) & (best > BEST_FACT * unit) & (shared > ALL_FACTS * unit))


def _crowded(corpus: Corpus, pairs: PairTable) -> NDArray[np.bool_]:
    """Whether one of the two names has far more bearers than the names that records of this list share."""
    bearers = corpus.key_size[corpus.of_key]
    shared = bearers[bearers > 1]
    if len(shared) < LEAST_TWINS:
        return np.zeros(len(pairs.table), dtype=np.bool_)
    most = np.rint(np.exp(pairs.signal("namesakes_far")))
    return np.asarray(most > CROWD * float(np.quantile(shared, TWIN_QUANTILE)))
