"""Two witnesses: what may be merged of a list inside an error budget.

On a list unlike those it learned from, a third of the pairs that a scorer is surest of can be wrong, and nothing in its
scores says so. What carries over is agreement between witnesses that know nothing of each other: two names consist of
the same words, and what is said of the two shares more, in rarity, than chance brings about in a list of this length.
Among n records, words whose rarities sum to 2 ln(n) meet in some pair by chance about once. A list of bare names has
one witness only, so there the same words are asked for and nothing else is taken. Source: independent agreement as
evidence (Fellegi and Sunter 1969, JASA 64:1183); what it is worth is read off labelled lists (train.py) and measured
on lists left out (bench/resolve.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphdream.resolve.corpus import Corpus, Floats, Ints
from graphdream.resolve.signals import SIGNALS, PairTable

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
_COLUMN = {name: i for i, name in enumerate(SIGNALS)}


@dataclass(frozen=True, slots=True)
class Testimony:
    """What speaks for each pair.

    Attributes:
        kind: shape (pairs,), index into `KINDS`, -1 where there are no witnesses or one contradicts.
        weight: shape (pairs,), rarity of what is shared (facts, or words of bare names), in units of ln(records).
    """

    kind: Ints
    weight: Floats


def hear_witnesses(corpus: Corpus, pairs: PairTable) -> Testimony:
    """Which pairs two witnesses agree on."""
    unit = np.log(max(2, len(corpus)))
    same = _same_words(pairs)
    told = _signal(pairs, "facts_small") > 0
    shared = np.expm1(_signal(pairs, "bag_info")) / unit
    agree = (_signal(pairs, "fact_info") > BEST_FACT * unit) & (shared > ALL_FACTS)
    contradict = (_signal(pairs, "field_number") < 0) | (_signal(pairs, "clash") >= CLASH)
    kind = np.full(len(pairs.table), -1, dtype=np.int64)
    kind[same & told & agree & ~contradict] = 0
    if np.count_nonzero(np.diff(corpus.fact_start)) < BARE * len(corpus):
        kind[same & ~told] = 1
    return Testimony(kind, np.where(kind == 1, _signal(pairs, "told") / unit, shared))


def _same_words(pairs: PairTable) -> NDArray[np.bool_]:
    """No word, number or identifier of one name is missing in the other, but for its spelling."""
    every_word = (_signal(pairs, "missing_small") == 0) & (_signal(pairs, "missing_large") == 0)
    figures = (_signal(pairs, "numbers") >= 0) & (_signal(pairs, "codes_apart") == 0)
    return np.asarray(every_word & figures & (_signal(pairs, "sorted") > SAME_WORDS))


def _signal(pairs: PairTable, name: str) -> Floats:
    """A signal of every pair, 0 where it does not apply."""
    return np.nan_to_num(pairs.table[:, _COLUMN[name]].astype(np.float64))
