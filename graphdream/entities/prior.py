"""What is known beforehand: how often two names of a kind, with such facts, are one thing in small graphs.

A graph of ten records cannot show how sure its likeliest pairs are. What other graphs showed is worth the more, the
less this one has to say: up to `SMALL` records, a pair may merge by its kind of evidence (evidence.py) as well as by
the graph's own scores, if the share of true pairs among pairs like it, in small pieces of labelled graphs that were
left out of training, is high enough for the error budget by itself. Every kind has trees and a curve of its own, so
that the many easy pairs of one kind do not pay for the doubtful ones of another, and another curve for pairs that a
third record fits on both sides. Source: shrinkage towards what is known of similar groups (Efron and Morris 1975,
JASA 70:311).

Identifiers are too rare in the labelled graphs to learn from. By weight of evidence (Fellegi and Sunter 1969, JASA
64:1183) one that hardly anyone shares is nearly decisive and a different one of the same kind speaks against, so the
former lifts a pair to `DECISIVE`, and the latter holds it down to `OPPOSED`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from graphdream.entities.blocking import Candidates
from graphdream.entities.comparednames import compare_names, reading_of
from graphdream.entities.corpus import Floats, Ints
from graphdream.entities.evidence import APART, EVIDENCE, KINDS, Evidence, hear_evidence
from graphdream.entities.guards import hard_guards
from graphdream.entities.scorer import Compared
from graphdream.scoring.curve import Curve
from graphdream.scoring.trees import Trees

SMALL = 2_000
"""Records up to which what is known beforehand counts: the labelled pieces are smaller, and larger graphs say more."""
DECISIVE = 0.998
"""Probability of a pair that shares an identifier which hardly anyone else holds, unless its names are two."""
RIVAL = 0.8
"""Probability from which a thing whose name another name fits is a rival of another one which it fits, too."""
ASKED = 0.5
"""Probability at least of a pair that is asked about: names of which one is spelled by the initials of the other."""
SUPPORT = 0.9
"""Probability from which a pair supports another one that it shares a record with."""
MOST_TOGETHER = 64
"""Records of one group whose names are held against each other."""
OPPOSED = 0.9
"""Probability at most of a pair with different identifiers of one kind (people have two addresses, but seldom), or with
names that two things have, too."""


@dataclass(frozen=True, slots=True)
class Prior:
    """What kinds of evidence are worth.

    Attributes:
        trees: by `evidence.KINDS`, log-odds from `evidence.EVIDENCE`.
        curves: by the same, what they were worth on pieces of graphs that were left out.
        supported: the same for pairs that a third record fits on both sides.
    """

    trees: tuple[Trees, ...]
    curves: tuple[Curve, ...]
    supported: tuple[Curve, ...]

    def read(self, evidence: Evidence, scores: Floats) -> Floats:
        """What scores are worth, whatever else is in the graph, shape (pairs,); 0 where names are of no kind."""
        out = np.zeros(len(scores))
        for kind, curve in enumerate(self.curves):
            mine = evidence.kind == kind
            out[mine] = curve.at(scores[mine])
        return out

    def log_odds(self, kind: int, rows: NDArray[np.float32]) -> Floats:
        """Log-odds of pairs whose names are of one kind.

        Args:
            kind: index into `evidence.KINDS`.
            rows: shape (pairs, len(EVIDENCE)).
        """
        return self.trees[kind].log_odds(rows, EVIDENCE)

    def weigh(self, evidence: Evidence, candidates: Candidates) -> Floats:
        """Probability of every pair, shape (pairs,); 0 where its names are of no kind."""
        scores = np.full(len(evidence.kind), -np.inf)
        for kind in range(len(self.trees)):
            mine = evidence.kind == kind
            scores[mine] = self.log_odds(kind, evidence.table[mine])
        out = self.read(evidence, scores)
        third = find_support(candidates, out)
        for kind, curve in enumerate(self.supported):
            mine = (evidence.kind == kind) & third
            out[mine] = np.maximum(out[mine], curve.at(scores[mine]))
        by_name = evidence.kind >= 0
        shared = (evidence.identified > 0) & (by_name | evidence.named) & (evidence.signal("type") >= 0)
        out[shared] = np.maximum(out[shared], DECISIVE)
        out[evidence.spelled] = np.maximum(out[evidence.spelled], ASKED)
        out[evidence.opposed] = np.minimum(out[evidence.opposed], OPPOSED)
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Prior:
        """Read what `to_json` wrote."""
        return cls(
            tuple(map(Trees.from_json, data["trees"])),
            tuple(map(Curve.from_json, data["curves"])),
            tuple(map(Curve.from_json, data["supported"])),
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kinds": list(KINDS),
            "trees": [trees.to_json() for trees in self.trees],
            "curves": [curve.to_json() for curve in self.curves],
            "supported": [curve.to_json() for curve in self.supported],
        }


def find_support(candidates: Candidates, probability: Floats) -> NDArray[np.bool_]:
    """Whether a third record is likely one with both records of a pair, shape (pairs,)."""
    likely = probability >= SUPPORT
    left, right = candidates.left, candidates.right
    rows, cols = (np.concatenate(both) for both in ((left[likely], right[likely]), (right[likely], left[likely])))
    count = int(max(left.max(initial=0), right.max(initial=0))) + 1
    near = sparse.csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(count, count))
    return np.asarray((near @ near)[left, right]).ravel() > 0 if len(left) else np.zeros(0, dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beforehand of each pair of a graph.

    Attributes:
        probability: shape (pairs,), 0 where nothing is.
        apart: shape (pairs,), whether the names are those of two things, as a rule.
        opposed: shape (pairs,), whether different identifiers of one kind speak against the pair, or names that two
            things have, too.
    """

    probability: Floats
    apart: NDArray[np.bool_]
    opposed: NDArray[np.bool_]


def know_beforehand(prior: Prior, compared: Compared) -> Known | None:
    """Ask what is known of the pairs of a graph; None of a graph that is large enough to speak for itself."""
    if len(compared.records) > SMALL:
        return None
    evidence = hear_evidence(compared.records, compared.corpus, compared.candidates, compared.pairs)
    probability = prior.weigh(evidence, compared.candidates)
    for mask in hard_guards(compared.pairs).values():
        probability[mask] = 0.0
    _ask_about_rivals(probability, evidence.identified > 0, compared)
    return Known(probability, evidence.kind == APART, evidence.opposed)


def _ask_about_rivals(probability: Floats, identified: NDArray[np.bool_], compared: Compared) -> None:
    """Hold down pairs of a name that fits two others which are those of two things: a part of a name (Lena), an
    initial, a short form that two first names have (Pat), a company without its legal form. An identifier that a pair
    shares tells which of the two it is."""
    left, right = compared.candidates.left.tolist(), compared.candidates.right.tolist()
    wholes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in np.flatnonzero(probability >= RIVAL).tolist():
        wholes[left[row]].append((right[row], row))
        wholes[right[row]].append((left[row], row))
    for fits in wholes.values():
        for (one, row), (other, beside) in combinations(fits[:MOST_TOGETHER], 2):
            if _are_apart(compared, one, other):
                held = [at for at in (row, beside) if not identified[at]]
                probability[held] = np.minimum(probability[held], OPPOSED)


def _are_apart(compared: Compared, one: int, other: int) -> bool:
    """Whether the names of two records are those of two things."""
    a, b = compared.records[one], compared.records[other]
    return compare_names(a.name, b.name, reading_of(a, b)).apart


def two_things(compared: Compared, likely: Ints, by_graph: Ints) -> list[tuple[int, int]]:
    """Records whose names are those of two things, and which nothing but what is known beforehand would bring together.

    Args:
        compared: a small memory.
        likely: rows of the pairs that are to be merged.
        by_graph: those of them that merge by the graph's own scores, which know more of its misspellings.
    """
    group, told = _groups(compared, likely), _groups(compared, by_graph)
    merged = set(
        zip(compared.candidates.left[likely].tolist(), compared.candidates.right[likely].tolist(), strict=True)
    )
    members: dict[int, list[int]] = defaultdict(list)
    for at in sorted({*compared.candidates.left[likely].tolist(), *compared.candidates.right[likely].tolist()}):
        members[int(group[at])].append(at)
    return [
        (one, other)
        for together in members.values()
        for one, other in combinations(together[:MOST_TOGETHER], 2)
        if told[one] != told[other] and (one, other) not in merged and _are_apart(compared, one, other)
    ]


def _groups(compared: Compared, rows: Ints) -> Ints:
    """Which records some pairs connect, shape (records,): the number of each one's group."""
    ends = (compared.candidates.left[rows], compared.candidates.right[rows])
    graph = sparse.coo_matrix((np.ones(len(rows)), ends), shape=(len(compared.records),) * 2)
    return np.asarray(connected_components(graph, directed=False)[1])
