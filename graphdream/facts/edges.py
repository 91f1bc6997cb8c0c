"""How sentences of this memory begin and end: whether a text is a whole sentence or cut out of others.

Every statement of the graph shows with what words a sentence may begin and end, and which words follow each other
only in its middle. A fragment starts or stops at a place where nothing else does, often inside a word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.reading import Reading
from graphdream.facts.statements import Statement
from graphdream.facts.tokentable import Ints, TokenTable
from graphdream.facts.words import FUNCTION_WORDS

_SHORTEST_PIECE = 3
"""Letters in a piece of a word, at least; shorter ones are initials and syllables of any language."""
_ENDINGS = frozenset("s es ed d n r y ing er ers ly".split())
"""Endings that make another form of the same English word."""
_RARE = 2
"""Statements with a word, at most, for it to be a piece of a longer one."""
COUNTS = ("begins", "begins_inside", "ends", "ends_inside", "opens", "goes_on")
"""How many begin with the same two tokens, and how many have them in the middle; the same for the last two tokens; how
many begin with the same first token, if that is no function word; how many begin with the whole of it and go on. What
is said of the same entity does not count."""


@dataclass(frozen=True, slots=True)
class _Homes:
    """Where each of a list of texts is said: on entity[start[t]] .. entity[start[t + 1] - 1], numbered from 0."""

    start: Ints
    entity: Ints

    @classmethod
    def of(cls, text: Ints, entity: Ints) -> _Homes:
        """From the text and the entity of every statement."""
        text, entity = _once(text, entity)
        return cls(np.searchsorted(text, np.arange(int(text.max(initial=-1)) + 2)), entity)


class _Tally:
    """How many different texts have a thing, in all and on one entity.

    Args:
        thing: shape (n,), a number for what a text has.
        text: shape (n,), the text; none has a thing twice.
        homes: where the texts are said.
    """

    def __init__(self, thing: Ints, text: Ints, homes: _Homes) -> None:
        self._things, number, self._all = np.unique(thing, return_inverse=True, return_counts=True)
        size = homes.start[text + 1] - homes.start[text]
        rows = np.arange(int(size.sum())) + np.repeat(homes.start[text] - np.cumsum(size) + size, size)
        self._entities = int(homes.entity.max(initial=0)) + 1
        self._pairs, self._at = np.unique(
            np.repeat(number, size) * self._entities + homes.entity[rows], return_counts=True
        )

    def elsewhere(self, thing: Ints, entity: Ints) -> Ints:
        """For each thing, the different texts that have it and are not said of the entity beside it."""
        place, known = _find(self._things, thing)
        pair, here = _find(self._pairs, place * self._entities + entity)
        found = np.zeros(len(thing), dtype=np.int64)
        found[known] = self._all[place[known]]
        found[known & here] -= self._at[pair[known & here]]
        return found


def _find(ordered: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Where each wanted number stands in an ascending list, and whether it does."""
    if not len(ordered):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return place, ordered[place] == wanted


class SentenceEnds:
    """How the statements of a graph begin and end, against the different statements of other entities.

    Args:
        said: all statements, each at its position.
        known: words that are whole although rare: those of entity names.
        past: statements that are no longer said, against which those of `said` are held, too.

    Attributes:
        counts: shape (statements, COUNTS).
        cut: shape (statements, 2), whether the first (last) token is known only as the end (beginning) of a longer word
            that stands before (after) the same two neighbours elsewhere.
        words: in how many statements each word occurs.
    """

    def __init__(self, said: Sequence[Statement], known: Collection[str] = (), past: Sequence[Statement] = ()) -> None:
        every = [*said, *past]
        numbers: dict[tuple[str, ...], int] = defaultdict(count().__next__)
        text = np.array([numbers[statement.reading.words] for statement in every], dtype=np.int64)
        entity = np.unique([statement.entity for statement in every], return_inverse=True)[1]
        readings: dict[int, Reading] = {}
        for number, statement in zip(text.tolist(), every, strict=True):
            readings.setdefault(number, statement.reading)
        texts = list(readings.values())
        self.counts = self._counted(TokenTable.of(texts), texts, text, entity)[: len(said)]
        self.words = Counter(word for statement in every for word in set(statement.reading.words))
        self._rare = {w for w, seen in self.words.items() if seen <= _RARE and _may_be_piece(w) and w not in known}
        asked = [statement for statement in said if self._has_rare_end(statement.reading)]
        self._before, self._after = _neighbours(texts, {statement.reading for statement in asked})
        self.cut = np.zeros((len(said), 2), dtype=np.bool_)
        for statement in asked:
            self.cut[statement.at] = self._cut(statement.reading)

    @staticmethod
    def _counted(table: TokenTable, texts: Sequence[Reading], text: Ints, entity: Ints) -> Ints:
        homes = _Homes.of(text, entity)
        size, base = table.size, len(table.shapes)
        owner = np.repeat(np.arange(len(texts)), size)
        at = np.flatnonzero(owner[1:] == owner[:-1])  # rows with a right neighbour
        pair, owner = table.shape[at] * base + table.shape[at + 1], owner[at]
        begins, ends = at == table.start[owner], at == table.start[owner + 1] - 2
        first, last, opens = (np.full(len(texts), -1) for _ in range(3))
        first[owner[begins]], last[owner[ends]] = pair[begins], pair[ends]
        opens[size > 0] = table.shape[table.start[:-1][size > 0]]
        closed = np.array([*(shape in FUNCTION_WORDS for shape in table.shapes), False])
        whole, beginnings = _beginnings(texts)
        columns = (
            _Tally(pair[begins], owner[begins], homes).elsewhere(first[text], entity),
            _Tally(*_once(pair[~begins], owner[~begins]), homes).elsewhere(first[text], entity),
            _Tally(pair[ends], owner[ends], homes).elsewhere(last[text], entity),
            _Tally(*_once(pair[~ends], owner[~ends]), homes).elsewhere(last[text], entity),
            _Tally(opens[size > 1], np.flatnonzero(size > 1), homes).elsewhere(
                np.where(closed[opens], -1, opens)[text], entity
            ),
            _Tally(*beginnings, homes).elsewhere(whole[text], entity),
        )
        return np.stack(columns, axis=1)

    def _cut(self, reading: Reading) -> tuple[bool, bool]:
        """Whether the first token is the end of a word, and the last one the beginning of a word."""
        shape, words = reading.shape, reading.words
        first, last = words[0], words[-1]
        return (
            first in self._rare
            and any(len(word) > len(first) and word.endswith(first) for word in self._before[shape[1:3]]),
            last in self._rare and any(_goes_on(last, word) for word in self._after[shape[-3:-1]]),
        )

    def _has_rare_end(self, reading: Reading) -> bool:
        """Whether the first or the last word may be a piece of another: rare, and no name."""
        return len(reading.words) > 1 and not self._rare.isdisjoint((reading.words[0], reading.words[-1]))


def _once(thing: Ints, text: Ints) -> tuple[Ints, Ints]:
    """Things and their texts, each pair of them once, in ascending order."""
    most = int(text.max(initial=0)) + 1
    found = np.unique(thing * most + text)
    return found // most, found % most


def _beginnings(texts: Sequence[Reading]) -> tuple[Ints, tuple[Ints, Ints]]:
    """A number for the shape of each text; and the shapes with which texts begin and go on, beside these texts."""
    numbers: dict[tuple[str, ...], int] = defaultdict(count().__next__)
    whole = np.array([numbers[reading.shape] for reading in texts], dtype=np.int64)
    begun = [[numbers[shape[:size]] for size in range(1, len(shape)) if shape[:size] in numbers] for shape in numbers]
    found = [(number, text) for text, shape in enumerate(whole.tolist()) for number in begun[shape]]
    thing, text = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return whole, (thing, text)


_Words = dict[tuple[str, ...], set[str]]


def _neighbours(texts: Iterable[Reading], asked: Collection[Reading]) -> tuple[_Words, _Words]:
    """Words that stand before the two tokens which follow on the first word of those asked, and words that stand after
    the two before their last."""
    before: _Words = {reading.shape[1:3]: set() for reading in asked}
    after: _Words = {reading.shape[-3:-1]: set() for reading in asked}
    for reading in texts:
        shape, words = reading.shape, reading.words
        for at in range(len(shape) - 1):
            if (behind := shape[at + 1 : at + 3]) in before:
                before[behind].add(words[at])
            if (ahead := shape[max(0, at - 1) : at + 1]) in after:
                after[ahead].add(words[at + 1])
    return before, after


def _may_be_piece(word: str) -> bool:
    return len(word) >= _SHORTEST_PIECE and word.isalpha()


def _goes_on(piece: str, word: str) -> bool:
    """Whether a word begins with the piece and is more than another form of it (`white`, `whites`)."""
    rest = word[len(piece) :]
    return word.startswith(piece) and rest[:1].isalnum() and rest not in _ENDINGS
