"""The shipped calibration: the scorers, and how sure they turned out to be on labelled graphs they had not seen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

import numpy as np

from graphdream.resolve.closure import measure_closure
from graphdream.resolve.corpus import Floats
from graphdream.resolve.guards import GUARDED, guard_scores
from graphdream.resolve.isolation import stand_off
from graphdream.resolve.owncut import measure_own_cut
from graphdream.resolve.scorer import Compared, Scorer
from graphdream.resolve.selftraining import self_trained
from graphdream.resolve.witnesses import KINDS, find_commonplace, hear_witnesses

FORMAT = 5
Sort = Literal["auto", "memory", "list"]
"""A memory of many kinds of things, a list of one kind, or whatever the graph looks like."""
MIXED_KINDS = 1.5
"""Effective number of entity types at and above which a graph is a memory, below which a list of one kind."""


@dataclass(frozen=True, slots=True)
class Curve:
    """What a figure is worth: probability that a pair is one thing, rising with the figure.

    Attributes:
        steps: figures at which `truth` is given, ascending.
        truth: share of true pairs there, on labelled graphs.
    """

    steps: tuple[float, ...]
    truth: tuple[float, ...]

    def at(self, figures: Floats) -> Floats:
        """Probabilities, interpolated between the steps."""
        return np.asarray(np.interp(figures, self.steps, self.truth))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Curve:
        """Read what `to_json` wrote."""
        return cls(tuple(data["steps"]), tuple(data["truth"]))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"steps": [round(x, 4) for x in self.steps], "truth": [round(x, 6) for x in self.truth]}


@dataclass(frozen=True, slots=True)
class Expert:
    """A scorer for one sort of graph, and what its scores are worth.

    Attributes:
        scorer: the two looks.
        usual_cut: log-odds of the trees near which a graph's own cut is looked for, best (pairwise F1) on graphs left
            out of training.
        calibrated: what a log-odds was worth on graphs left out of training.
        sets: the labelled graphs it was made from.
        agreed: for each of `witnesses.KINDS`, what the weight of two witnesses' agreement is worth; empty for an
            expert whose own probability counts inside an error budget.
        isolated: what standing off from all others is worth (isolation.py); None for such an expert.
        own_cut: for an expert whose scores are told again in a list's own terms (selftraining.py), the cut of those
            near which a list's own is looked for; None for one whose trees have the last word.
        measured: figures on left-out graphs, for the documentation.
    """

    scorer: Scorer
    usual_cut: float
    calibrated: Curve
    sets: tuple[str, ...]
    agreed: tuple[Curve, ...] = ()
    isolated: Curve | None = None
    own_cut: float | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)

    def score(self, compared: Compared) -> Floats:
        """Log-odds, shape (pairs,), that each pair is one thing, hard guards applied."""
        scores = guard_scores(compared.pairs, self.scorer.log_odds(compared))
        return scores if self.own_cut is None else retell(compared, scores, self._cut_by_closure(compared, scores))

    def cut(self, compared: Compared, log_odds: Floats) -> float:
        """Log-odds above which merging this graph is likely best on the whole (pairwise F1)."""
        if self.own_cut is None:
            return self._cut_by_closure(compared, log_odds)
        return measure_own_cut(log_odds).at(self.own_cut)

    def _cut_by_closure(self, compared: Compared, log_odds: Floats) -> float:
        pairs = compared.candidates
        return measure_closure(len(compared.records), pairs.left, pairs.right, log_odds).cut(self.usual_cut)

    def probability(self, log_odds: Floats) -> Floats:
        """Calibrated probability, shape (pairs,)."""
        return self.calibrated.at(log_odds)

    def certainty(self, compared: Compared, log_odds: Floats) -> Floats:
        """Probability, shape (pairs,), by what two witnesses agree on or what stands off; 0 where nothing speaks.

        Args:
            compared: a list.
            log_odds: shape (pairs,), by this expert.
        """
        sure = weigh_agreement(self.agreed, compared)
        if self.isolated is None:
            return sure
        return np.maximum(sure, self.isolated.at(stand_off(compared, log_odds - self.cut(compared, log_odds))))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Expert:
        """Read what `to_json` wrote."""
        return cls(
            scorer=Scorer.from_json(data["scorer"]),
            usual_cut=float(data["usual_cut"]),
            calibrated=Curve.from_json(data["calibrated"]),
            sets=tuple(data["sets"]),
            agreed=tuple(map(Curve.from_json, data["agreed"])),
            isolated=Curve.from_json(data["isolated"]) if data.get("isolated") else None,
            own_cut=data["own_cut"],
            measured=data.get("measured", {}),
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "sets": list(self.sets),
            "measured": dict(self.measured),
            "usual_cut": round(self.usual_cut, 4),
            "own_cut": self.own_cut,
            "calibrated": self.calibrated.to_json(),
            "agreed": [curve.to_json() for curve in self.agreed],
            **({} if self.isolated is None else {"isolated": self.isolated.to_json()}),
            "scorer": self.scorer.to_json(),
        }


def retell(compared: Compared, log_odds: Floats, cut: float) -> Floats:
    """Scores in a list's own terms, shape (pairs,), hard guards applied.

    A name that far more records bear than is usual in the list (the title of a column in a list of articles) does not
    make two records one of whom different things are told: such pairs are held down as guarded ones are.

    Args:
        compared: the list.
        log_odds: shape (pairs,), by the trees, hard guards applied.
        cut: the list's cut of them.
    """
    told = self_trained(compared.pairs.table, log_odds, cut)
    common = find_commonplace(compared.corpus, compared.pairs)
    return guard_scores(compared.pairs, np.where(common, np.minimum(told, GUARDED), told))


def weigh_agreement(curves: Sequence[Curve], compared: Compared) -> Floats:
    """Probability, shape (pairs,), by one curve for each of `witnesses.KINDS`; 0 where there are no two witnesses."""
    heard = hear_witnesses(compared.corpus, compared.pairs)
    sure = np.zeros(len(heard.kind))
    for kind, curve in zip(range(len(KINDS)), curves, strict=True):
        mine = heard.kind == kind
        sure[mine] = curve.at(heard.weight[mine])
    return sure


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns signals into a decision.

    Attributes:
        memory: expert for graphs of many kinds of things (an agent's memory).
        listing: expert for lists of one kind of thing (companies, albums, extracted names without types).
        command: what made it.
    """

    memory: Expert
    listing: Expert
    command: str

    def expert(self, compared: Compared, sort: Sort = "auto") -> Expert:
        """The expert for a graph; "auto" chooses by how many kinds of things it holds."""
        if sort == "auto":
            return self.memory if compared.kinds >= MIXED_KINDS else self.listing
        return self.memory if sort == "memory" else self.listing

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Calibration:
        """Read what `to_json` wrote.

        Raises:
            ValueError: written by another version of the format.
        """
        if data.get("format") != FORMAT:
            raise ValueError(f"calibration format {data.get('format')!r}, this version reads {FORMAT}")
        return cls(Expert.from_json(data["memory"]), Expert.from_json(data["listing"]), data["command"])

    def to_json(self) -> dict[str, Any]:
        """The artefact as plain data."""
        return {
            "format": FORMAT,
            "command": self.command,
            "memory": self.memory.to_json(),
            "listing": self.listing.to_json(),
        }


@lru_cache(maxsize=1)
def shipped() -> Calibration:
    """The calibration that comes with the package."""
    text = resources.files("graphdream.resolve").joinpath("calibration.json").read_text(encoding="utf-8")
    return Calibration.from_json(json.loads(text))


def wilson(hits: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Interval of a share.

    Args:
        hits: events seen.
        trials: draws; 0 gives (0, 1).
        z: width in standard errors, 1.96 for 95 %.

    Returns:
        Lower and upper bound in 0..1.

    Source: Wilson 1927, JASA 22:209.
    """
    if trials <= 0:
        return 0.0, 1.0
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    low = 0.0 if hits == 0 else max(0.0, float(centre - half))
    high = 1.0 if hits == trials else min(1.0, float(centre + half))
    return low, high


def threshold_for(probability: Floats, max_false_merge_rate: float) -> float:
    """The lowest probability at which the merges above it stay inside an error budget.

    Args:
        probability: shape (pairs,), calibrated.
        max_false_merge_rate: share of the merged pairs that may be wrong, in 0..1.

    Returns:
        Threshold in 0..1; above 1 where no pair fits the budget.
    """
    values = np.sort(np.asarray(probability, dtype=np.float64))[::-1]
    if not len(values):
        return 1.0
    wrong = np.cumsum(1.0 - values) / np.arange(1, len(values) + 1)
    inside = np.flatnonzero(wrong <= max_false_merge_rate)
    return float(values[inside[-1]]) if len(inside) else 1.01
