"""Evidence: all that is measured of the facts of one graph, before anything is judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.asides import Asides
from graphdream.facts.asked import Questions
from graphdream.facts.bags import bags_of
from graphdream.facts.emptiness import StatementSignals, end_as_others
from graphdream.facts.formerplaces import FormerPlaces
from graphdream.facts.kept import PairMemory
from graphdream.facts.links import WordRoles, find_links
from graphdream.facts.meaning import Meaning
from graphdream.facts.model import Fact, Subject
from graphdream.facts.pairs import Pairs, find_pairs
from graphdream.facts.relations import find_instances
from graphdream.facts.severed import that_break_off
from graphdream.facts.signals import SIGNALS, PairSignals
from graphdream.facts.skeletons import Skeletons, skeletons
from graphdream.facts.statements import Statement, StatementMaker
from graphdream.facts.tellings import Tellings
from graphdream.facts.values import Values
from graphdream.facts.wordweights import WordWeights
from graphdream.scoring.curve import Ints

Table = NDArray[np.float32]


@dataclass(frozen=True)
class Evidence:
    """What is measured of statements and of pairs of them.

    Attributes:
        said: the statements.
        tellings: when each was told.
        pairs: the pairs that were compared.
        forth, back: shape (pairs, signals.SIGNALS): low read against high, and high against low.
        alone: shape (statements, emptiness.SIGNALS).
        slot: per pair, the words of the question that both answer, or "".
        broken: positions of statements that were cut off (severed.py).
        former: where this memory puts what is over; none where nothing was measured.
        asides: what it adds to whatever it says; none where nothing was measured.
    """

    said: Sequence[Statement]
    tellings: Tellings
    pairs: Pairs
    forth: Table
    back: Table
    alone: Table
    slot: Sequence[str]
    broken: frozenset[int] = frozenset()
    former: FormerPlaces | None = None
    asides: Asides | None = None

    def in_time(self) -> tuple[Ints, Ints, Table]:
        """Every pair as (older, newer, its signals in this order); the newer one is what was said last."""
        return self._in_time

    @cached_property
    def _in_time(self) -> tuple[Ints, Ints, Table]:
        """Kept: all that judges changes asks for it, and it is as large as the table of signals."""
        low, high = self.pairs.low, self.pairs.high
        last = np.array([self.tellings[s.at].last for s in self.said])
        first = np.array([self.tellings[s.at].first for s in self.said])
        later = (last[low] > last[high]) | ((last[low] == last[high]) & (first[low] > first[high]))
        table = np.where(later[:, None], self.back, self.forth)
        return np.where(later, high, low), np.where(later, low, high), table

    def ends_both_ways(self) -> tuple[Ints, Ints]:
        """Every pair twice, as (one, other)."""
        low, high = self.pairs.low, self.pairs.high
        return np.concatenate([low, high]), np.concatenate([high, low])

    def both_ways(self) -> tuple[Ints, Ints, Table]:
        """Every pair twice, as (one, other, signals of the question whether the other says all that the one says)."""
        return *self.ends_both_ways(), np.concatenate([self.forth, self.back])


def gather_evidence(
    facts: Sequence[Fact],
    guests: Sequence[Fact],
    subjects: Sequence[Subject],
    maker: StatementMaker,
    whole_words: Collection[str] = (),
    past: Sequence[Fact] = (),
    one_answer: WordWeights | None = None,
    kept: PairMemory | None = None,
) -> Evidence:
    """Measure facts.

    Args:
        facts: facts of one graph.
        guests: copies of some of them under the entities they may be about (holders.py).
        subjects: the entities.
        maker: made of the same facts and subjects.
        whole_words: words of running texts.
        past: facts that are history. How a question is answered is learned from them too: what a pass has left of a
            slot looks like anything but one.
        one_answer: tells which sentences have one answer at a time; by default the one that comes with the program.
        kept: what an earlier look measured of pairs of statements; it only saves time.
    """
    said = maker.make([*facts, *guests])
    found = _skeletons_of(said)
    links = find_links(said, found)
    roles = WordRoles(said, links)
    instances = find_instances(said, found, links, roles)
    bags = bags_of(said)
    meaning = Meaning(bags, one_answer)
    pairs = find_pairs(said, bags, instances, meaning)
    tellings = Tellings([one.told for one in said])
    types = {s.id: s.type for s in subjects}
    before = maker.make(past, begin=len(said)) if past else []
    every = [*said, *before]
    found_ever = _skeletons_of(every) if before else found
    questions = (
        _asked_of_all(every, found_ever, types) if before else Questions(said, types, instances, found, tellings)
    )
    values = Values(said, bags, types, [one.told for one in said])
    measured = PairSignals(said, bags, links, roles, instances, questions, tellings, meaning, values, kept).measure(
        pairs
    )
    alone = StatementSignals(
        said,
        bags,
        subjects,
        measured,
        formed=set(found.statement.tolist()),
        linked={end for link in links for end in (link.a, link.b)},
        whole_words=whole_words,
        past=before,
    ).measure()
    called = {subject.id: subject.names for subject in subjects}
    broken = that_break_off(said, before, called, end_as_others(alone))
    former = FormerPlaces(every, types, found_ever)
    asides = Asides(every, types)
    return Evidence(said, tellings, pairs, measured.table, measured.back, alone, measured.slot, broken, former, asides)


def _skeletons_of(said: Sequence[Statement]) -> Skeletons:
    return skeletons([s.reading for s in said], [s.entity for s in said])


def _asked_of_all(every: Sequence[Statement], found: Skeletons, types: Mapping[int, str]) -> Questions:
    """The questions of all statements there ever were; those of now come first, so that pairs find them."""
    links = find_links(every, found)
    instances = find_instances(every, found, links, WordRoles(every, links))
    return Questions(every, types, instances, found, Tellings([one.told for one in every]))


WHEN_UNTOLD = {"gap": 3.4, "after": 1.0, "one_occasion": 0.0, "one_day": 0.0, "apart": 1.0}
"""The signals of time of a pair as if the one had been told a month after the other (log1p of 30 days)."""


def as_if_later(table: Table) -> Table:
    """Signals of pairs as if one had been told well after the other: what they say of each other, time aside."""
    out = table.copy()
    for name, value in WHEN_UNTOLD.items():
        out[:, SIGNALS.index(name)] = value
    return out
