"""Statements: the facts of one entity that read the same, taken as one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from graphdream.facts.model import Fact, Subject
from graphdream.facts.moments import days
from graphdream.facts.reading import LABEL, NAME, SUBJECT, TYPED, Reader, Reading, ReadingMemory
from graphdream.facts.tellings import Told, told_by
from graphdream.facts.words import FUNCTION_WORDS, NEGATIONS, PARTICLES
from graphdream.facts.wrappers import Wrappers
from graphdream.graph.names import canonical
from graphdream.language.filedays import day_of_file
from graphdream.language.formatting import LONGEST_TEXT
from graphdream.language.scripts import status_marks
from graphdream.mutations.specifics import tokens

_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def held_at(fact: Fact, copies: Collection[str] = ()) -> tuple[str, ...]:
    """When the fact held, ISO 8601: when it was learned and, where that is known, when it was said again last.

    Args:
        copies: sources that are copies of notes (`copied_notes`): what is in them was true on the day of the copy at
            the latest, whenever it arrived.
    """
    found = day_of_file(fact.source) if fact.source in copies else ""
    if found:
        return (min(fact.known_at, found),)
    return (fact.known_at, fact.last_at) if fact.last_at > fact.known_at else (fact.known_at,)


def copied_notes(facts: Iterable[Fact]) -> frozenset[str]:
    """Files named after a day (`MEMORY.backup-2025-06-01.md`) that came in as a whole, within an hour after that day.

    A day's own notes are named after it too, and go on being written: their facts come over a longer time, or then.
    """
    arrived: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        if fact.source.startswith("file:"):
            arrived[fact.source].update((fact.known_at, fact.last_at) if fact.last_at else (fact.known_at,))
    return frozenset(
        source
        for source, moments in arrived.items()
        if (day := day_of_file(source)) and min(moments)[:10] > day[:10] and _at_once(moments)
    )


def _at_once(moments: Collection[str]) -> bool:
    """Whether moments lie within an hour, as when a file is read in."""
    first, last = days(min(moments)), days(max(moments))
    return (last - first) * 24 <= 1


@lru_cache(maxsize=50_000)
@lru_cache(maxsize=200_000)
def sides_of_names(statement: Statement) -> dict[str, bool]:
    """Each name that is mentioned -> whether it stands before the subject."""
    shape, words = statement.reading.shape, statement.reading.words
    subject = shape.index(SUBJECT) if SUBJECT in shape else -1
    return {word: at < subject for at, word in enumerate(words) if shape[at] == NAME}


def beside_words(content: str) -> tuple[str, ...]:
    """What two texts of the same words may still differ in: marks, years of days, and what lies beyond what is read."""
    years = [str(token.year) for token in tokens(content) if token.year]
    return (*status_marks(content), *years, content[LONGEST_TEXT:])


@dataclass(frozen=True)
class Statement:
    """One thing said of one entity, by one or more facts.

    Attributes:
        at: position in the list of statements.
        entity: the entity it is said of.
        reading: how it reads, wrappers taken off.
        facts: who says it, earliest first; never empty.
        times: when each of them held, ISO 8601, sorted.
        aspect: the aspect of the first of them, folded.
        heading: what it is said of besides, where another heading has the same line; "" elsewhere.
        values: its typed values: names, numbers, dates, times.
        content: its free words.
        protected: one of its facts must stay as it is.
        guest: all its facts hang on something else (their ids are negative): it never speaks for others.
        told: when it was told.
    """

    at: int
    entity: int
    reading: Reading
    facts: tuple[Fact, ...]
    times: tuple[str, ...]
    heading: str = ""
    aspect: str = field(init=False, repr=False, compare=False)
    values: Counter[str] = field(init=False, repr=False, compare=False)
    content: frozenset[str] = field(init=False, repr=False, compare=False)
    protected: bool = field(init=False, repr=False, compare=False)
    guest: bool = field(init=False, repr=False, compare=False)
    told: Told = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Not as cached properties: those of Python 3.11 take a lock, which was a tenth of a round.
        object.__setattr__(self, "aspect", canonical(self.facts[0].aspect))
        values, content = _parts(self.reading)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "content", content)
        object.__setattr__(self, "protected", any(fact.protected for fact in self.facts))
        object.__setattr__(self, "guest", all(fact.id < 0 for fact in self.facts))
        object.__setattr__(self, "told", told_by(self.facts, self.times))

    def placed(self, at: int) -> Statement:
        """The same at another position."""
        out = object.__new__(Statement)
        out.__dict__.update(self.__dict__, at=at)
        return out


@lru_cache(maxsize=200_000)
def _parts(reading: Reading) -> tuple[Counter[str], frozenset[str]]:
    """The typed values, and the words that are neither typed nor function words; nobody changes either.

    A particle that ends the statement is a free word (`telemetry: on`), as is a negation.
    """
    values, words = [], []
    for kind, word in zip(reading.shape, reading.words, strict=True):
        if kind in TYPED:
            values.append(word)
        elif kind not in _NOT_FREE:
            words.append(word)
    if reading.shape and reading.shape[-1] in PARTICLES:
        words.append(reading.words[-1])
    return Counter(values), frozenset(words)


_NOT_FREE = (FUNCTION_WORDS | {LABEL, SUBJECT}) - NEGATIONS


class StatementMaker:
    """Makes statements of facts: reads them, takes wrappers off, and groups those of one entity that read the same.

    Args:
        facts: the facts of the graph; wrappers are learned from them.
        subjects: its entities.
        memory: readings of an earlier look.
        past: facts that are history. What words are names is learned from them, too; and that a wrapper changes
            nothing, since a pass takes away the copies that show it.
    """

    def __init__(
        self, facts: Sequence[Fact], subjects: Sequence[Subject], memory: ReadingMemory, past: Sequence[Fact] = ()
    ) -> None:
        self._reader = Reader([*facts, *past], subjects, memory)
        ordered = sorted(facts, key=lambda fact: fact.id)
        self._raw = {fact.id: self._reader.read(fact) for fact in ordered}
        before = [(fact.entity, self._reader.read(fact)) for fact in sorted(past, key=lambda fact: fact.id)]
        learned = Wrappers.learn([(fact.entity, self._raw[fact.id]) for fact in ordered], before)
        self._wrappers = memory.wrappers if memory.wrappers and learned.same_as(memory.wrappers) else learned
        self._copies = copied_notes(facts)
        self._known = memory.statements
        self._made: dict[tuple[int, int], Statement] = {}
        memory.wrappers, memory.statements = self._wrappers, self._made
        self._headings = _headings(facts, self._raw)
        self._readings = {fact: self._wrappers.strip(reading) for fact, reading in self._raw.items()}

    def reading(self, fact: Fact) -> Reading:
        """How a fact reads, wrappers taken off."""
        return self._readings.get(fact.id) or self._wrappers.strip(self._reader.read(fact))

    def make(self, facts: Sequence[Fact], *, begin: int = 0) -> list[Statement]:
        """Statements, numbered from `begin` on, in an order that does not depend on the order of `facts`."""
        ordered = sorted(facts, key=lambda fact: (fact.entity, fact.known_at, fact.id))
        readings = _whole_names([self.reading(fact) for fact in ordered], ordered)
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for place, fact in enumerate(ordered):
            raw = self._raw.get(fact.id) or self._reader.read(fact)
            heading = self._headings.get(fact.id, "")
            groups[fact.entity, raw.shape, raw.words, beside_words(fact.content), heading].append(place)
        out = []
        for at, (key, places) in enumerate(groups.items(), start=begin):
            said_by = tuple([ordered[p] for p in places])
            out.append(self._statement(at, readings[places[0]], said_by, str(key[-1])))
        return out

    def _statement(self, at: int, reading: Reading, facts: tuple[Fact, ...], heading: str) -> Statement:
        """The statement of the look before, where it is the same."""
        key = facts[0].entity, facts[0].id
        times = tuple(sorted([time for fact in facts for time in held_at(fact, self._copies)]))
        known = self._known.get(key)
        if known and (known.facts, known.reading, known.times, known.heading) == (facts, reading, times, heading):
            found = known if known.at == at else known.placed(at)
        else:
            found = Statement(at, facts[0].entity, reading, facts, times, heading)
        self._made[key] = found
        return found


_SHORT = 6
"""Words of a line that is likely to be said of its heading, at most: longer ones were copied in 20 histories."""


def _headings(facts: Sequence[Fact], raw: Mapping[int, Reading]) -> dict[int, str]:
    """Fact -> its heading, of short lines that were written under several headings of one file at once.

    `allergic to penicillin` under `Ana` and under `Eva` are two facts. Headings with digits are days and
    versions, under which the same line is one that was carried on.
    """
    under: dict[tuple[object, ...], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts:
        above, _, heading = fact.aspect.rpartition(" / ")
        reading = raw[fact.id]
        if fact.source.startswith("file:") and len(reading.words) <= _SHORT and not any(c.isdigit() for c in heading):
            place = fact.entity, fact.source, fact.known_at, above, reading.words, beside_words(fact.content)
            under[place][heading].append(fact.id)
    return {
        fact: heading
        for headings in under.values()
        if len(headings) > 1
        for heading, found in headings.items()
        for fact in found
    }


def _whole_names(readings: Sequence[Reading], facts: Sequence[Fact]) -> list[Reading]:
    """Readings in which part of a name stands for the only longer name of the same entity it can be part of.

    A part that is written small is a word: `by pigeon post` speaks of no `Weir Street Post`.
    """
    seen: dict[int, set[str]] = defaultdict(set)
    for reading, fact in zip(readings, facts, strict=True):
        if NAME in reading.shape:
            seen[fact.entity].update(w for s, w in zip(reading.shape, reading.words, strict=True) if s == NAME)
    longer = {entity: found for entity, names in seen.items() if (found := _expansions(names))}
    out = []
    for reading, fact in zip(readings, facts, strict=True):
        known = longer.get(fact.entity)
        if known and not known.keys().isdisjoint(reading.words):
            small = {word.strip("'’") for word in _WORD.findall(fact.content) if word.islower()}
            places = zip(reading.shape, reading.words, strict=True)
            whole = (known.get(w, w) if s == NAME and w not in small else w for s, w in places)
            reading = replace(reading, words=tuple(whole))
        out.append(reading)
    return out


def _expansions(names: Iterable[str]) -> dict[str, str]:
    holders: dict[str, set[str]] = defaultdict(set)
    held = set(names)
    for name in held:
        parts = name.split("@")[0].split()
        for part in {*parts[:1], *parts[-1:]}:
            if part in held and part != name:
                holders[part].add(name)
    return {part: whole.pop() for part, whole in holders.items() if len(whole) == 1}
