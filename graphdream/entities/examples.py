"""Examples: labelled sets as the resolver learns from them, and scorers fitted to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from graphdream.entities.context import CONTEXT_DIRECTION
from graphdream.entities.corpus import Floats, Ints
from graphdream.entities.guards import guard_scores
from graphdream.entities.labelled import Labelled
from graphdream.entities.samples import thinned
from graphdream.entities.scorer import SECOND_SIGNALS, Compared, Scorer, compare, second_table
from graphdream.entities.signals import DIRECTION, SIGNALS
from graphdream.scoring.boosting import Boosting, fit_trees
from graphdream.scoring.trees import Trees

DRAWN = 5000
"""Pairs drawn from one set, so that a large set does not drown the others."""
DENSITIES = (2, 4)
"""Parts that lists are cut into, so that a budget is kept on lists of other densities too."""


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled set, compared; `parts` is 1 for a whole one, else into how many the whole was cut."""

    labelled: Labelled
    compared: Compared
    same: NDArray[np.bool_]
    known: NDArray[np.bool_]
    drawn: NDArray[np.int64]
    parts: int = 1


def example(labelled: Labelled, drawn: int = DRAWN, parts: int = 1) -> Example:
    """Block and measure a labelled set, and draw the pairs to learn from.

    Args:
        labelled: the set.
        drawn: pairs to learn from at most.
        parts: into how many it was cut, where it is a part of one.
    """
    compared = compare(labelled.records)
    same, known = labelled.same(compared.candidates)
    rows = np.flatnonzero(known)
    if len(rows) > drawn:
        rows = np.sort(np.random.default_rng(len(rows)).choice(rows, drawn, replace=False))
    return Example(labelled, compared, same, known, rows, parts)


def parts_of(labelled: Labelled) -> list[Example]:
    """A labelled list in halves and in quarters, cut at random: the same things, less dense."""
    return [example(part, parts=parts) for parts in DENSITIES for part in thinned(labelled, parts, seed=parts)]


def _fit(
    examples: Sequence[Example],
    tables: Mapping[str, NDArray[np.float32]],
    signals: Sequence[str],
    direction: Sequence[int],
    how: Boosting,
) -> Trees:
    table = np.concatenate([tables[e.labelled.name][e.drawn] for e in examples])
    same = np.concatenate([e.same[e.drawn] for e in examples])
    weight = np.concatenate([np.full(len(e.drawn), max(1, len(e.drawn)) ** -0.5) for e in examples])
    return fit_trees(table, same, weight / weight.mean(), signals, direction, how)


def _folds(examples: Sequence[Example], count: int) -> list[tuple[list[Example], list[Example]]]:
    """(rest, left out) by family."""
    families = sorted({e.labelled.family for e in examples})
    count = max(1, min(count, len(families)))
    place = {family: i % count for i, family in enumerate(families)}
    return [
        (
            [e for e in examples if place[e.labelled.family] != k],
            [e for e in examples if place[e.labelled.family] == k],
        )
        for k in range(count)
    ]


def fit_scorer(examples: Sequence[Example], how: Boosting) -> Scorer:
    """Both looks; the second learns from first scores of models that had not seen the set."""
    own = {e.labelled.name: e.compared.pairs.table for e in examples}
    direction = [DIRECTION.get(s, 0) for s in SIGNALS]
    unseen: dict[str, NDArray[np.float32]] = {}
    near: list[Example] = []
    for rest, left in _folds(examples, 2):
        trees = _fit(rest, own, SIGNALS, direction, how)
        for e in left:
            scores = trees.log_odds(e.compared.pairs.table, SIGNALS)
            unseen[e.labelled.name] = second_table(e.compared, scores)
            near.append(replace(e, drawn=draw_likely(e, scores)))
    first = _fit(examples, own, SIGNALS, direction, how)
    second = _fit(
        sorted(near, key=lambda e: e.labelled.name), unseen, SECOND_SIGNALS, [*direction, *CONTEXT_DIRECTION], how
    )
    return Scorer(first, second)


def draw_likely(e: Example, first: Floats) -> Ints:
    """Pairs for the second look to learn from: half of them the likeliest by the first one.

    Drawn evenly, nearly all pairs of a set are easy, and the few wrong ones that look right, which decide what fits
    into an error budget, are missing.

    Args:
        e: a set.
        first: shape (pairs,), log-odds of a first look that had not seen it.
    """
    rows = np.flatnonzero(e.known)
    count = len(e.drawn)
    if len(rows) <= count:
        return rows
    order = rows[np.argsort(-first[rows], kind="stable")]
    half = count // 2
    others = np.random.default_rng(len(rows)).choice(order[half:], count - half, replace=False)
    return np.sort(np.concatenate([order[:half], others]))


def left_out_scores(
    examples: Sequence[Example], how: Boosting, folds: int, parts: Sequence[Example] = ()
) -> dict[str, Floats]:
    """Log-odds of each set's pairs by scorers that never saw its family, hard guards applied.

    Args:
        examples: the sets.
        how: settings of the scorers.
        folds: parts that the families are left out in.
        parts: of the sets, which are scored and not learned from.
    """
    out: dict[str, Floats] = {}
    for rest, left in _folds(examples, folds):
        scorer = fit_scorer(rest, how)
        families = {e.labelled.family for e in left}
        for e in (*left, *(part for part in parts if part.labelled.family in families)):
            out[e.labelled.name] = guard_scores(e.compared.pairs, scorer.log_odds(e.compared))
    return out
