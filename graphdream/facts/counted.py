"""Whether two statements give figures of two things, or name two that somebody has: `the book has 300 pages`, `the book
has 12 chapters now`; `school starts at 8`, `school starts on 2 September now`; `has a dog`, `has a cat now`. Both hold.
"""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import DATE, NAME, NUMBER, TIME, TYPED, Reading
from graphdream.facts.telling import has_form_of, kind_told, places, tells
from graphdream.facts.words import FROM_NOW_ON, NOW
from graphdream.language.calendar import is_time_unit
from graphdream.language.classes import closed_class, spoken_class

_LEAST = 4
"""Letters of what is counted, at least; shorter ones are mostly units of measure, of which one may stand for another
(`800 g`, `1 kg`)."""
_NUMERALS = closed_class("numerals")
_HAS, _INDEFINITE, _ENGLISH = closed_class("has"), closed_class("indefinite"), closed_class("indefinite", of=("en",))
_HOURS = 24
"""Hours of a day: a greater number is no time of day."""


def give_figures_of_two(before: Reading, after: Reading) -> bool:
    """Whether the figures of two statements are of two things: of what is counted, or of a day and an hour."""
    return count_two_things(before, after) or tell_day_and_hour(before, after)


@lru_cache(maxsize=50_000)
def count_two_things(before: Reading, after: Reading) -> bool:
    """Whether each has one number of its own, and what the newer counts is in no word of the older: something else, or
    some of it (`3 deprecated endpoints`). A span of time is one value in other units (`6 hours`, `5 minutes`), and none
    of what is no span (`520 euros`, `3 weeks late`)."""
    mine, theirs = _counted(before, after), _counted(after, before)
    spans = bool(mine and theirs) and is_time_unit(mine) and is_time_unit(theirs)
    return bool(mine and theirs) and not spans and not has_form_of(before, (theirs,))


@lru_cache(maxsize=50_000)
def have_two_things(before: Reading, after: Reading) -> bool:
    """Whether each says that somebody has a thing, and another one: who has a cat now may still have the dog."""
    mine, theirs = _had(before), _had(after)
    return bool(mine and theirs) and not has_form_of(before, (theirs,)) and not has_form_of(after, (mine,))


@lru_cache(maxsize=50_000)
def count_otherwise(one: Reading, other: Reading) -> bool:
    """Whether each has a number of its own, written as a word: `orders four chairs` is not `orders six chairs`."""
    mine, theirs = ({*spoken_class("numerals", reading.words)}.intersection(reading.words) for reading in (one, other))
    return not (mine <= theirs or theirs <= mine)


def _had(reading: Reading) -> str:
    """What is had, by a word for having and an indefinite article before it; "" where nothing is, or what has a name of
    its own."""
    words = [(kind, word) for kind, word in places(reading) if word not in NOW]
    for (_, verb), (_, article), (kind, word) in zip(words, words[1:], words[2:], strict=False):
        if verb in _HAS and article in _INDEFINITE:
            is_noun = kind not in TYPED or (kind == NAME and article not in _ENGLISH)  # German writes nouns like names
            return word if is_noun and tells(kind, word) else ""
    return ""


@lru_cache(maxsize=50_000)
def tell_day_and_hour(before: Reading, after: Reading) -> bool:
    """Whether one has a day and no time of day for a value, and the other a time of day and no day."""
    mine, theirs = _whens(before, after), _whens(after, before)
    return bool(mine and theirs) and {*mine}.isdisjoint(theirs)


def _whens(reading: Reading, other: Reading) -> list[str]:
    """The kinds of the values that the other does not have, where all of them say when; a bare number up to 24 may be a
    time of day."""
    found = list[str]()
    for at, both in enumerate(places(reading)):
        kind = kind_told(*both)
        named_so = kind == NAME and len(both[1]) < _LEAST and at > 0 and reading.shape[at - 1] == NUMBER  # `20 Uhr`
        if kind not in TYPED or named_so or both[1] in other.words:
            continue
        if kind == NUMBER and _is_bare_hour(reading, at):
            kind = TIME
        if kind not in (DATE, TIME):
            return []
        found.append(kind)
    return found


def _is_bare_hour(reading: Reading, at: int) -> bool:
    """Whether a number may be an hour: nothing is counted behind it, but for a short word (`20 Uhr`, `9 am`)."""
    behind = reading.words[at + 1] if at + 1 < len(reading.words) and at + 1 not in reading.marks else ""
    counts = len(behind) >= _LEAST and tells(reading.shape[at + 1], behind) and behind not in FROM_NOW_ON
    return reading.words[at].isdecimal() and int(reading.words[at]) <= _HOURS and not counts


def _counted(reading: Reading, other: Reading) -> str:
    """What the one number counts that the other does not have; "" where there is none, or it is a measure."""
    kinds = [NUMBER if word in _NUMERALS else kind for kind, word in places(reading)]
    own = [at for at, kind in enumerate(kinds) if kind in TYPED and reading.words[at] not in other.words]
    behind = own[0] + 1 if own and kinds[own[0]] == NUMBER else len(kinds)
    counts_a_name = kinds[behind : behind + 1] == [NAME] and own[1:] == [behind]  # some languages write nouns so
    if behind >= len(kinds) or behind in reading.marks or not (own[1:] == [] or counts_a_name):
        return ""
    word = reading.words[behind]
    counts = tells(reading.shape[behind], word) and word not in FROM_NOW_ON
    return word if counts and (len(word) >= _LEAST or is_time_unit(word)) else ""
