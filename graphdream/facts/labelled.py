"""Memories whose truth is known, for training and measurement only: generated graphs, and histories of real notes.

A history is what git tells of notes under version control: lines that stood together in one commit were all true then,
a line edited in place replaced the one before, and what stands at the end is current.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.answers import Sentences
from graphdream.facts.bags import units_of
from graphdream.facts.evidence import Evidence, gather_evidence
from graphdream.facts.model import Fact, Subject
from graphdream.facts.oneanswer import OneAnswer, unknown
from graphdream.facts.reading import TYPED, ReadingMemory
from graphdream.facts.signals import SIGNALS
from graphdream.facts.statements import Statement, StatementMaker, beside_words
from graphdream.graph.names import canonical_text
from graphdream.language.formatting import bare
from graphdream.mutations.grounding import lost_specifics
from graphdream.mutations.specifics import tokens

OF_A_HISTORY = "told-"
"""What the family of a history begins with whose lines are told (tools/told_history.py); its repository follows."""
Labels = NDArray[np.float64]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about many rows of a labelled memory.

    Attributes:
        table: shape (rows, signals).
        truth: shape (rows,): 1.0 yes, 0.0 no, NaN where nobody knows.
    """

    table: NDArray[np.float32]
    truth: Labels


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
    known: tuple[_Generated, ...]
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


def read_labelled(path: Path, one_answer: OneAnswer | None = None) -> list[LabelledFacts]:
    """A memory with its truth beside it, and small memories made of parts of it.

    What a memory shows of its sentences hangs on its size, and everybody begins with a small one.

    Args:
        path: `PREFIX.jsonl.gz`, with `PREFIX.gold.jsonl.gz` (a generated graph) or `PREFIX.gold.json` (a history).
        one_answer: tells which sentences have one answer at a time; it should not have seen this memory's family.

    Raises:
        FileNotFoundError: the truth is missing.
    """
    history = path.with_name(path.name.replace(".jsonl.gz", ".gold.json"))
    source = _HistorySource(path, history, one_answer) if history.exists() else _GraphSource(path, one_answer)
    entities = sorted({fact.entity for fact in source.facts})
    out = [source.labelled(source.facts, source.name)]
    for size, count in PARTS:
        if len(entities) >= 2 * size:
            drawn = np.random.default_rng(size).permutation(entities)
            parts = [set(drawn[at * size : (at + 1) * size].tolist()) for at in range(min(count, len(drawn) // size))]
            pieces = [source.labelled([f for f in source.facts if f.entity in part], "") for part in parts]
            out.append(_together(pieces, f"{source.name}/{size}"))
    return out


PARTS = ((4, 24), (15, 8), (60, 2))
"""Entities of a small memory, and how many such are made of one that is large enough."""


def _together(pieces: Sequence[LabelledFacts], name: str) -> LabelledFacts:
    asked = {
        question: Asked(
            np.concatenate([one.asked[question].table for one in pieces]),
            np.concatenate([one.asked[question].truth for one in pieces]),
        )
        for question in pieces[0].asked
    }
    memories = tuple(memory for one in pieces for memory in one.memories)
    return LabelledFacts(name, pieces[0].family, pieces[0].generated, asked, memories)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def read_sentences(path: Path) -> Sentences:
    """The sentences of a generated graph (`read_labelled`)."""
    source = _GraphSource(path, unknown())
    return source.sentences()


def _evidence(
    facts: Sequence[Fact], subjects: Sequence[Subject], texts: Sequence[str], one_answer: OneAnswer | None
) -> Evidence:
    whole = frozenset(token.text for text in texts for token in tokens(text))
    maker = StatementMaker(facts, subjects, ReadingMemory())
    return gather_evidence(facts, (), subjects, maker, whole, one_answer=one_answer)


def _asked(evidence: Evidence, same: Labels, replaces: Labels, empty: Labels) -> dict[str, Asked]:
    return {
        "same": Asked(evidence.both_ways()[2], same),
        "replaces": Asked(evidence.in_time()[2], replaces),
        "empty": Asked(evidence.alone, empty),
    }


class _GraphSource:
    """A generated graph with its truth."""

    def __init__(self, path: Path, one_answer: OneAnswer | None) -> None:
        self._one_answer = one_answer
        rows = list(_lines(path))
        gold = _lines(path.with_name(path.name.replace(".jsonl", ".gold.jsonl")))
        self._truth = {row["id"]: row for row in gold if row["kind"] != "gold_meta"}
        self.facts, self._subjects, self._ids = _merged(rows, self._truth)
        self._texts = [row["text"] for row in rows if row["kind"] == "session_summary"]
        meta = next(row for row in rows if row["kind"] == "meta")
        self._family, self._same_known = meta["vocab"], meta.get("same_known", True)
        self.name = path.name.split(".")[0]

    def labelled(self, facts: Sequence[Fact], name: str) -> LabelledFacts:
        """Some of the facts, as if they were all."""
        present = {fact.entity for fact in facts}
        subjects = [subject for subject in self._subjects if subject.id in present]
        texts = self._texts if len(facts) == len(self.facts) else ()
        evidence = _evidence(facts, subjects, texts, self._one_answer)
        known = [_Generated.of(statement, self._ids, self._truth) for statement in evidence.said]
        later = {fact: _successors(fact, self._truth) for fact in {one.fact for one in known if one.fact}}
        one, other, _ = evidence.both_ways()
        same = [
            _generated_same(known[a], known[b]) if self._same_known else np.nan
            for a, b in zip(one.tolist(), other.tolist(), strict=True)
        ]
        older, newer, _ = evidence.in_time()
        replaces = [
            _generated_replaces(known[a], known[b], later) for a, b in zip(older.tolist(), newer.tolist(), strict=True)
        ]
        empty = [float(k.junk and not s.protected) for k, s in zip(known, evidence.said, strict=True)]
        memory = LabelledMemory(evidence, tuple(known), later, {one.id: one.names for one in subjects})
        asked = _asked(evidence, np.array(same), np.array(replaces), np.array(empty))
        return LabelledFacts(name, self._family, True, asked, (memory,))

    def sentences(self) -> Sentences:
        """What is said of one fact, in full."""
        said = StatementMaker(self.facts, self._subjects, ReadingMemory()).make(self.facts)
        known = [_Generated.of(statement, self._ids, self._truth) for statement in said]
        kept = [statement.at for statement, one in zip(said, known, strict=True) if one.fact and one.complete]
        facts = {key: row for key, row in self._truth.items() if row["kind"] == "fact"}
        changing = frozenset(row["relation"] for row in facts.values() if row["status"] == "superseded")
        held = Counter((row["cluster"], row["relation"]) for row in facts.values() if row["status"] == "current")
        several = {relation for (_, relation), count in held.items() if count > 1}
        several |= {row["relation"] for row in facts.values() if row["episodic"]}
        relation = tuple(facts[str(known[at].fact)]["relation"] for at in kept)
        words = tuple(
            tuple(sorted(word for kind, word in units_of(said[at].reading) if kind not in TYPED)) for at in kept
        )
        return Sentences(self._family, words, relation, changing, frozenset(several))


def _merged(
    rows: Sequence[Mapping[str, Any]], truth: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Fact], list[Subject], list[str]]:
    """The facts of a generated graph under its true entities, and their ids in the file."""
    entities = {row["id"]: row for row in rows if row["kind"] == "entity"}
    numbers: dict[str, int] = {}
    home = {
        key: numbers.setdefault(truth[key]["cluster"] if truth[key]["label"] == "real" else key, len(numbers) + 1)
        for key in entities
    }
    named: dict[int, list[str]] = defaultdict(list)
    types: dict[int, Counter[str]] = defaultdict(Counter)
    for key, row in entities.items():
        named[home[key]].append(row["name"])
        types[home[key]][row["type"]] += 1
    pinned = {home[key] for key, row in entities.items() if row["pinned"]}
    for cluster, number in numbers.items():
        if cluster in truth and truth[cluster]["kind"] == "cluster":
            named[number].insert(0, truth[cluster]["name"])
    subjects = [
        Subject(number, tuple(dict.fromkeys(names)), types[number].most_common(1)[0][0], number in pinned)
        for number, names in sorted(named.items())
    ]
    aspects = {row["id"]: row["name"] for row in rows if row["kind"] == "aspect"}
    attributes = [row for row in rows if row["kind"] == "attribute"]
    facts = [
        Fact(
            id=at,
            entity=home[row["entity_id"]],
            content=row["content"],
            aspect=aspects[row["aspect_id"]],
            kind=row["attribute_kind"],
            known_at=row["created_at"],
            source=row["source"],
            session=row["session_id"],
            confidence=row["confidence"],
            protected=row["attribute_kind"] == "constraint" or entities[row["entity_id"]]["pinned"],
        )
        for at, row in enumerate(attributes)
    ]
    return facts, subjects, [row["id"] for row in attributes]


@dataclass(frozen=True, slots=True)
class _Generated:
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
    def of(cls, statement: Statement, ids: Sequence[str], truth: Mapping[str, Mapping[str, Any]]) -> _Generated:
        rows = [truth[ids[fact.id]] for fact in statement.facts]
        facts = [row["fact"] for row in rows if row["fact"]]
        return cls(
            facts[0] if facts else None,
            any(row["complete"] for row in rows),
            any(row["gold"] == "junk" for row in rows),
            bare(statement.facts[0].content).casefold(),
            frozenset(row["also"] for row in rows if row.get("also")),
        )


def _successors(fact: str, truth: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    found: dict[str, None] = {}
    at = truth[fact].get("superseded_by")
    while at and at not in found:
        found[at] = None
        at = truth[at].get("superseded_by")
    return frozenset(found)


def _generated_same(one: _Generated, other: _Generated) -> float:
    if other.junk:
        return np.nan if one.junk else 0.0
    if one.junk or not one.fact or not other.fact:
        return np.nan
    if one.fact != other.fact:
        return np.nan if one.fact in other.also else 0.0
    return 1.0 if other.complete or other.text.startswith(one.text) else np.nan


def _generated_replaces(older: _Generated, newer: _Generated, later: Mapping[str, frozenset[str]]) -> float:
    if older.junk or newer.junk:
        return np.nan if older.junk else 0.0
    if not older.fact or not newer.fact:
        return np.nan
    if newer.fact not in later[older.fact]:
        return 0.0
    return 1.0 if newer.complete else np.nan


class _HistorySource:
    """Notes under version control, with what git tells of them."""

    def __init__(self, path: Path, history: Path, one_answer: OneAnswer | None) -> None:
        self._one_answer = one_answer
        rows = list(_lines(path))
        self._truth = json.loads(history.read_text(encoding="utf-8"))
        entities = {row["id"]: at for at, row in enumerate((r for r in rows if r["kind"] == "entity"), 1)}
        self._subjects = [
            Subject(entities[row["id"]], (row["name"],), row["type"], False) for row in rows if row["kind"] == "entity"
        ]
        aspects = {row["id"]: row["name"] for row in rows if row["kind"] == "aspect"}
        attributes = [row for row in rows if row["kind"] == "attribute"]
        self._ids = [row["id"] for row in attributes]
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
        evidence = _evidence(
            facts, [subject for subject in self._subjects if subject.id in present], (), self._one_answer
        )
        known = _History.of(evidence.said, self._ids, self._truth)
        one, other, _ = evidence.both_ways()
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
            name, self._truth["repo"], False, _asked(evidence, np.array(same), np.array(replaces), empty)
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
