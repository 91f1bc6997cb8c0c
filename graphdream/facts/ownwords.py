"""What a statement says of its own beside another: words of which the other has no form, and where they stand.

Of two statements of one entity that share much, these are what tells whether the later took the place of the earlier
(`now`, `instead`), or holds beside it (`on feast days the crypt opens at 9`, `the sister's rent`).
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.reading import NAME, TYPED, Reading
from graphdream.facts.subjects import are_of_two_subjects
from graphdream.facts.telling import has_form_of, places, tells
from graphdream.facts.words import (
    ADDS,
    CHANGE,
    FORMERLY,
    FUNCTION_WORDS,
    INTENT,
    NARROWS,
    NEGATIONS,
    NOW,
    TIMES,
    WAS,
)
from graphdream.language.classes import closed_class

COLUMNS = (
    "led_in_a", "free_a", "first_a", "led_in_b", "free_b", "first_b", "two_subjects",
    "swapped", "left_out", "put_in", "now_a", "now_b", "adds_a", "adds_b", "was_a", "was_b", "narrows_a", "narrows_b",
    "means_b", "changes_b", "opens_alike",
)  # fmt: skip
"""Of an older statement a and a newer one b: words of its own that are led in, that are not, and that stand ahead of
the first shared one, for each; whether they are of two subjects (subjects.py); places where both, only a, or only b
tell something when they are laid side by side; words of closed classes that only one of them has; whether both open
with the same word (1), a form of it (.5), two words (-1), or one with none (0)."""
_WHEN = NEGATIONS | TIMES | closed_class("still")
"""Words that deny, and that say when something holds or held: `no longer`, `nicht mehr`."""
_OF_BOTH = (NOW, ADDS, WAS | FORMERLY, NARROWS)
"""Classes of words that are counted of either."""
_OF_NEWER = (INTENT, CHANGE)
_SAME, _FORM, _TWO = 1.0, 0.5, -1.0


def columns_of(pairs: Sequence[tuple[Reading, Reading]]) -> NDArray[np.float64]:
    """Shape (pairs, COLUMNS): of each older and newer statement."""
    rows = [(*_own(a, b), *_own(b, a), are_of_two_subjects(a, b), *_beside(a, b), *_classes(a, b)) for a, b in pairs]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(COLUMNS))


def is_own(kind: str, word: str, other: Reading) -> bool:
    """Whether a place of a statement tells something that another statement has no word or part of a name for."""
    parts = (word, *word.partition("@")[0].split()) if kind == NAME else (word,)
    return tells(kind, word) and word not in _WHEN and not has_form_of(other, parts)


def is_led_in(one: Reading, at: int) -> bool:
    """Whether a function word stands right before a place: `on Sundays`, `the hall`."""
    return at > 0 and one.words[at - 1] in FUNCTION_WORDS


@lru_cache(maxsize=200_000)
def words_of_its_own(one: Reading, other: Reading) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words that are no values and that the other has not: those that tell something, and are no form of a word of it;
    and function words."""
    known = frozenset(other.words)
    free = [(kind, word) for kind, word in places(one) if kind not in TYPED and word not in known]
    telling = tuple(word for kind, word in free if tells(kind, word) and not has_form_of(other, (word,)))
    return telling, tuple(word for kind, word in free if not tells(kind, word))


@lru_cache(maxsize=200_000)
def _own(one: Reading, other: Reading) -> tuple[int, int, int]:
    led_in = free = first = 0
    begun = False
    for at, (kind, word) in enumerate(places(one)):
        if not tells(kind, word) or (kind in TYPED and kind != NAME):
            continue
        if not is_own(kind, word, other):
            begun = begun or word not in _WHEN
            continue
        led_in += is_led_in(one, at)
        free += not is_led_in(one, at)
        first += not begun
    return led_in, free, first


@lru_cache(maxsize=200_000)
def _beside(before: Reading, after: Reading) -> tuple[int, int, int]:
    """Places where both tell something when they are laid side by side, where only the older does, only the newer."""
    swapped = left_out = put_in = 0
    laid = SequenceMatcher(None, before.words, after.words, autojunk=False)
    for kind, low, high, start, end in laid.get_opcodes():
        if kind != "equal":
            mine, theirs = _says_something(before, low, high), _says_something(after, start, end)
            swapped += mine and theirs
            left_out += mine and not theirs
            put_in += theirs and not mine
    return swapped, left_out, put_in


def _says_something(one: Reading, low: int, high: int) -> bool:
    return any(tells(kind, word) for kind, word in places(one, low, high))


@lru_cache(maxsize=200_000)
def _classes(before: Reading, after: Reading) -> tuple[float, ...]:
    mine, theirs = frozenset(before.words), frozenset(after.words)
    only_mine, only_theirs = mine - theirs, theirs - mine
    of_both = [len(only & words) for words in _OF_BOTH for only in (only_mine, only_theirs)]
    return (*of_both, *(len(only_theirs & words) for words in _OF_NEWER), _opens_alike(before, after))


def _opens_alike(before: Reading, after: Reading) -> float:
    mine, theirs = _opening(before), _opening(after)
    if mine is None or theirs is None:
        return 0.0
    if mine == theirs:
        return _SAME
    return _FORM if has_form_of(after, mine[1:]) or has_form_of(before, theirs[1:]) else _TWO


def _opening(one: Reading) -> tuple[str, str] | None:
    return next((place for place in places(one) if tells(*place)), None)
