"""What is exchanged between two statements in the same words: `the red bike has 7 gears`, `the blue bike has 21`."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from graphdream.facts.reading import SUBJECT, TYPED, Reading
from graphdream.facts.words import FROM_NOW_ON, FUNCTION_WORDS, INTENT, OF


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A part that one statement has in place of another's.

    Attributes:
        typed: it is numbers, days and names on both sides.
        word: it is one word on both sides.
        apart: a word that both have stands between it and the exchange before.
    """

    typed: bool
    word: bool
    apart: bool


@lru_cache(maxsize=50_000)
def of_two_things(before: Reading, after: Reading) -> bool:
    """Whether two statements are the same sentence but for a value and for one word elsewhere, which tells what it is
    the value of: neither ends the other. A word of change beside that does not count, since it may be the other thing
    that changed.

    Where words alone are exchanged they must have a word between them that stays: `head of sales` and `chief of staff`
    are one value each.
    """
    found = list[_Exchange]()
    stays = between = False
    for what, i, j, k, m in SequenceMatcher(None, before.words, after.words, autojunk=False).get_opcodes():
        mine, theirs = _telling(before, i, j), _telling(after, k, m)
        if what == "equal":
            between = bool(mine)
            stays = stays or between
        elif mine and theirs:
            if not _OF_CHANGE.isdisjoint(after.words[k:m]) and not _before_a_word(after, k, m):
                continue  # `moved to`, in place of `lives in`
            typed = TYPED.issuperset((*mine, *theirs))
            found.append(_Exchange(typed, not typed and len(mine) == len(theirs) == 1, between or not found))
        elif _telling(before, i, j, _OF_CHANGE) or _telling(after, k, m, _OF_CHANGE):
            return False
    if not stays or not any(one.word for one in found):
        return False
    words = [one for one in found if not one.typed]
    return len(words) < len(found) or any(one.apart for one in words[1:])


def in_other_words(before: Reading, after: Reading) -> bool:
    """Whether two statements begin alike, up to whom they are about, and then have a word each and values: it is the
    verb, and `Ada lives in Kiel` and `Ada is based in Husum` may answer one question."""
    words = zip(before.words, after.words, strict=False)
    alike = next((at for at, (one, other) in enumerate(words) if one != other), 0)
    if alike:
        return bool(_telling(before, alike - 1, alike)) and all(_one_word(one, alike) for one in (before, after))
    return all(one.named and one.words[0] != _POSSESSIVE and _one_word(one, 0) for one in (before, after))


def _one_word(reading: Reading, low: int) -> bool:
    """Whether what tells something from a place on is a word, which is of nothing that stands before it, and values."""
    kinds = _telling(reading, low, len(reading.words))
    return reading.words[low] not in OF and not TYPED.issuperset(kinds[:1]) and TYPED.issuperset(kinds[1:])


def _telling(reading: Reading, low: int, high: int, but: frozenset[str] = frozenset()) -> list[str]:
    """The kinds of the telling words and values at the places low..high-1, without some words."""
    places = zip(reading.shape[low:high], reading.words[low:high], strict=True)
    return [kind for kind, word in places if kind in TYPED or not (kind == SUBJECT or word in FUNCTION_WORDS | but)]


def _before_a_word(reading: Reading, low: int, high: int) -> bool:
    """Whether one word stands before another that tells something: `left eye`, where `left` is no word of change."""
    return high - low == 1 and not TYPED.issuperset(_telling(reading, high, high + 1))


_OF_CHANGE = FROM_NOW_ON | INTENT
_POSSESSIVE = "'s"
