"""Questions that grammar shows to have one answer at a time, whatever the answer is.

`The retry limit in Flask is 8` speaks of *the* retry limit, and `her favourite film` of the one that comes first: an
article or an adjective of that sort says that there is one, in a graph that is too small to show it. A second answer
that was given later is then the one that holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from graphdream.facts.changes import without_former
from graphdream.facts.frames import is_free
from graphdream.facts.reading import DATE, NUMBER, TIME, TYPED, Reading
from graphdream.facts.told import former_places
from graphdream.facts.words import CHANGE, INTENT, NEGATIONS

_FIRST = frozenset("favourite favorite preferred default current main primary".split())
"""Adjectives of which a thing has one at a time."""
_LENGTHS = range(2, 4)
"""Words of a question. One alone (`the problem`, `the key`) names too much, unless a number answers it."""
_OF = frozenset(("of", "for", "in", "on"))
"""What leads from a question to whose it is."""
_IS = frozenset((":", "is", "are"))
"""What leads to the answer, by itself ..."""
_AT = frozenset(("at", "to"))
"""... and after a verb that sets it (`keep the limit of A at 8`, `is set to`)."""
_SAYS = frozenset("said says named names mentioned mentions asked calls called".split())
"""Verbs that give an answer and are no part of it."""
_LONGEST_PLACE = 5
"""Tokens from a question to its answer, at most."""
_LONGEST_ANSWER = 4
_PAST = frozenset(("was", "were", "had"))
_TO = (("to",), ("into",))
"""What leads from the former value to the one that holds."""
_TOLD_AT = frozenset((DATE, TIME))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement answers.

    Attributes:
        question: the words that ask, then, sorted, those of what it is asked of besides the subject.
        value: the words that answer, in order.
    """

    question: tuple[str, ...]
    value: tuple[str, ...]


@lru_cache(maxsize=200_000)
def answers(reading: Reading) -> tuple[Answer, ...]:
    """The questions with one answer that a statement answers in a few words.

    None where it denies, tells of what was, or of what is meant to be; where it tells of a change from one value to
    another, the later one is the answer.
    """
    changed = _without_former(reading)
    if changed is None and any(not closed.isdisjoint(reading.words) for closed in (NEGATIONS, CHANGE, INTENT, _PAST)):
        return ()
    return tuple(_answered(changed or reading))


def _without_former(reading: Reading) -> Reading | None:
    """`the limit was changed to 5`, of `the limit was changed from 3 to 5`; None where no such change is told."""
    over = former_places(reading)
    if not over or reading.words[min(over) - 1] != "from" or reading.words[max(over) + 1 : max(over) + 2] not in _TO:
        return None
    return without_former(reading, over | {min(over) - 1})


def _answered(reading: Reading) -> Iterator[Answer]:
    words = reading.words
    for at, word in enumerate(words):
        if word in _FIRST:
            found = _first(reading, at)
        elif word == "the" and words[at + 1 : at + 2] and words[at + 1] not in _FIRST:
            found = _definite(reading, at + 1)
        else:
            continue
        if found is not None:
            yield found


def _first(reading: Reading, start: int) -> Answer | None:
    """The answer to `favourite film`, wherever it stands."""
    end = _noun_end(reading, start)
    if end - start not in _LENGTHS:
        return None
    besides = _setting(reading, start, end)
    span = [at for at in range(len(reading.words)) if not start <= at < end and at not in besides]
    return _answer(reading, range(start, end), besides, span)


def _definite(reading: Reading, start: int) -> Answer | None:
    """The answer to `the retry limit`, where what leads to it is that it is so, or is set so."""
    end = _noun_end(reading, start)
    span = _before_as(reading, start, end) or _behind_verb(reading, start, end)
    if span is None:
        return None
    measured = any(reading.shape[at] == NUMBER for at in span)
    if end - start not in _LENGTHS and not (measured and end - start == 1):
        return None
    return _answer(reading, range(start, end), _setting(reading, start - 1, end), span)


def _before_as(reading: Reading, start: int, end: int) -> range | None:
    """Places of an answer in front of the question: `uses 15 minutes as the default interval`."""
    if end < len(reading.words) or start < 2 or reading.words[start - 2] != "as":
        return None
    return range(start - 2)


def _behind_verb(reading: Reading, start: int, end: int) -> range | None:
    """Places of an answer behind the question: `we keep the retry limit in Flask at 8`."""
    words, last = reading.words, len(reading.words)
    place = next((at for at in range(end, min(end + _LONGEST_PLACE, last)) if words[at] in _IS | _AT), None)
    if place is None or not (place == end or words[end] in _OF or not CHANGE.isdisjoint(words[end : end + 2])):
        return None
    changed = not CHANGE.isdisjoint(words[end:place])
    is_set = changed or any(is_free(reading.shape[at]) for at in range(start - 1))
    if words[place] in _AT and not (is_set and (place > end or NUMBER in reading.shape[place:])):
        return None
    verb = place + 1
    first = verb + 2 if verb + 1 < last and words[verb + 1] in _AT and is_free(reading.shape[verb]) else verb
    return range(first, last)


def _setting(reading: Reading, start: int, end: int) -> set[int]:
    """Places of what a question is asked of besides: `in the hall the main light`, `the limit of a blog`."""
    words = reading.words
    before = next((at for at in range(start) if words[at] in _OF), start)
    places = set(range(before, start))
    if end < len(words) and words[end] in _OF:
        places |= set(range(end, next((at for at in range(end, len(words)) if words[at] in _IS | _AT), len(words))))
    return places


def _answer(reading: Reading, question: range, besides: Collection[int], span: Iterable[int]) -> Answer | None:
    words = reading.words
    setting = sorted(words[at] for at in besides if _answers(reading, at) and words[at] not in CHANGE)
    value = tuple(words[at] for at in span if at not in besides and _answers(reading, at))
    found = Answer((*(words[at] for at in question), *setting), value)
    return found if 0 < len(value) <= _LONGEST_ANSWER else None


def _noun_end(reading: Reading, start: int) -> int:
    return next((at for at in range(start, len(reading.words)) if not is_free(reading.shape[at])), len(reading.words))


def _answers(reading: Reading, at: int) -> bool:
    """Whether a token may be part of an answer; days and times tell when it was given."""
    kind, word = reading.shape[at], reading.words[at]
    return (kind in TYPED and kind not in _TOLD_AT) or (is_free(reading.shape[at]) and word not in _SAYS)
