"""How far a group of records stands off from all others: what may be merged where names alone decide.

A pair is sure not because its score is high, for scores of unseen lists lie at different heights, but because nothing
else comes near it: its group is complete (nearly all of its pairs score high) and no pair that leads out of it does. A
group that stays the same while the cut is raised through a wide range of scores is one that the list itself sets
apart. Source: a match is worth as much as it is better than the next best (Lowe 2004, IJCV 60:91, the ratio test); a
cluster is worth the range of thresholds through which it persists (Campello, Moulavi and Sander 2013, PAKDD, HDBSCAN).

Where a second witness is to be had, it is heard: a pair is doubted if its facts contradict it, or are silent in a
list where facts speak, or if one of its names is written twice in a list, and nothing said of the two agrees, or if
in a list of bare names a word of it is spelled in two ways. An identifier that two names share in a list whose things
bear identifiers settles it. What standing off is worth is read off labelled lists (train.py) and measured on lists
left out (bench/resolve.py).
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from graphdream.entities.corpus import Floats, Ints
from graphdream.entities.scorer import Compared
from graphdream.entities.witnesses import hear_witnesses, is_bare, respelled

STEP = 0.5
"""Log-odds by which a cut is raised at a time, and in which isolation is told."""
HIGHEST = 6.0
"""Log-odds above the list's own cut at and above which no group is looked for."""
COMPLETE = 0.8
"""Share of the pairs within a group that have to score high."""
SPEAK = 0.5
"""Likeness (cosine) of what is said of namesakes at and above which silence about a pair speaks against it."""
IDENTIFIED = 0.5
"""Share of the records whose names bear identifiers at and above which it is a list of such things."""


def stand_off(compared: Compared, above_cut: Floats) -> Floats:
    """How far the group of each pair stands off, in log-odds, a multiple of `STEP`; 0 for a pair that is doubted.

    Args:
        compared: the list.
        above_cut: shape (pairs,), log-odds above the list's own cut.
    """
    doubted = find_doubted(compared)
    pairs = compared.candidates
    told = np.where(doubted, -np.inf, above_cut)
    return np.where(doubted, 0.0, measure_isolation(len(compared.records), pairs.left, pairs.right, told))


def measure_isolation(n: int, left: Ints, right: Ints, above_cut: Floats) -> Floats:
    """How far the cut can be raised from a place where a group is cut off until the group falls apart.

    Args:
        n: number of records.
        left, right: shape (pairs,), distinct pairs of record indices.
        above_cut: shape (pairs,), log-odds above the list's own cut.

    Returns:
        Shape (pairs,), the most of all groups that hold both records, a multiple of `STEP`; 0 where there is none.
    """
    out = np.zeros(len(left))
    for level in np.arange(0.0, HIGHEST, STEP).tolist():
        rows = np.flatnonzero(above_cut > level)
        if not len(rows):
            break
        graph = sparse.coo_matrix((np.ones(len(rows)), (left[rows], right[rows])), shape=(n, n))
        group = connected_components(graph, directed=False)[1]
        lasts = _lasts(group, group[left[rows]], above_cut[rows])
        within = group[left] == group[right]
        steps = np.floor((lasts[group[left[within]]] - level) / STEP)
        out[within] = np.maximum(out[within], STEP * steps)
    return out


def _lasts(group: Ints, owner: Ints, score: Floats) -> Floats:
    """Score that `COMPLETE` of each group's pairs reach, shape (groups,); -inf where too few were compared.

    Args:
        group: shape (records,), group of each record.
        owner, score: shape (pairs,), group and score of the pairs within groups.
    """
    size = np.bincount(group)
    needed = np.ceil(COMPLETE * size * (size - 1) / 2.0).astype(np.int64)
    order = np.lexsort((-score, owner))
    start = np.searchsorted(owner[order], np.arange(len(size) + 1))
    complete = np.flatnonzero((needed > 0) & (np.diff(start) >= needed))
    out = np.full(len(size), -np.inf)
    out[complete] = score[order][start[complete] + needed[complete] - 1]
    return out


def find_doubted(compared: Compared) -> NDArray[np.bool_]:
    """Pairs that their names do not settle, however alike and alone they are, shape (pairs,)."""
    corpus, pairs = compared.corpus, compared.pairs
    heard = hear_witnesses(corpus, pairs)
    doubted = heard.contradicted
    if (pairs.usual_among_twins("bag") or 0.0) >= SPEAK:
        doubted = doubted | ((pairs.signal("facts_small") > 0) & (heard.kind < 0))
    doubted = doubted | (respelled(pairs) if is_bare(corpus) else _written_twice(compared) & ~heard.agreed)
    return np.asarray(doubted & ~_identified(compared))


def _written_twice(compared: Compared) -> NDArray[np.bool_]:
    """Whether a name of the pair is written letter by letter in another record too."""
    written = [" ".join(record.name.split()) for record in compared.records]
    count = Counter(written)
    twice = np.array([count[name] > 1 for name in written], dtype=np.bool_)
    return np.asarray(twice[compared.candidates.left] | twice[compared.candidates.right])


def _identified(compared: Compared) -> NDArray[np.bool_]:
    """Whether two names share an identifier, and neither has one of its own, in a list of things with identifiers."""
    corpus, pairs = compared.corpus, compared.pairs
    bears = np.array([bool(form.codes) for form in corpus.forms], dtype=np.bool_)
    if not len(corpus) or bears[corpus.of_key].mean() < IDENTIFIED:
        return np.zeros(len(pairs.table), dtype=np.bool_)
    shared = (pairs.signal("codes") == 2) & (pairs.signal("codes_apart") == 0)
    return np.asarray(shared & (pairs.signal("numbers") >= 0))
