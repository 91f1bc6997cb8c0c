"""Whether two statements of an entity are about two things of it, each told by name: `rent: 870 euros`, `the insurance
costs 460 euros now`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from graphdream.facts.reading import NAME, TYPED, Reading
from graphdream.facts.telling import places, tells
from graphdream.facts.words import CHANGE, FUNCTION_WORDS, IS, NOW
from graphdream.language.forms import share_stem

_LABEL = ":"
_POSSESSIVE = "'s"
_LONGEST = 4
"""Words that tell what a statement is about, at most."""


@lru_cache(maxsize=50_000)
def are_of_two_subjects(before: Reading, after: Reading) -> bool:
    """Whether each opens with what it is about, and the other has no word of that. What is about the entity itself (`is
    based in Bergen`), or opens with a verb, is about no other thing."""
    mine, theirs = _opens_with(before), _opens_with(after)
    return bool(mine and theirs) and not (_has_of(after, mine) or _has_of(before, theirs))


def _opens_with(reading: Reading) -> frozenset[str]:
    """The telling words that a statement opens with: its label, what stands before its copula, or its first one where
    that is led in to (`the insurance costs`) or another word follows (`parking costs 45 euros`)."""
    words, shape = reading.words, reading.shape
    if reading.named and words[:1] != (_POSSESSIVE,):
        return frozenset()
    telling = [at for at, both in enumerate(places(reading)) if tells(*both) and both[1] not in NOW]
    if not telling or words[telling[0]] in CHANGE or shape[telling[0]] in TYPED - {NAME}:
        return frozenset()
    end = next((at for at, word in enumerate(words) if word == _LABEL or word in IS), len(words))
    before_it = [at for at in telling if at < end]
    if end < len(words) - 1 and 0 < len(before_it) <= _LONGEST:
        return frozenset() if TYPED.intersection(shape[at] for at in before_it) - {NAME} else _parts(reading, before_it)
    first = telling[0]
    behind = first + 1
    goes_on = behind in telling and shape[behind] not in TYPED and words[behind] not in CHANGE
    led_in = first > 0 and NOW.isdisjoint(words[:first])
    return _parts(reading, [first]) if first < end and (led_in or goes_on) else frozenset()


def _parts(reading: Reading, at: Iterable[int]) -> frozenset[str]:
    return frozenset(part for place in at for part in reading.words[place].split())


def _has_of(reading: Reading, about: frozenset[str]) -> bool:
    """Whether a statement has a form of any of these words."""
    mine = {part for word in reading.words if word not in FUNCTION_WORDS for part in word.split()}
    return any(one == other or share_stem(one, other) for one in about for other in mine)
