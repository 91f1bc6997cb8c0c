"""What is said of a thing that two sentences begin with: `the office closes at 6`, `the office moved to Ghent`."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from graphdream.facts.reading import DATE, LABEL, SUBJECT, TIME, TYPED, Reading
from graphdream.facts.telling import places, tells
from graphdream.facts.words import FROM_NOW_ON, FUNCTION_WORDS

_IDENTIFIER = re.compile(r"[\d/_.:@#]")
_WHEN = frozenset((DATE, TIME))


@lru_cache(maxsize=50_000)
def say_something_else(before: Reading, after: Reading) -> bool:
    """Whether two sentences begin with what they are about and have nothing else in common: neither ends the other.

    That they begin alike is no evidence of one question, as it is none that two sentences are about the subject of
    their entity, which is left off in both. Not so where they go on alike (`the sofa is blue`, `is green`), or a value
    stands behind what they share (`CI takes 12 minutes`, `takes 7 minutes`), where both go on with one word or with a
    day (`costs 30 euros`, `raised its fee to 38 euros`), or with nothing but a value and a word of change (`the desk is
    in Ghent`, `moved to Lille`).
    """
    if before.named or after.named:
        return False
    at = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(before.words, after.words, strict=False)))
    if not at or at in (len(before.words), len(after.words)):
        return False
    kind, last = before.shape[at - 1], before.words[at - 1]  # of what they share
    if last in FROM_NOW_ON or not tells(kind, last):
        return False
    if before.shape[at] in TYPED and after.shape[at] in TYPED:
        return False
    goes_on = frozenset(before.words[at:]) & frozenset(after.words[at:]) - _SAYS_NOTHING
    if goes_on or _WHEN.intersection(before.shape[at:]) & _WHEN.intersection(after.shape[at:]):
        return False
    return _has_words(before, at) or _has_words(after, at)


def _has_words(reading: Reading, low: int) -> bool:
    """Whether more is there from a place on than values (also what is written as an identifier) and words of change."""
    found = (word for kind, word in places(reading, low) if kind not in TYPED and tells(kind, word))
    return any(word not in FROM_NOW_ON and not _IDENTIFIER.search(word) for word in found)


_SAYS_NOTHING = FUNCTION_WORDS | FROM_NOW_ON | {SUBJECT, LABEL}
