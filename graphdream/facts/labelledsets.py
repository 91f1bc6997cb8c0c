"""What is known of labelled memories: questions about their rows, each with its answer (labelled.py)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.evidence import Evidence, gather_evidence
from graphdream.facts.model import Fact, Subject
from graphdream.facts.ownweights import OwnWords
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.statements import Statement, StatementMaker
from graphdream.facts.wordweights import WordWeights
from graphdream.language.formatting import bare
from graphdream.mutations.specifics import tokens

Labels = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about many rows of a labelled memory.

    Attributes:
        table: shape (rows, signals).
        truth: shape (rows,): 1.0 yes, 0.0 no, NaN where nobody knows.
        own: of changes, the own words of the older and of the newer statement of each row (ownwords.py).
    """

    table: NDArray[np.float32]
    truth: Labels
    own: Sequence[tuple[OwnWords, OwnWords]] = ()


@dataclass(frozen=True, slots=True)
class LabelledFacts:
    """A memory whose truth is known.

    Attributes:
        name: of the set.
        family: a repository, or a vocabulary; it is left out as a whole.
        generated: whether a generator wrote it.
        asked: the questions about statements by name.
        memories: of a generated set, the memories that it is made of.
    """

    name: str
    family: str
    generated: bool
    asked: Mapping[str, Asked]
    memories: tuple[LabelledMemory, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledMemory:
    """One generated memory, measured, with what is true of its statements.

    Attributes:
        evidence: what was measured.
        known: per statement, what is true of it.
        later: stale or current fact -> the facts that replaced it.
        names: entity -> its names.
    """

    evidence: Evidence
    known: tuple[Generated, ...]
    later: Mapping[str, frozenset[str]]
    names: Mapping[int, tuple[str, ...]]

    @property
    def junk(self) -> frozenset[int]:
        """Positions of statements that say nothing."""
        return frozenset(at for at, one in enumerate(self.known) if one.junk)

    def replaced(self, older: Collection[int], newer: Collection[int]) -> float:
        """Whether one thing replaced another, each given by the statements that say it; NaN where nobody knows."""
        before = {fact for at in older if (fact := self.known[at].fact)}
        after = {fact for at in newer if (fact := self.known[at].fact)}
        if not before:
            return np.nan
        if not after or not all(self.later[fact] for fact in before):
            return 0.0
        if not after & frozenset().union(*(self.later[fact] for fact in before)):
            return 0.0
        return 1.0 if any(self.known[at].complete for at in newer) else np.nan


@dataclass(frozen=True, slots=True)
class Generated:
    """What is true of a generated statement: the fact it states, whether all of it, or that it is junk.

    Attributes:
        text: what it says, for comparison.
        also: facts that it may state besides.
    """

    fact: str | None
    complete: bool
    junk: bool
    text: str
    also: frozenset[str] = frozenset()

    @classmethod
    def of(cls, statement: Statement, ids: Sequence[str], truth: Mapping[str, Mapping[str, Any]]) -> Generated:
        """From the rows of the truth that a statement's facts have; `ids` are those of the facts."""
        rows = [truth[ids[fact.id]] for fact in statement.facts]
        facts = [row["fact"] for row in rows if row["fact"]]
        return cls(
            facts[0] if facts else None,
            any(row["complete"] for row in rows),
            any(row["gold"] == "junk" for row in rows),
            bare(statement.facts[0].content).casefold(),
            frozenset(row["also"] for row in rows if row.get("also")),
        )


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of lines of JSON, packed by gzip."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def evidence_of(
    facts: Sequence[Fact], subjects: Sequence[Subject], texts: Sequence[str], one_answer: WordWeights | None
) -> Evidence:
    """What is measured of facts; `texts` are those of the sessions."""
    whole = frozenset(token.text for text in texts for token in tokens(text))
    maker = StatementMaker(facts, subjects, ReadingMemory())
    return gather_evidence(facts, (), subjects, maker, whole, one_answer=one_answer)


def asked_of(evidence: Evidence, same: Labels, replaces: Labels, empty: Labels) -> dict[str, Asked]:
    """The questions about statements by name, from the answers to each."""
    return {
        "same": Asked(evidence.both_ways()[2], same),
        "replaces": Asked(evidence.in_time()[2], replaces),
        "empty": Asked(evidence.alone, empty),
    }
