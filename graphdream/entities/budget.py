"""The cut inside an error budget: which pairs may merge, and what the clusters are made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphdream.entities.calibration import Expert
from graphdream.entities.clustering import UNSEEN
from graphdream.entities.corpus import Floats, Ints
from graphdream.entities.prior import Known
from graphdream.entities.scorer import Compared
from graphdream.scoring.curve import threshold_for

EDGE = 1e-9
"""How far below the last merged score the cut lies: a score at the cut is not merged."""
NOTHING = 1.01
"""Threshold where no pair fits."""
SUREST = 1.0 - 1e-6
"""Probability above which a pair counts as no surer."""

ALONE = 2.0
"""Times the budget that a pair may have by itself whose names are those of two things. On two generated memories of
1,000 rows (`small`, `fieldwork1k`) that takes three wrong merges away, and half a point of pair F1 on one of them."""
WITNESSED = 4.0
"""What the log-odds of a sure pair weighs beside one of a pair that nobody speaks for: at a budget of 1 %, groups join
where one in twenty of the pairs between them is sure, since that the others are not says little about them."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where an error budget cuts.

    Attributes:
        log_odds: shape (pairs,), what clusters are made from.
        cut: clusters join above it.
        sure: shape (pairs,), probability that counts for the budget; 0 where nothing that counts speaks for the pair.
        threshold: of `sure`, at and above which pairs merge; above 1 where no pair fits.
        likely: rows of these pairs.
        by_graph: rows of those of them that merge by the graph's own scores.
    """

    log_odds: Floats
    cut: float
    sure: Floats
    threshold: float
    likely: Ints
    by_graph: Ints


def cut_within(
    expert: Expert, compared: Compared, log_odds: Floats, max_false_merge_rate: float, known: Known | None = None
) -> Cut:
    """The cut of a graph whose pairs are scored.

    Args:
        expert: one that hears witnesses counts only what they agree on, and what stands off from all others; the other
            counts its own probability.
        compared: the graph.
        log_odds: shape (pairs,), by the same expert.
        max_false_merge_rate: share of the merged pairs that may be wrong, in 0..1.
        known: what is known beforehand of the pairs of a small memory.
    """
    if expert.agreed:
        return cut_sure(log_odds, expert.certainty(compared, log_odds), max_false_merge_rate)
    probability = expert.probability(log_odds)
    threshold = threshold_for(probability, max_false_merge_rate)
    likely = np.flatnonzero(probability >= threshold)
    cut = float(log_odds[likely].min()) - EDGE if len(likely) else float(np.inf)
    if known is not None:
        return _with_known(Cut(log_odds, cut, probability, threshold, likely, likely), known, max_false_merge_rate)
    return Cut(log_odds, cut, probability, threshold, likely, likely)


def _with_known(own: Cut, known: Known, max_false_merge_rate: float) -> Cut:
    """The cut where a pair may also merge by what is known beforehand of pairs like it.

    Such a pair keeps the budget by itself, for in a graph of a few pairs there are none that pay for it.

    Args:
        own: the cut by the graph's own scores.
        known: of the same pairs.
        max_false_merge_rate: share of the merged pairs that may be wrong, in 0..1.
    """
    by_graph = np.zeros(len(own.sure), dtype=np.bool_)
    by_graph[own.likely] = True
    # other pairs do not pay for one whose names are those of two things, nor for one with two identifiers
    held_back = known.opposed | (known.apart & (own.sure < 1.0 - ALONE * max_false_merge_rate))
    by_graph &= ~held_back
    by_kind = known.probability >= 1.0 - max_false_merge_rate
    sure = np.where(by_kind, np.maximum(own.sure, known.probability), np.where(by_graph, own.sure, 0.0))
    likely = np.flatnonzero(by_kind | by_graph)
    cut = own.cut if np.isfinite(own.cut) else float(own.log_odds.max(initial=0.0))
    held = np.clip(known.probability, 1.0 - SUREST, SUREST)
    lifted = np.maximum(own.log_odds, cut + WITNESSED * np.log(held / (1.0 - held)))
    return Cut(
        log_odds=np.where(by_kind, lifted, np.where(held_back, np.minimum(own.log_odds, cut + UNSEEN), own.log_odds)),
        cut=cut,
        sure=sure,
        threshold=float(sure[likely].min()) if len(likely) else NOTHING,
        likely=likely,
        by_graph=np.flatnonzero(by_graph),
    )


def cut_sure(log_odds: Floats, sure: Floats, max_false_merge_rate: float) -> Cut:
    """The cut of a list, where a pair that is not sure is at best one that blocking did not propose.

    Every pair keeps the budget by itself, not only all of them together: sure pairs do not pay for doubtful ones,
    since how many there are of either differs from list to list.

    Args:
        log_odds: shape (pairs,), by the scorer.
        sure: shape (pairs,), probability by the witnesses or by standing off, 0 where nothing speaks.
        max_false_merge_rate: share of the merged pairs that may be wrong, in 0..1.
    """
    merged = sure >= max(1.0 - max_false_merge_rate, float(np.finfo(np.float64).tiny))
    threshold = float(sure[merged].min()) if merged.any() else NOTHING
    held = np.clip(sure, 1.0 - SUREST, SUREST)
    lifted = np.where(merged, WITNESSED * np.log(held / (1.0 - held)), np.minimum(log_odds, UNSEEN))
    return Cut(lifted, 0.0, sure, threshold, np.flatnonzero(merged), np.flatnonzero(merged))
