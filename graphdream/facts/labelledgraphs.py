"""Generated graphs with their truth, for training and measurement only (labelled.py)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphdream.facts.answers import Sentences
from graphdream.facts.bags import units_of
from graphdream.facts.labelledsets import Generated, LabelledFacts, LabelledMemory, asked_of, evidence_of, rows_of
from graphdream.facts.model import Fact, Subject
from graphdream.facts.reading import TYPED, ReadingMemory
from graphdream.facts.statements import StatementMaker
from graphdream.facts.wordweights import WordWeights

OF_A_PACK = "hold-"
"""What the family of a memory begins with that was drawn from a word pack (tools/both_hold.py)."""
OF_A_HISTORY = "told-"
"""What the family of a history begins with whose lines are told (tools/told_history.py); its repository follows."""


class GraphSource:
    """A generated graph with its truth."""

    def __init__(self, path: Path, one_answer: WordWeights | None) -> None:
        self._one_answer = one_answer
        rows = list(rows_of(path))
        gold = rows_of(path.with_name(path.name.replace(".jsonl", ".gold.jsonl")))
        self.truth = {row["id"]: row for row in gold if row["kind"] != "gold_meta"}
        self.facts, self.subjects, self.ids = _merged(rows, self.truth)
        self._texts = [row["text"] for row in rows if row["kind"] == "session_summary"]
        meta = next(row for row in rows if row["kind"] == "meta")
        self._family, self._same_known = meta["vocab"], meta.get("same_known", True)
        self.name = path.name.split(".")[0]

    def labelled(self, facts: Sequence[Fact], name: str) -> LabelledFacts:
        """Some of the facts, as if they were all."""
        present = {fact.entity for fact in facts}
        subjects = [subject for subject in self.subjects if subject.id in present]
        texts = self._texts if len(facts) == len(self.facts) else ()
        evidence = evidence_of(facts, subjects, texts, self._one_answer)
        known = [Generated.of(statement, self.ids, self.truth) for statement in evidence.said]
        later = {fact: _successors(fact, self.truth) for fact in {one.fact for one in known if one.fact}}
        one, other = evidence.ends_both_ways()
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
        asked = asked_of(evidence, np.array(same), np.array(replaces), np.array(empty))
        return LabelledFacts(name, self._family, True, asked, (memory,))

    def of_few(self, count: int) -> list[LabelledFacts]:
        """So many memories of two to eight tellings of one entity: two to five that answer one question, and at times
        some others. Fewer where the graph has no such entity."""
        draw = random.Random(self.name)
        told = defaultdict[int, list[Fact]](list)
        for fact in self.facts:
            told[fact.entity].append(fact)
        homes = sorted(entity for entity, facts in told.items() if len(facts) > 1)
        drawn = [self._few(told[draw.choice(homes)], draw) for _ in range(count if homes else 0)]
        return [self.labelled(facts, "") for facts in drawn if len(facts) > 1]

    def _few(self, told: Sequence[Fact], draw: random.Random) -> list[Fact]:
        relation = {fact.id: self._relation(fact) for fact in told}
        asked = sorted({one for one in relation.values() if one})
        if not asked:
            return []
        question = draw.choice(asked)
        mine = [fact for fact in told if relation[fact.id] == question]
        others = [fact for fact in told if relation[fact.id] != question]
        mine = draw.sample(mine, min(len(mine), draw.randint(2, 5)))
        others = draw.sample(others, min(len(others), draw.choice((0, 0, 1, 2, 3))))
        return sorted(mine + others, key=lambda fact: fact.id)

    def _relation(self, fact: Fact) -> str:
        told = self.truth[self.ids[fact.id]]["fact"]
        return str(self.truth[told]["relation"]) if told else ""

    def sentences(self) -> Sentences:
        """What is said of one fact, in full."""
        said = StatementMaker(self.facts, self.subjects, ReadingMemory()).make(self.facts)
        known = [Generated.of(statement, self.ids, self.truth) for statement in said]
        kept = [statement.at for statement, one in zip(said, known, strict=True) if one.fact and one.complete]
        facts = {key: row for key, row in self.truth.items() if row["kind"] == "fact"}
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


def _successors(fact: str, truth: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    found: dict[str, None] = {}
    at = truth[fact].get("superseded_by")
    while at and at not in found:
        found[at] = None
        at = truth[at].get("superseded_by")
    return frozenset(found)


def _generated_same(one: Generated, other: Generated) -> float:
    if other.junk:
        return np.nan if one.junk else 0.0
    if one.junk or not one.fact or not other.fact:
        return np.nan
    if one.fact != other.fact:
        return np.nan if one.fact in other.also else 0.0
    return 1.0 if other.complete or other.text.startswith(one.text) else np.nan


def _generated_replaces(older: Generated, newer: Generated, later: Mapping[str, frozenset[str]]) -> float:
    if older.junk or newer.junk:
        return np.nan if older.junk else 0.0
    if not older.fact or not newer.fact:
        return np.nan
    if newer.fact not in later[older.fact]:
        return 0.0
    return 1.0 if newer.complete else np.nan
