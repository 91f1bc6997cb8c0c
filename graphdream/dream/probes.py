"""Step 6, prove: questions drawn from the graph's own facts, asked before and after, inside the transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from graphdream.dreamers.gathered import Gathered, SeenFact
from graphdream.recall.facts import Searcher
from graphdream.recall.replaced import standing
from graphdream.recall.words import STOP_WORDS, parts

PROBES = 200
TOP = 5  # recall at 5, as retrieval is usually measured
_MOST_WORDS = 16


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about one fact: the best name of its entity and some of the fact's words, never all of them."""

    fact_id: int
    entity_id: int
    question: str


@dataclass(frozen=True, slots=True)
class Answers:
    """Which probes found, among the first `TOP` hits, their fact or what stands for it now.

    `hits`: the ids of those hits, by the id of the probe's fact.
    """

    found: frozenset[int]
    asked: int
    hits: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @property
    def recall(self) -> float:
        """Share of the probes that were answered, 0..1; 1.0 where nothing was asked."""
        return len(self.found) / self.asked if self.asked else 1.0


def draw_probes(
    gathered: Gathered, names: Mapping[int, str], touched: frozenset[int], count: int = PROBES
) -> list[Probe]:
    """Choose facts to ask about: half of them among those that the pass touches, half from everywhere.

    The choice follows a hash of the fact, so the same graph asks the same questions.

    Args:
        names: entity id -> the name under which the question asks (that of the surviving entity).
        touched: ids of facts that a proposal names.
    """
    ordered = sorted(gathered.facts, key=_lot)
    asked = [fact for fact in ordered if len(parts(fact.content)) >= 3]
    chosen = [fact for fact in asked if fact.id in touched][: count // 2]
    known = {fact.id for fact in chosen}
    chosen += [fact for fact in asked if fact.id not in known][: count - len(chosen)]
    return [Probe(fact.id, fact.entity_id, _question(fact, names.get(fact.entity_id, ""))) for fact in chosen]


def _lot(fact: SeenFact) -> bytes:
    return blake2b(f"{fact.id}/{fact.content}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _question(fact: SeenFact, name: str) -> str:
    """The name and every second word of the fact that carries a subject: as much as someone remembers who asks.

    Stop words would be most of the work of a search in a large graph, and say nothing.
    """
    words = [word for word in parts(fact.content) if word.casefold() not in STOP_WORDS] or parts(fact.content)
    return " ".join([*parts(name), *words[::2][:_MOST_WORDS]])


def ask(
    connection: sqlite3.Connection, probes: Sequence[Probe], known: dict[Probe, frozenset[int]],
    replaced: Collection[int] = (),
) -> Answers:  # fmt: skip
    """Put every probe to the product's own search for facts, as the file is in the open transaction.

    A probe whose fact was archived is answered by nothing and counts as asked only if it was found before; the
    caller compares like with like through `comparable`.

    Args:
        known: what probes found in this very state of the graph; it is added to.
        replaced: facts that a calibrated judgement replaced. They may be answered as recall answers who asks in their
            words, by what replaced them. Of all others, what stands now has to be found by its own words: nothing else
            shows that it says the same.
    """
    searcher = Searcher(connection)
    for probe in probes:
        if probe not in known:
            known[probe] = frozenset(fact for _, fact, _ in searcher.top(probe.question, TOP))
    hits = {probe.fact_id: known[probe] for probe in probes}
    now = standing(connection, hits)
    as_recalled = Searcher(connection, for_replaced=True)
    for probe in probes:
        if probe.fact_id in replaced and now.get(probe.fact_id) not in hits[probe.fact_id]:
            hits[probe.fact_id] = frozenset(fact for _, fact, _ in as_recalled.top(probe.question, TOP))
    found = {fact for fact, among in hits.items() if now.get(fact) in among}
    return Answers(frozenset(found), len(probes), hits)


def comparable(connection: sqlite3.Connection, probes: Sequence[Probe]) -> list[Probe]:
    """The probes whose fact still stands, or has a successor: what was archived as junk is not asked for again."""
    now = standing(connection, (probe.fact_id for probe in probes))
    return [probe for probe in probes if probe.fact_id in now]
