"""Where this memory puts what is over: places in its sentences at which the former answer to a question stands.

`Ada took the keys over from Ben`, in a memory in which the keys were with Ben and then with Ada, shows it by itself: it
names a former answer and the next, and the former stands between *over from* and the end. Where the same is seen of
several entities, and what stood there was not told again, the next sentence of that form tells by itself what is over,
in whatever words and language; no list of verbs is asked. In graphs of two vocabularies, both of which were looked at
when this was written, 1,177 pairs of statements that are told so were changes, some were the same thing in other words,
of which the scorer knows (pairsjudged.py), and none was anything else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from graphdream.facts.reading import LABEL, SUBJECT, TYPED, Reading
from graphdream.facts.skeletons import Skeletons
from graphdream.facts.statements import Statement
from graphdream.facts.telling import places, tells
from graphdream.facts.words import FUNCTION_WORDS

Words = tuple[str, ...]
Place = tuple[str, ...]
"""Which neighbours of a span, and what they are; a typed value is its kind."""

_SHOWN = 2
"""Entities that must show that the former stands at a place; and that what answers a question is told over there."""
_NEXT = 0.1
"""Answers that were the next and not the former at a place, for each that was the former, at most."""
_AGAIN = 0.1
"""Share of what stood at a place and was told again later, at most: what is over is told no more."""
_MOST_ANSWERS = 12
"""Answers of one entity to one question that are compared in time, at most."""
_TWO_WORDS = 2
_EDGE, _MARK = "^", ","
_NO_WORDS = TYPED | {_EDGE, _MARK, SUBJECT, LABEL}


_ToldThere = tuple[str, int, Place]
"""Type of an entity, question, and a place at which an answer to it stands later."""
_Held = tuple[int, Words]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a statement answers: the question (a skeleton) and the places low..high-1 of its answer."""

    question: int
    low: int
    high: int


class FormerPlaces:
    """Learned from all statements of a memory, those of the past too.

    Args:
        every: the statements, each at its own position.
        types: entity -> its type.
        found: their skeletons.
    """

    def __init__(self, every: Sequence[Statement], types: Mapping[int, str], found: Skeletons) -> None:
        self._every, self._types = every, types
        self._answers = _answers_of(every, found)
        self._of_entity: dict[int, list[int]] = defaultdict(list)
        for at, one in enumerate(every):
            self._of_entity[one.entity].append(at)
        self._holding: dict[int, dict[str, set[int]]] = {}
        former, following = self._seen()
        likely = {
            place
            for place, homes in former.items()
            if len(homes) >= _SHOWN and len(following.get(place, ())) <= _NEXT * len(homes)
        }
        self._told_there, self._telling = self._confirmed(likely)

    def ends(self, before: Statement, after: Statement) -> bool:
        """Whether the newer says at a place of what is over what the older answers, and the older says no more than
        that: any other value of it stands in the newer, too, which tells something of its own."""
        kind, known = self._types.get(before.entity, ""), frozenset(after.reading.words)
        if not any(tells(*one) and one[1] not in before.reading.words for one in places(after.reading)):
            return False
        for answer in self._answers.get(before.at, ()):
            rest = (*range(answer.low), *range(answer.high, len(before.reading.words)))
            values = [before.reading.words[at] for at in rest if before.reading.shape[at] in TYPED]
            if not known.issuperset(values):
                continue
            for low in _starts_of(after.reading.words, _words_of(before, answer)):
                found = _places(after.reading, low, low + answer.high - answer.low)
                if any(len(self._told_there.get((kind, answer.question, place), ())) >= _SHOWN for place in found):
                    return True
        return False

    def may_end(self, after: Statement) -> bool:
        """Whether the newer has anything at a place of what is over."""
        return after.at in self._telling

    def _seen(self) -> tuple[Mapping[Place, set[int]], Mapping[Place, set[int]]]:
        """Place -> entities of which a sentence names a former answer there and the next elsewhere; and the same of
        the next answer."""
        former: dict[Place, set[int]] = defaultdict(set)
        following: dict[Place, set[int]] = defaultdict(set)
        given: dict[tuple[int, int], dict[Words, list[int]]] = defaultdict(lambda: defaultdict(list))
        for at, answers in self._answers.items():
            for answer in answers:
                one = self._every[at]
                given[one.entity, answer.question][_words_of(one, answer)].append(at)
        for (entity, _), by_words in given.items():
            if len(by_words) < 2:
                continue
            told = sorted((min(self._every[at].told.first for at in by), words) for words, by in by_words.items())
            for (first, was), (then, is_now) in combinations(told[:_MOST_ANSWERS], 2):
                if first == then or set(was) <= set(is_now) or set(is_now) <= set(was):
                    continue
                for at in self._naming(entity, {*was, *is_now}):
                    one = self._every[at]
                    if at in by_words[was] or one.told.first <= first:
                        continue
                    lows, others = _starts_of(one.reading.words, was), _starts_of(one.reading.words, is_now)
                    if len(lows) == len(others) == 1:
                        for place in _places(one.reading, lows[0], lows[0] + len(was)):
                            former[place].add(entity)
                        for place in _places(one.reading, others[0], others[0] + len(is_now)):
                            following[place].add(entity)
        return former, following

    def _naming(self, entity: int, words: Iterable[str]) -> Iterable[int]:
        """The statements of an entity that have all of some words."""
        held = self._held(entity)
        return set.intersection(*sorted((held.get(word, set()) for word in words), key=len))

    def _held(self, entity: int) -> Mapping[str, set[int]]:
        """Word -> the statements of an entity that have it."""
        known = self._holding.get(entity)
        if known is None:
            known = self._holding[entity] = defaultdict(set)
            for at in self._of_entity[entity]:
                for word in self._every[at].reading.words:
                    known[word].add(at)
        return known

    def _confirmed(self, likely: AbstractSet[Place]) -> tuple[Mapping[_ToldThere, set[int]], frozenset[int]]:
        """Of likely places, those at which hardly anything stands that is told again later.

        Returns:
            (type of entity, question, place) -> entities of which an earlier answer to it stands there in a later
            telling; and the statements that have anything there.
        """
        over, again = defaultdict[Place, set[_Held]](set), defaultdict[Place, set[_Held]](set)
        told_there: dict[_ToldThere, set[int]] = defaultdict(set)
        telling: dict[Place, set[int]] = defaultdict(set)
        for entity, kind, answer, words, after, found in self._held_at(likely):
            was = again if self._is_told_again(entity, words, after, likely) else over
            for place in found:
                was[place].add((entity, words))
                told_there[kind, answer.question, place].add(entity)
                telling[place].add(after.at)
        sure = {place for place in over if len(again[place]) <= _AGAIN * (len(over[place]) + len(again[place]))}
        return (
            {key: entities for key, entities in told_there.items() if key[2] in sure},
            frozenset(at for place in sure for at in telling[place]),
        )

    def _held_at(self, likely: AbstractSet[Place]) -> Iterator[tuple[int, str, _Answer, Words, Statement, list[Place]]]:
        """Every earlier answer that stands at a likely place of a later statement of its entity: the entity, its type,
        the answer, its words, the later statement, and the places."""
        for entity, ats in self._of_entity.items():
            first: dict[str, list[tuple[Statement, _Answer]]] = defaultdict(list)
            for at in ats:
                for answer in self._answers.get(at, ()):
                    first[self._every[at].reading.words[answer.low]].append((self._every[at], answer))
            for after in (self._every[at] for at in ats):
                for low, word in enumerate(after.reading.words):
                    for before, answer in first.get(word, ()):
                        words = _words_of(before, answer)
                        high = low + len(words)
                        if before.told.first < after.told.first and after.reading.words[low:high] == words:
                            found = [one for one in _places(after.reading, low, high) if one in likely]
                            if found:
                                yield entity, self._types.get(entity, ""), answer, words, after, found

    def _is_told_again(self, entity: int, words: Words, after: Statement, likely: AbstractSet[Place]) -> bool:
        """Whether a still later statement of an entity has these words, and at no likely place."""
        for one in (self._every[at] for at in self._naming(entity, words)):
            if after.told.before(one.told) and any(
                likely.isdisjoint(_places(one.reading, low, low + len(words)))
                for low in _starts_of(one.reading.words, words)
            ):
                return True
        return False


def _answers_of(every: Sequence[Statement], found: Skeletons) -> Mapping[int, Sequence[_Answer]]:
    """Statement -> its answers: the open span of each skeleton, or the only typed value of one without."""
    out: dict[int, list[_Answer]] = defaultdict(list)
    columns = (column.tolist() for column in (found.statement, found.key, found.low, found.high))
    for at, key, low, high in zip(*columns, strict=True):
        if low < high:
            out[at].append(_Answer(key, low, high))
            continue
        typed = [place for place, kind in enumerate(every[at].reading.shape) if kind in TYPED]
        if len(typed) == 1:
            out[at].append(_Answer(key, typed[0], typed[0] + 1))
    return out


def _words_of(one: Statement, answer: _Answer) -> Words:
    return one.reading.words[answer.low : answer.high]


def _starts_of(words: Words, wanted: Words) -> list[int]:
    """Where some words stand among others, in their order."""
    size = len(wanted)
    return [low for low in range(len(words) - size + 1) if words[low : low + size] == wanted]


def _places(one: Reading, low: int, high: int) -> list[Place]:
    """The places at which the span low..high-1 of a statement stands, by its neighbours: the two words before it; the
    two behind it, if either tells anything; the one before and the one behind; and the two before and the one behind.
    A place without a word says nothing."""
    words, at = _spelled(one)
    start, end = at[low], at[high - 1] + 1
    far, near, behind, beyond = (words[place] for place in (start - 2, start - 1, end, end + 1))
    out = [
        (("before", far, near), any(map(_is_word, (far, near)))),
        (("behind", behind, beyond), any(_is_word(word) and word not in FUNCTION_WORDS for word in (behind, beyond))),
        (("between", near, behind), _is_word(near) and _is_word(behind)),
        (("around", far, near, behind), sum(map(_is_word, (far, near, behind))) >= _TWO_WORDS),
    ]
    return [place for place, says_something in out if says_something]


@lru_cache(maxsize=200_000)
def _spelled(one: Reading) -> tuple[Words, tuple[int, ...]]:
    """The words of a statement, kinds for typed values, with its marks and an edge of two on either side; where each
    place stands among them."""
    out, at = [_EDGE, _EDGE], []
    for place, (kind, word) in enumerate(zip(one.shape, one.words, strict=True)):
        if place in one.marks:
            out.append(_MARK)
        at.append(len(out))
        out.append(kind if kind in TYPED else word)
    return (*out, _EDGE, _EDGE), tuple(at)


def _is_word(one: str) -> bool:
    return one not in _NO_WORDS
