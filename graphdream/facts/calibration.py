"""The shipped scorers of facts: for each question, and what their scores turned out to be worth.

Each was trained on histories of real memories and on generated graphs; what its scores are worth was read off
repositories and vocabularies left out of training (train.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import signals
from graphdream.facts.ownweights import OwnWeights
from graphdream.scoring.curve import Curve
from graphdream.scoring.trees import Floats, Trees

FORMAT = 3
KINDS = ("told", "written")
"""Facts told in sessions, and lines that somebody wrote into a file, are two populations: who extracts facts says one
thing in many ways, who keeps notes edits a line. Each has a scorer that has seen its kind only."""
ASKED_BY_KIND = ("same", "replaces")
"""Does the other say all that the one says; does the newer replace the older."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A scorer for one question.

    Attributes:
        trees: the scorer.
        calibrated: what its log-odds are worth, on sets left out of training.
        measured: figures on left-out sets, for the documentation.
    """

    trees: Trees
    calibrated: Curve
    measured: Mapping[str, Any] = field(default_factory=dict)

    def probability(self, table: NDArray[np.float32], names: Sequence[str]) -> Floats:
        """Calibrated probability, shape (rows,), that the answer is yes."""
        if not len(table):
            return np.zeros(0)
        return self.calibrated.at(self.trees.log_odds(table, names))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Judge:
        """Read what `to_json` wrote."""
        return cls(Trees.from_json(data["trees"]), Curve.from_json(data["calibrated"]), data.get("measured", {}))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "measured": dict(self.measured),
            "calibrated": self.calibrated.to_json(),
            "trees": self.trees.to_json(),
        }


@dataclass(frozen=True, slots=True)
class PairJudge:
    """A scorer for one question about two statements: one for each kind.

    Attributes:
        told: for pairs of which one was told in a session.
        written: for pairs of lines of files.
    """

    told: Judge
    written: Judge

    def log_odds(self, table: NDArray[np.float32]) -> Floats:
        """Shape (pairs,), each by the scorer of its kind; columns as in `signals.SIGNALS`."""
        written = table[:, _WRITTEN] > 0
        out = np.zeros(len(table))
        for judge, rows in ((self.told, ~written), (self.written, written)):
            if rows.any():
                out[rows] = judge.trees.log_odds(table[rows], signals.SIGNALS)
        return out

    def worth(self, odds: Floats, table: NDArray[np.float32]) -> Floats:
        """Calibrated probability of what `log_odds` said of the same pairs."""
        written = table[:, _WRITTEN] > 0
        return np.where(written, self.written.calibrated.at(odds), self.told.calibrated.at(odds))

    def probability(self, table: NDArray[np.float32]) -> Floats:
        """Calibrated probability, shape (pairs,), that the answer is yes."""
        return self.worth(self.log_odds(table), table)

    def of(self, row: NDArray[np.float32]) -> Judge:
        """The scorer for one pair."""
        return self.written if row[_WRITTEN] > 0 else self.told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PairJudge:
        """Read what `to_json` wrote."""
        return cls(*(Judge.from_json(data[kind]) for kind in KINDS))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"told": self.told.to_json(), "written": self.written.to_json()}


_WRITTEN = signals.SIGNALS.index("written")


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Scorers of what replaced what among things told that were taught otherwise than the first (secondopinion.py).

    Attributes:
        replaces: does the newer statement replace the older.
        changes: did the later of two things replace the earlier.
        own_words: what words tell that only one of two statements has.
    """

    replaces: Judge
    changes: Judge
    own_words: OwnWeights

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SecondOpinion:
        """Read what `to_json` wrote."""
        replaces, changes = (Judge.from_json(data[name]) for name in ("replaces", "changes"))
        return cls(replaces, changes, OwnWeights.from_json(data["own_words"]))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        own_words = self.own_words.to_json()
        return {"replaces": self.replaces.to_json(), "changes": self.changes.to_json(), "own_words": own_words}


@dataclass(frozen=True, slots=True)
class Calibration:
    """The judges, and the command that made them.

    Attributes:
        same: does the other statement say all that the one says.
        replaces: does the newer statement replace the older.
        changes: did the later of two things replace the earlier (changes.py); of what was told.
        empty: does a statement say nothing.
        second: what other scorers hold of changes.
    """

    same: PairJudge
    replaces: PairJudge
    changes: Judge
    empty: Judge
    second: SecondOpinion
    command: str

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Calibration:
        """Read what `to_json` wrote.

        Raises:
            ValueError: it was written for another format.
        """
        if data.get("format") != FORMAT:
            raise ValueError(f"format {data.get('format')} of the calibration of facts; this program reads {FORMAT}")
        same, replaces = (PairJudge.from_json(data[name]) for name in ASKED_BY_KIND)
        changes, empty = (Judge.from_json(data[name]) for name in ("changes", "empty"))
        return cls(same, replaces, changes, empty, SecondOpinion.from_json(data["second"]), data["command"])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        judges: dict[str, Judge | PairJudge]
        judges = {"same": self.same, "replaces": self.replaces, "changes": self.changes, "empty": self.empty}
        found = {name: judge.to_json() for name, judge in judges.items()}
        return {"format": FORMAT, "command": self.command, **found, "second": self.second.to_json()}


@lru_cache(maxsize=1)
def shipped() -> Calibration:
    """The calibration that comes with the program."""
    text = resources.files("graphdream.facts").joinpath("calibration.json").read_text(encoding="utf-8")
    return Calibration.from_json(json.loads(text))
