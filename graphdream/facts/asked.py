"""Questions: what two statements answer differently, and what the whole graph shows of how such questions are answered.

A question is a sentence with one part left open, of entities of one type. Four readings of "one sentence" count apart:
forms that links taught to be one relation, the words around an exchanged span, the free words around a typed value in
any order, and the label of a line. A question with one answer at a time (a slot) shows in time: on entity after entity
the later answer was told later, at another occasion, and the earlier one was not told again. Answers to a list are told
on one occasion or in turns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from operator import add
from typing import cast

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.pairs import Pairs
from graphdream.facts.reading import TYPED, Reading
from graphdream.facts.relations import Instance
from graphdream.facts.skeletons import Skeletons
from graphdream.facts.statements import Statement
from graphdream.facts.tellings import Tellings, Told
from graphdream.facts.words import FUNCTION_WORDS
from graphdream.language.labels import label_of
from graphdream.language.scripts import units
from graphdream.scoring.curve import Ints

SMOOTHING = 0.2
"""Added to what was counted, beside one more test (additive smoothing): a share of few tests may not be none."""
_OF_ONE_TYPE = ("holders", "several", "together", "turns", "tests", "told")
_BOUNDED = ("turned_least", "turned_most", "beside_least", "beside_most", "told_most", "answers")
MEASURES = (*_OF_ONE_TYPE, *_BOUNDED, *(f"any_{measure}" for measure in _BOUNDED))
"""Of one question: log entities that answer it, share of them with several answers, share of consecutive answers told
on one occasion, share told in turns, log of consecutive answers, share that some sentence names both of (`moved from A
to B`). Then between what bounds such shares lie by what was seen (`_bounds`): of those told in turns, among those that
might have been, since the former was told at several times; of those told on one occasion; of those that some sentence
names both of, the upper bound; and how often an entity that gave several answers gave the next. Behind `any_` the same
of entities of any type."""
SOURCES = ("relation", "template", "frame", "label")
COLUMNS = (*(f"{source}_{measure}" for source in SOURCES for measure in MEASURES), "named_both")
"""`named_both`: some sentence of the entity names both answers of the pair."""
_MOST_ANSWERS = 12
"""Answers of one entity to one question that are compared in time, at most."""
_MOST_WORDS = 6
"""Units around a value, at most: a longer sentence tells a story that happens to have a value in it."""
_STEM = 5
"""First letters of a word that its forms share: `admin`, `administers`."""
Table = NDArray[np.float32]
Counts = tuple[int, int, int, int, int, int, int]
"""Of a question: entities that answer it, those with several answers, consecutive answers, those of them that some
sentence names both of, that were told on one occasion, in turns, and with a former that was told at several times."""
_NONE: Counts = (0, 0, 0, 0, 0, 0, 0)
_ONE_IN_TWENTY = 1.645
"""Standard deviations that one in twenty of a normal distribution lie beyond, on one side."""
Given = tuple[Told, Sequence[str]]
"""An answer of an entity: when it was told, and its words."""


@dataclass(frozen=True, slots=True)
class Answer:
    """That a statement answers a question of its entity: both hashable, equal where they are one."""

    question: object
    value: object


@dataclass(frozen=True, slots=True)
class Asked:
    """What the graph shows of the questions that pairs answer differently.

    Attributes:
        table: shape (pairs, COLUMNS), NaN where a pair shares no such question.
        slot: per pair, the words of the question that both answer, "" where there is none.
    """

    table: Table
    slot: list[str]


class Questions:
    """The questions of one graph.

    Args:
        said: all statements.
        types: entity -> its type.
        instances: per statement, the relations that links taught.
        found: the skeletons of the statements.
        tellings: when each was told.
    """

    def __init__(
        self,
        said: Sequence[Statement],
        types: Mapping[int, str],
        instances: Sequence[Sequence[Instance]],
        found: Skeletons,
        tellings: Tellings,
    ) -> None:
        self._said, self._types, self._tellings = said, types, tellings
        self._words = [_plain_words(s.reading) for s in said]
        self._of_entity: dict[int, list[int]] = defaultdict(list)
        for s in said:
            self._of_entity[s.entity].append(s.at)
        self._holding: dict[int, dict[str, set[int]]] = {}
        self._relation = [_of_instances(instances[s.at]) for s in said]
        self._around = [answers_around_values(s.reading) for s in said]
        self._label = [_of_label(s) for s in said]
        self._label_stats = self._measured(self._label)
        self._relation_stats = self._measured(self._relation)
        self._around_stats = self._measured(self._around)
        self._skeletons = found
        self._template_stats = self._templates()

    def _measured(self, answers: Sequence[Sequence[Answer]]) -> Mapping[object, tuple[float, ...]]:
        holders: dict[tuple[str, object], dict[int, dict[object, list[int]]]] = defaultdict(lambda: defaultdict(dict))
        for statement, found in zip(self._said, answers, strict=True):
            kind = self._types.get(statement.entity, "")
            for answer in found:
                holders[kind, answer.question][statement.entity].setdefault(answer.value, []).append(statement.at)
        joined = self._tellings.joined
        return _measures(
            {
                question: self._count(
                    len(by_entity),
                    (
                        (
                            entity,
                            [(joined(at), _plain(str(value))) for value, at in islice(values.items(), _MOST_ANSWERS)],
                        )
                        for entity, values in by_entity.items()
                        if len(values) > 1
                    ),
                )
                for question, by_entity in holders.items()
            }
        )

    def _named_both(self, entity: int, one: Iterable[str], other: Iterable[str]) -> bool:
        """Whether a statement of an entity has all words of two answers, and these are not one within the other."""
        first, second = set(one), set(other)
        if not first or not second or first <= second or second <= first:
            return False
        held = self._held_by(entity)
        holding = [held.get(word, set()) for word in first | second]
        return bool(set.intersection(*sorted(holding, key=len)))

    def _held_by(self, entity: int) -> dict[str, set[int]]:
        """Word -> the statements of an entity that have it."""
        known = self._holding.get(entity)
        if known is None:
            known = self._holding[entity] = defaultdict(set)
            for at in self._of_entity[entity]:
                for word in self._words[at]:
                    known[word].add(at)
        return known

    def _count(self, holders: int, several: Iterable[tuple[int, list[Given]]]) -> Counts:
        """What was counted of a question.

        Args:
            holders: entities that answer it.
            several: those of them with several answers, and these answers.
        """
        count = tests = together = turns = named = chances = 0
        for entity, told in several:
            count += 1
            told.sort(key=lambda one: (one[0].first, one[0].last))
            for (older, before), (newer, after) in pairwise(told):
                tests += 1
                named += self._named_both(entity, before, after)
                one_occasion = not older.occasions.isdisjoint(newer.occasions)
                together += one_occasion
                turns += not one_occasion and older.last >= newer.first
                chances += older.last > older.first
        return holders, count, tests, named, together, turns, chances

    def _templates(self) -> Mapping[object, tuple[float, ...]]:
        """Measures by (type, skeleton) of skeletons with an open span."""
        found = self._skeletons
        if not len(found.key):
            return {}
        types = {kind: at for at, kind in enumerate(dict.fromkeys(["", *self._types.values()]))}
        of_statement = np.array([types[self._types.get(s.entity, "")] for s in self._said], dtype=np.int64)
        entity = np.array([s.entity for s in self._said], dtype=np.int64)[found.statement]
        kind = of_statement[found.statement]
        order = np.lexsort((found.filler, entity, found.key, kind))
        kind, key, entity = kind[order], found.key[order], entity[order]
        filler, statement = found.filler[order], found.statement[order]
        group = _starts(kind, key)
        holder = _starts(kind, key, entity)
        value = _starts(kind, key, entity, filler)
        names = list(types)
        low, high = found.low[order], found.high[order]
        of_holder = np.append(np.searchsorted(value, holder), len(value))
        of_group = np.append(np.searchsorted(holder, group), len(holder))
        several = np.flatnonzero(np.diff(of_holder) > 1)
        begin = np.append(value, len(order)).tolist()

        def given(at: int) -> Given:
            """One answer: when it was told, and the words of the open span in one of the statements that give it."""
            first = begin[at]
            places = statement[first : begin[at + 1]].tolist()
            span = self._said[places[0]].reading.words[low[first] : high[first]]
            return self._tellings.joined(places), [word for one in span for word in _plain(one)]

        def answers(one: int) -> tuple[int, list[Given]]:
            values = range(of_holder[one], min(of_holder[one + 1], of_holder[one] + _MOST_ANSWERS))
            return int(entity[holder[one]]), [given(at) for at in values]

        bounds = np.searchsorted(several, of_group).tolist()
        return _measures(
            {
                (names[int(kind[row])], int(key[row])): self._count(
                    int(of_group[at + 1] - of_group[at]), map(answers, several[bounds[at] : bounds[at + 1]].tolist())
                )
                for at, row in enumerate(group.tolist())
            }
        )

    def asked(self, pairs: Pairs, span: Ints) -> Asked:
        """What pairs answer differently.

        Args:
            pairs: the pairs.
            span: shape (pairs, 4), the places low, high of the exchanged span in either statement; -1 where not one
                span is exchanged.
        """
        table = np.full((len(pairs), len(COLUMNS)), np.nan, dtype=np.float32)
        slot = [""] * len(pairs)
        width = len(MEASURES)
        keys = self._keys(pairs.low, span[:, 0], span[:, 1])
        lows, highs = pairs.low.tolist(), pairs.high.tolist()
        for place, answers, stats in (
            (0, self._relation, self._relation_stats),
            (2 * width, self._around, self._around_stats),
            (3 * width, self._label, self._label_stats),
        ):
            given = [{answer.question: answer.value for answer in found} for found in answers]
            has = np.array([bool(found) for found in given], dtype=np.bool_)
            for at in np.flatnonzero(has[pairs.low] & has[pairs.high]).tolist():
                a = lows[at]
                best = self._best(answers[a], given[highs[at]], self._types.get(self._said[a].entity, ""), stats)
                if best is not None:
                    table[at, place : place + width] = stats[best]
                    slot[at] = slot[at] or _spelled(best)
        named = np.array([bool(one) for one in slot], dtype=np.bool_)
        for at in np.flatnonzero((span[:, 0] >= 0) | named).tolist():
            one, other = self._words[lows[at]], self._words[highs[at]]
            entity = self._said[lows[at]].entity
            table[at, -1] = self._named_both(entity, one - other - FUNCTION_WORDS, other - one - FUNCTION_WORDS)
        for at in np.flatnonzero(keys >= 0).tolist():
            kind = self._types.get(self._said[lows[at]].entity, "")
            table[at, width : 2 * width] = self._template_stats[kind, int(keys[at])]
        for at in np.flatnonzero(span[:, 0] >= 0).tolist():
            if not slot[at]:
                words = self._said[lows[at]].reading.words
                slot[at] = " ".join((*words[: int(span[at, 0])], "*", *words[int(span[at, 1]) :]))
        return Asked(table, slot)

    def _keys(self, statement: Ints, low: Ints, high: Ints) -> Ints:
        """The skeletons of statements with an open span, -1 where the graph has none such."""
        found = self._skeletons
        if not len(found.key):
            return np.full(len(statement), -1, dtype=np.int64)
        most = int(found.high.max()) + 1
        places = (found.statement * most + found.low) * most + found.high
        order = np.argsort(places)
        wanted = (statement * most + low) * most + high
        row = order[np.minimum(np.searchsorted(places, wanted, sorter=order), len(order) - 1)]
        known = (low >= 0) & (high < most) & (places[row] == wanted)
        return np.where(known, found.key[row], -1)

    @staticmethod
    def _best(
        left: Sequence[Answer], right: Mapping[object, object], kind: str, stats: Mapping[object, tuple[float, ...]]
    ) -> object | None:
        """The question that both answer, each in another way, and that most entities answer; `right` by question."""
        shared = [
            (kind, answer.question) for answer in left if right.get(answer.question, answer.value) != answer.value
        ]
        return max(shared, key=lambda question: (stats[question][0], repr(question))) if shared else None


def _measures(counted: Mapping[tuple[str, object], Counts]) -> Mapping[object, tuple[float, ...]]:
    """The measures of questions by (type of entity, question)."""
    of_any: dict[object, Counts] = {}
    for (_, question), counts in counted.items():
        of_any[question] = _added(of_any.get(question, _NONE), counts)
    any_bounded = {question: _bounded(counts) for question, counts in of_any.items()}
    return {key: (*_shares(counts), *_bounded(counts), *any_bounded[key[1]]) for key, counts in counted.items()}


def _added(one: Counts, other: Counts) -> Counts:
    return cast(Counts, tuple(map(add, one, other)))


def _shares(counts: Counts) -> tuple[float, ...]:
    """The measures of entities of one type, before the bounded ones."""
    holders, several, tests, named, together, turns, _ = counts
    return (
        _log_count(holders),
        several / holders,
        (together + SMOOTHING) / (tests + 1.0),
        (turns + SMOOTHING) / (tests + 1.0),
        _log_count(tests),
        named / (tests + 1.0),
    )


def _bounded(counts: Counts) -> tuple[float, ...]:
    """The measures that tell no turn in three tests from none in a hundred, whatever the size of the graph."""
    _, several, tests, named, together, turns, chances = counts
    return (
        *_bounds(turns, max(turns, chances)),
        *_bounds(together, tests),
        _bounds(named, tests)[1],
        tests / max(1, several),
    )


@lru_cache(maxsize=100_000)
def _bounds(found: int, tests: int) -> tuple[float, float]:
    """Between what shares those that were found lie among all such tests: one in twenty is beyond either end.

    Source: Wilson 1927, the score interval; the whole range where nothing was tested.
    """
    if not tests:
        return 0.0, 1.0
    share, square = found / tests, _ONE_IN_TWENTY**2 / tests
    middle = share + square / 2
    reach = _ONE_IN_TWENTY * (share * (1 - share) / tests + square / (4 * tests)) ** 0.5
    return (middle - reach) / (1 + square), (middle + reach) / (1 + square)


def _starts(*columns: NDArray[np.generic]) -> Ints:
    """Where rows differ from the row before in one of the columns; rows are sorted by them."""
    fresh = np.zeros(len(columns[0]), dtype=np.bool_)
    fresh[:1] = True
    for column in columns:
        fresh[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(fresh)


def _plain(word: str) -> list[str]:
    """The words of a typed value; a known entity is spelled `best name@number`."""
    return word.split("@")[0].split()


@lru_cache(maxsize=10_000)
def _log_count(count: int) -> float:
    return float(np.log1p(count))


def _spelled(question: object) -> str:
    return " ".join(str(part) for part in _flat(question) if str(part))


def _flat(thing: object) -> Iterator[object]:
    if isinstance(thing, tuple):
        for part in thing:
            yield from _flat(part)
    else:
        yield thing


def _of_instances(instances: Sequence[Instance]) -> Sequence[Answer]:
    """A statement in a relation answers, by each of its parts, what the others ask."""
    out = []
    for one in instances:
        for at, (kind, value) in enumerate(one.parts):
            stays = tuple([other for index, (_, other) in enumerate(one.parts) if index != at])
            out.append(Answer((one.relation, kind, stays), value))
    return out


def _of_label(statement: Statement) -> Sequence[Answer]:
    """A line with a label answers, in the part of its entity where it stands, what the label asks."""
    label, said = label_of(statement.facts[0].content)
    if not label:
        return ()
    return (Answer((statement.entity, statement.aspect, label), said),)


@lru_cache(maxsize=200_000)
def _plain_words(reading: Reading) -> frozenset[str]:
    return frozenset(word for one in reading.words for word in _plain(one))


@lru_cache(maxsize=200_000)
def answers_around_values(reading: Reading) -> tuple[Answer, ...]:
    """A statement with a typed value answers what the free words around it ask, whatever their order and endings."""
    typed = [at for at, kind in enumerate(reading.shape) if kind in TYPED]
    if not typed:
        return ()
    free = [word if kind not in TYPED else "" for kind, word in zip(reading.shape, reading.words, strict=True)]
    words = sorted({one[:_STEM] for one in units(free) if one and one not in FUNCTION_WORDS and one.isalnum()})
    if not words or len(words) > _MOST_WORDS:
        return ()
    out = []
    for at in typed:
        others = tuple(sorted(reading.words[other] for other in typed if other != at))
        out.append(Answer((reading.shape[at], tuple(words), others), reading.words[at]))
    return tuple(out)
