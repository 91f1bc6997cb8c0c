"""The shipped calibration: the scorers, and how sure they turned out to be on labelled graphs they had not seen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

import numpy as np

from graphdream.entities.closure import measure_closure
from graphdream.entities.corpus import Floats
from graphdream.entities.guards import GUARDED, guard_scores
from graphdream.entities.isolation import stand_off
from graphdream.entities.owncut import measure_own_cut
from graphdream.entities.prior import Known, Prior, know_beforehand
from graphdream.entities.scorer import Compared, Scorer
from graphdream.entities.selftraining import self_trained
from graphdream.entities.witnesses import KINDS, find_commonplace, hear_witnesses
from graphdream.scoring.curve import Curve

FORMAT = 6
Sort = Literal["auto", "memory", "list"]
"""A memory of many kinds of things, a list of one kind, or whatever the graph looks like."""
MIXED_KINDS = 1.5
"""Effective number of entity types at and above which a graph is a memory, below which a list of one kind."""
SHORT = 120
"""Records below which nothing tells a list from a memory that begins: it has no terms of its own yet."""


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
        prior: what kinds of evidence are worth in a small memory.
        command: what made it.
    """

    memory: Expert
    listing: Expert
    prior: Prior
    command: str

    def expert(self, compared: Compared, sort: Sort = "auto") -> Expert:
        """The expert for a graph; "auto" chooses by how many kinds of things it holds, and how many things."""
        if sort == "auto":
            mixed = compared.kinds >= MIXED_KINDS or len(compared.records) < SHORT
            return self.memory if mixed else self.listing
        return self.memory if sort == "memory" else self.listing

    def known(self, compared: Compared, expert: Expert) -> Known | None:
        """What is known beforehand of the pairs of a small memory; None of a list, or of a larger graph."""
        return know_beforehand(self.prior, compared) if expert is self.memory else None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Calibration:
        """Read what `to_json` wrote.

        Raises:
            ValueError: written by another version of the format.
        """
        if data.get("format") != FORMAT:
            raise ValueError(f"calibration format {data.get('format')!r}, this version reads {FORMAT}")
        return cls(
            Expert.from_json(data["memory"]), Expert.from_json(data["listing"]), Prior.from_json(data["prior"]),
            data["command"],
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The artefact as plain data."""
        return {
            "format": FORMAT,
            "command": self.command,
            "memory": self.memory.to_json(),
            "listing": self.listing.to_json(),
            "prior": self.prior.to_json(),
        }


@lru_cache(maxsize=1)
def shipped() -> Calibration:
    """The calibration that comes with the package."""
    text = resources.files("graphdream.entities").joinpath("calibration.json").read_text(encoding="utf-8")
    return Calibration.from_json(json.loads(text))
