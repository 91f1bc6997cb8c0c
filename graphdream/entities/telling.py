"""What was most telling of a pair: how much each thing that was measured moves it.

A measured value is held against none of it: by how much the log-odds of the pair would differ if there were nothing of
the kind, all else as it is (one-at-a-time sensitivity; Saltelli et al. 2008, Global Sensitivity Analysis, chapter 1).
What decided a pair is asked: the kinds of evidence that count in small memories (prior.py) where they make it likelier
than the graph's own scores. Signals that speak either way, by what else there is, are not told of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from graphdream.entities.calibration import Expert
from graphdream.entities.corpus import Floats
from graphdream.entities.evidence import EVIDENCE, EVIDENCE_DIRECTION, Evidence, hear_evidence
from graphdream.entities.prior import DECISIVE, Known, Prior
from graphdream.entities.scorer import Compared
from graphdream.entities.signals import DIRECTION, SIGNALS

Telling = tuple[str, float, float]
"""Name of a signal, its value, and the log-odds that it moves the pair by."""

IDENTIFIED = "identified"
"""Signal: 1 where both hold an identifier that hardly anyone else holds, -1 where they hold two of one kind."""
REST = "rest"
"""Signal: what the rest of the graph adds to, or takes from, what the two say by themselves, in log-odds."""
_DECISIVE = math.log(DECISIVE / (1.0 - DECISIVE))
"""Log-odds that an identifier is said to move a pair by: what it is worth was set, not learned."""
_MOST = 12
"""Signals that are told of."""
KIND_SIGNALS = ("kind_same", "kind_part", "kind_brackets")
"""In the order of `evidence.KINDS`: what names of a kind are worth by themselves, in log-odds."""
_NONE = {"rivals": 1.0}
"""Values that stand for none of a signal, where that is not 0: a part of a name fits the whole one."""
_EVIDENCE_DIRECTION = dict(zip(EVIDENCE, EVIDENCE_DIRECTION, strict=True))


def find_telling(
    expert: Expert, compared: Compared, row: int, log_odds: Floats, prior: Prior, known: Known | None
) -> tuple[Telling, ...]:
    """What moves a pair most, the most telling first.

    Args:
        expert: that scored the pairs.
        compared: the graph.
        row: of the pair.
        log_odds: shape (pairs,), by the expert.
        prior: what kinds of evidence are worth.
        known: what that says of the pairs of a small memory; None where it does not count.
    """
    if known is None:
        return _most(_by_graph(expert, compared, row, log_odds))
    evidence = hear_evidence(compared.records, compared.corpus, compared.candidates, compared.pairs)
    identified = float(evidence.identified[row])
    found = [(IDENTIFIED, identified, identified * _DECISIVE)] if identified else []
    own = float(expert.probability(log_odds[row : row + 1])[0])
    if float(known.probability[row]) > own:
        return _most(found + _by_kind(prior, evidence, row))
    return _most(found + _by_graph(expert, compared, row, log_odds))


def _by_graph(expert: Expert, compared: Compared, row: int, log_odds: Floats) -> list[Telling]:
    first, table = expert.scorer.first, compared.pairs.table[row]
    rest = float(log_odds[row] - first.log_odds(table[None, :], SIGNALS)[0])
    return [*_moved(table, SIGNALS, DIRECTION, lambda rows: first.log_odds(rows, SIGNALS)), (REST, rest, rest)]


def _by_kind(prior: Prior, evidence: Evidence, row: int) -> list[Telling]:
    kind, mine = int(evidence.kind[row]), evidence.table[row]
    if kind < 0:
        return []
    bare = np.array([[_NONE.get(name, 0.0) for name in EVIDENCE]], dtype=np.float32)
    worth = float(prior.log_odds(kind, np.where(_one_way(EVIDENCE, _EVIDENCE_DIRECTION), bare, mine))[0])
    found = _moved(mine, EVIDENCE, _EVIDENCE_DIRECTION, lambda rows: prior.log_odds(kind, rows))
    return [*found, (KIND_SIGNALS[kind], worth, worth)]


def _one_way(names: Sequence[str], direction: Mapping[str, int]) -> NDArray[np.bool_]:
    return np.array([bool(direction.get(name, 0)) for name in names])


def _moved(
    row: NDArray[np.float32], names: Sequence[str], direction: Mapping[str, int],
    score: Callable[[NDArray[np.float32]], Floats],
) -> list[Telling]:  # fmt: skip
    without = np.repeat(row[None, :], len(names) + 1, axis=0)
    for at, name in enumerate(names):
        without[at, at] = _NONE.get(name, 0.0)
    scores = score(without)
    return [
        (names[at], float(row[at]), float(scores[-1] - scores[at]))
        for at in np.flatnonzero(_one_way(names, direction) & ~np.isnan(row)).tolist()
    ]


def _most(found: list[Telling]) -> tuple[Telling, ...]:
    told = [(name, round(value, 4), round(moved, 3)) for name, value, moved in found]
    return tuple(sorted((one for one in told if one[2]), key=lambda one: -abs(one[2]))[:_MOST])
