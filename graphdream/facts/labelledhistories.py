"""Histories of real notes with what git tells of them, for training and measurement only (labelled.py)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphdream.facts.bags import units_of
from graphdream.facts.labelledsets import LabelledFacts, asked_of, evidence_of, rows_of
from graphdream.facts.model import Fact, Subject
from graphdream.facts.signals import SIGNALS
from graphdream.facts.statements import Statement, beside_words
from graphdream.facts.wordweights import WordWeights
from graphdream.graph.names import canonical_text
from graphdream.language.formatting import bare
from graphdream.mutations.grounding import lost_specifics

Span = tuple[int, int]


class HistorySource:
    """Notes under version control, with what git tells of them."""

    def __init__(self, path: Path, history: Path, one_answer: WordWeights | None) -> None:
        self._one_answer = one_answer
        rows = list(rows_of(path))
        self.truth = json.loads(history.read_text(encoding="utf-8"))
        entities = {row["id"]: at for at, row in enumerate((r for r in rows if r["kind"] == "entity"), 1)}
        self.subjects = [
            Subject(entities[row["id"]], (row["name"],), row["type"], False) for row in rows if row["kind"] == "entity"
        ]
        aspects = {row["id"]: row["name"] for row in rows if row["kind"] == "aspect"}
        attributes = [row for row in rows if row["kind"] == "attribute"]
        self.ids = [row["id"] for row in attributes]
        self.facts = [
            Fact(
                id=at,
                entity=entities[row["entity_id"]],
                content=row["content"],
                aspect=aspects[row["aspect_id"]],
                kind="attribute",
                known_at=row["created_at"],
                source=row["source"],
                session=None,
                confidence=1.0,
                protected=False,
                last_at=row["updated_at"],
            )
            for at, row in enumerate(attributes)
        ]
        self.name = path.name.split(".")[0]

    def labelled(self, facts: Sequence[Fact], name: str) -> LabelledFacts:
        """Some of the facts, as if they were all."""
        present = {fact.entity for fact in facts}
        evidence = evidence_of(
            facts, [subject for subject in self.subjects if subject.id in present], (), self._one_answer
        )
        known = _History.of(evidence.said, self.ids, self.truth)
        one, other = evidence.ends_both_ways()
        same = [known.same(a, b) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
        older, newer, ordered = evidence.in_time()
        alike = ordered[:, SIGNALS.index("ratio")] * ordered[:, SIGNALS.index("same_aspect")]
        replaces = [
            known.replaces(a, b, like)
            for a, b, like in zip(older.tolist(), newer.tolist(), alike.tolist(), strict=True)
        ]
        # Nobody writes a line of notes by cutting another: whatever stood in a file once said something.
        empty = np.zeros(len(evidence.said))
        return LabelledFacts(
            name, self.truth["repo"], False, asked_of(evidence, np.array(same), np.array(replaces), empty)
        )


_EDITED = 0.6
"""Likeness from which a line of a heading that went when another came was edited into it."""


@dataclass(frozen=True, slots=True)
class _History:
    """What is true of the statements of a history.

    Attributes:
        said: the statements.
        spans: per statement, in which commits it stood, as [first, behind the last).
        current: statements that stand at the end.
        edited: (older, newer) of lines that were edited in place, over any number of edits.
    """

    said: Sequence[Statement]
    spans: Sequence[Sequence[Span]]
    current: frozenset[int]
    edited: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, said: Sequence[Statement], ids: Sequence[str], truth: Mapping[str, Any]) -> _History:
        home = {ids[fact.id]: statement.at for statement in said for fact in statement.facts}
        spans: list[list[Span]] = [[] for _ in said]
        for key, at in home.items():
            spans[at] += [(begin, end) for begin, end in truth["spans"][key]]
        edited = {
            (home[update["old"]], home[new])
            for update in truth["updates"]
            for new in update["chain"]
            if update["old"] in home and new in home
        }
        current = frozenset(home[key] for key in truth["current"] if key in home)
        return cls(said, spans, current, frozenset(edited))

    def _together(self, a: int, b: int) -> bool:
        return any(x[0] < y[1] and y[0] < x[1] for x in self.spans[a] for y in self.spans[b])

    def same(self, one: int, other: int) -> float:
        """Whether the other statement says all that the one says and little more: its words, specifics and marks.

        A short line of which a long one happens to have all words is not said by it: `Priority: high` of one task is in
        many lines about others.
        """
        less, more = (self.said[at].facts[0].content for at in (one, other))
        if _beside_differs(less, more):
            return 0.0
        if canonical_text(less) == canonical_text(more):
            return 1.0
        mine, others = (set(units_of(self.said[at].reading)) for at in (one, other))
        held = mine <= others and not lost_specifics((less,), more, ())
        if not held or len(mine) >= _MOST_OF * len(others):
            return float(held)
        return 1.0 if bare(more).casefold().startswith(bare(less).casefold()) else 0.0

    def replaces(self, older: int, newer: int, alike: float) -> float:
        """Whether the newer statement replaced the older one; nobody knows of a line that went at another time."""
        first, second = (self.said[at].facts[0].content for at in (older, newer))
        if canonical_text(first) == canonical_text(second) and not _beside_differs(first, second):
            return 0.0
        if self._together(older, newer) or older in self.current:
            return 0.0
        if (older, newer) in self.edited:
            return 1.0
        went = max((end for _, end in self.spans[older]), default=0)
        came = min((begin for begin, _ in self.spans[newer]), default=-1)
        return 1.0 if went == came and alike >= _EDITED else np.nan


_MOST_OF = 0.6
"""Share of the units of a line that a shorter one must have for the longer to be the same thing in more words."""


def _beside_differs(first: str, second: str) -> bool:
    marks = beside_words(first), beside_words(second)
    return bool(marks[0] and marks[1]) and marks[0] != marks[1]
