"""Who is who: records in, clusters out. Pure functions, deterministic, independent of the order of the records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphdream.entities.budget import Cut, cut_within
from graphdream.entities.calibration import Calibration, Sort, shipped
from graphdream.entities.clustering import cluster_pairs
from graphdream.entities.corpus import Floats, Ints
from graphdream.entities.guards import find_guards, hard_pairs
from graphdream.entities.prior import Known, two_things
from graphdream.entities.records import Record
from graphdream.entities.scorer import Compared, compare
from graphdream.entities.witnesses import is_bare

DEFAULT_RATE = 0.005
"""Share of merged pairs that may be wrong where nothing else is asked for."""
REJECT = 0.15
"""Calibrated probability below which a pair is not offered to anyone."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the resolver decided about one set of records.

    Attributes:
        clusters: every record's id, and the id of the record that represents its cluster.
        merged: pairs (survivor, duplicate) that bring the clusters about.
        candidates: the pairs that were compared, ids in ascending order.
        scores: per candidate, the probability that decides: at and above `threshold` the pair merges by itself, unless
            its cluster would contradict it. Below, it orders the pairs that nothing which counts speaks for.
        band: pairs between the reject and the merge threshold, likeliest first, for a model or a person.
        threshold: probability at and above which pairs were merged; inside an error budget on a list, that by what two
            witnesses agree on (witnesses.py) or what stands off from all others (isolation.py).
        false_merge_rate: expected share of wrong pairs among the merged ones.
        false_merge_interval: its 95 % interval.
    """

    clusters: Mapping[str, str]
    merged: tuple[Pair, ...]
    candidates: tuple[Pair, ...]
    scores: tuple[float, ...]
    band: tuple[tuple[str, str, float], ...]
    threshold: float
    false_merge_rate: float
    false_merge_interval: tuple[float, float]


def resolve(
    records: Sequence[Record],
    *,
    max_false_merge_rate: float | None = DEFAULT_RATE,
    distinct: Collection[Pair] = (),
    changed: Collection[str] | None = None,
    workers: int = 2,
    calibration: Calibration | None = None,
    sort: Sort = "auto",
    told_lists_by_cut: bool = False,
) -> Resolution:
    """Decide which records are one thing.

    Args:
        records: the graph's entities; ids must be unique.
        max_false_merge_rate: share of merged pairs that may be wrong; None maximises pairwise F1 instead.
        distinct: pairs of ids that are known to be different; they never share a cluster.
        changed: with it, only pairs that touch one of these ids are considered.
        workers: threads for edit distances.
        calibration: another one than the shipped.
        sort: whether the graph is a "memory" of many kinds of things or a "list" of one kind; "auto" looks.
        told_lists_by_cut: whether a list that tells more than names is cut where it shows itself (best pairwise F1)
            instead of inside the budget.

    Raises:
        ValueError: two records share an id, or the budget is outside 0..1.
    """
    if max_false_merge_rate is not None and not 0.0 <= max_false_merge_rate <= 1.0:
        raise ValueError(f"max_false_merge_rate {max_false_merge_rate} is not a share")
    compared = compare(records, None if changed is None else frozenset(changed), workers)
    using = calibration or shipped()
    expert = using.expert(compared, sort)
    log_odds = expert.score(compared)
    probability = expert.probability(log_odds)
    index = {id_: i for i, id_ in enumerate(compared.corpus.ids)}
    apart = [(index[a], index[b]) for a, b in distinct if a in index and b in index and a != b]
    apart += hard_pairs(compared.candidates, compared.pairs)
    sure = decides = probability
    if told_lists_by_cut and expert is using.listing and not is_bare(compared.corpus):
        max_false_merge_rate = None
    if max_false_merge_rate is None:
        cut = expert.cut(compared, log_odds)
        threshold = float(expert.probability(np.array([cut]))[0])
    else:
        known = using.known(compared, expert)
        within = cut_within(expert, compared, log_odds, max_false_merge_rate, known)
        log_odds, cut, threshold, sure = within.log_odds, within.cut, within.threshold, within.sure
        apart += guarded_pairs(compared, within.likely)
        decides = deciding(probability, within, known)
        if known is not None:
            apart += two_things(compared, within.likely, within.by_graph)
    labels = cluster_pairs(
        len(compared.records),
        compared.candidates.left,
        compared.candidates.right,
        log_odds,
        cut=cut,
        apart=apart,
        pinned=np.flatnonzero(compared.corpus.pinned),
    )
    return _resolution(compared, decides, sure, labels, threshold)


def deciding(probability: Floats, within: Cut, known: Known | None) -> Floats:
    """The probability that decides, shape (pairs,): what counts inside the budget, or else less than the threshold.

    Args:
        probability: shape (pairs,), calibrated.
        within: where the budget cuts.
        known: what is known beforehand of the pairs of a small memory.
    """
    if known is not None:
        probability = np.maximum(probability, known.probability)
    merged = np.zeros(len(probability), dtype=np.bool_)
    merged[within.likely] = True
    below = np.nextafter(within.threshold, 0.0)
    return np.where(merged, within.sure, np.minimum(probability, below))


def guarded_pairs(compared: Compared, rows: Ints) -> list[tuple[int, int]]:
    """Those of the candidate pairs `rows`, as record indices, that no budget allows to merge without asking."""
    return _pairs_of(compared, find_guards(compared, rows))


def _pairs_of(compared: Compared, rows: Iterable[int]) -> list[tuple[int, int]]:
    """Candidate pairs as record indices."""
    return [(int(compared.candidates.left[row]), int(compared.candidates.right[row])) for row in rows]


def _resolution(compared: Compared, probability: Floats, sure: Floats, labels: Ints, threshold: float) -> Resolution:
    ids, records, candidates = compared.corpus.ids, compared.records, compared.candidates
    members: dict[int, list[int]] = {}
    for i, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(i)
    head: dict[int, int] = {
        label: min(rows, key=lambda i: (not records[i].pinned, -len(records[i].attributes), ids[i]))
        for label, rows in members.items()
    }
    together = labels[candidates.left] == labels[candidates.right]
    wrong = 1.0 - sure[together & (sure > 0)]
    rate = float(wrong.mean()) if len(wrong) else 0.0
    spread = 1.96 * float(np.sqrt((wrong * (1 - wrong)).sum())) / max(1, len(wrong))
    name = ids.__getitem__
    pairs = tuple(zip(map(name, candidates.left.tolist()), map(name, candidates.right.tolist()), strict=True))
    between = np.flatnonzero(~together & (probability >= REJECT))
    band = sorted(((*pairs[i], float(probability[i])) for i in between.tolist()), key=lambda x: (-x[2], x[0], x[1]))
    return Resolution(
        clusters={ids[i]: ids[head[int(labels[i])]] for i in range(len(ids))},
        merged=tuple(
            (ids[head[label]], ids[i]) for label, rows in sorted(members.items()) for i in rows if i != head[label]
        ),
        candidates=pairs,
        scores=tuple(probability.tolist()),
        band=tuple(band),
        threshold=threshold,
        false_merge_rate=rate,
        false_merge_interval=(max(0.0, rate - spread), min(1.0, rate + spread)),
    )
