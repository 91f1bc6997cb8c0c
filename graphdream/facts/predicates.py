"""What is said of a thing that two sentences begin with: `the office closes at 6`, `the office moved to Ghent`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import takewhile

from graphdream.facts.reading import DATE, LABEL, NAME, SUBJECT, TIME, TYPED, Reading
from graphdream.facts.telling import ADVERBIAL, kind_told, places, tells
from graphdream.facts.words import FROM_NOW_ON, FUNCTION_WORDS, IS, NOW, is_of_change
from graphdream.language.classes import closed_class, spoken_class

_IDENTIFIER = re.compile(r"[\d/_.:@#]")
_PATH = re.compile(r"[^\W\d]/")
_WHEN = frozenset((DATE, TIME))
_DWELLS = closed_class("dwells")

Said = Sequence[tuple[str, str]]
"""Kinds and words, in order."""


@lru_cache(maxsize=50_000)
def say_something_else(before: Reading, after: Reading) -> bool:
    """Whether two sentences begin with what they are about and have nothing else in common: neither ends the other.

    That they begin alike is no evidence of one question, as it is none that two sentences are about the subject of
    their entity, which is left off in both. Not so where they go on alike (`the sofa is blue`, `is now green`), or
    a value stands behind what they share (`CI takes 12 minutes`, `takes 7 minutes`), or both go on with one word or
    with a day (`costs 30 euros`, `raised its fee to 38 euros`), or with nothing but a value and a word of change
    (`the desk is in Ghent`, `moved to Lille`), or to where something is by its path (`models live in lib/models`,
    `models moved to app/models`).
    """
    if before.named or after.named:
        return False
    mine, theirs = _said(before), [both for both in _said(after) if both[1] not in NOW]
    at = sum(1 for _ in takewhile(lambda both: both[0][1] == both[1][1], zip(mine, theirs, strict=False)))
    if not at or at in (len(mine), len(theirs)):
        return False
    kind, last = mine[at - 1]  # of what they share
    if last in FROM_NOW_ON or not tells(kind, last):
        return False
    if mine[at][0] in TYPED and theirs[at][0] in TYPED:
        return False
    mine, theirs = mine[at:], theirs[at:]
    if _is_where(mine, before) and _is_where_to(theirs, after):
        return False
    if frozenset(word for _, word in mine) & frozenset(word for _, word in theirs) - _SAYS_NOTHING:
        return False
    if _WHEN.intersection(kind for kind, _ in mine) & _WHEN.intersection(kind for kind, _ in theirs):
        return False
    if _has_words(theirs):
        return True
    return _has_words(mine) and not (_has_path(mine) and _has_path(theirs))


def _said(reading: Reading) -> Said:
    """The kinds and words of a statement; a weekday is a day."""
    return [(kind_told(*both), both[1]) for both in places(reading)]


def _has_words(said: Said) -> bool:
    """Whether there is more than values (also what is written as an identifier) and words of change."""
    found = (word for kind, word in said if kind not in TYPED and tells(kind, word))
    return any(not (word in FROM_NOW_ON or word.endswith(ADVERBIAL) or _IDENTIFIER.search(word)) for word in found)


def _is_where(said: Said, one: Reading) -> bool:
    """Whether it says where something is kept, or lives, by the name of a place (`are kept in Vault`). Who works at
    Delta Corp and moves to Lisbon may work there still."""
    words = [word for kind, word in said if kind not in TYPED and tells(kind, word)]
    is_there = any(word in IS for _, word in said) or not _DWELLS.isdisjoint(words)
    return len(words) == 1 and is_there and _ends_in_a_name(said, spoken_class("where", one.words))


def _is_where_to(said: Said, one: Reading) -> bool:
    """Whether it is a verb of change, a place by its name, and what leads in to that (`moved to Doppler`)."""
    words = [word for kind, word in said if kind not in TYPED and tells(kind, word)]
    leads_to = spoken_class("towards", one.words) | spoken_class("to", one.words)
    return any(map(is_of_change, words)) and len(words) == 1 and _ends_in_a_name(said, leads_to)


def _ends_in_a_name(said: Said, led_in: Collection[str]) -> bool:
    """Whether all values are one name at the end, right behind one of some words."""
    kinds = [kind for kind, _ in said if kind in TYPED]
    return kinds == [NAME] and said[-1][0] == NAME and said[-2][1] in led_in


def _has_path(said: Said) -> bool:
    return any(_PATH.search(word) for _, word in said)


_SAYS_NOTHING = FUNCTION_WORDS | FROM_NOW_ON | {SUBJECT, LABEL}
