"""Attributions: the part of a sentence that says from whom, where or when it is known, by the grammar of English.

`According to Slack, ...`, `Ada said ...`, `..., noted April 15`, `... (as of June)`. What a graph repeats often enough
is learned as a wrapper (`wrappers`); in a small one most attributions stand there once, with another name or day each.
Who said it is not lost: the fact that names somebody stays, and one that does not goes (`cover`).
"""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import DATE, NAME, NUMBER, SUBJECT, Reading
from graphdream.facts.words import FUNCTION_WORDS, NEGATIONS, RESTRICTIONS

_LONGEST = 7
"""Tokens of an attribution, at most."""
_LEAST_LEFT = 2
"""Tokens of what is attributed, at least."""
_TOLD = frozenset(
    "said mentioned noted confirmed reported heard discussed agreed stated recorded learned seen checked".split()
)
"""Past participles of verbs of telling and noticing."""
_SAYS = frozenset("said says mentioned mentions noted notes reported reports confirmed confirms heard".split())
"""Verbs that have who says it before them and what is said behind them."""
_TALKS = frozenset(
    "session call meeting standup sync retro review interview conversation chat thread email mail message note notes "
    "minutes doc document transcript log report".split()
)
"""What people say things in."""
_WHERE = frozenset("in at from during per".split())
_NOTICES = frozenset("fyi note nb reminder remember btw heads-up".split()) | _TOLD
_HEARSAY = frozenset("apparently reportedly".split())
_SPEAKERS = frozenset("user someone somebody everyone everybody people i we they".split())


@lru_cache(maxsize=200_000)
def without_attribution(reading: Reading) -> Reading:
    """The reading without what says how it is known, at its beginning and at its end."""
    low = _leading(reading)
    high = _trailing(reading)
    if high - low < _LEAST_LEFT or (low, high) == (0, len(reading.words)):
        return reading
    # A statement begins without its subject.
    if low and reading.shape[low] == SUBJECT and high - low > _LEAST_LEFT:
        low += 1
    return reading.between(low, high)


def _leading(reading: Reading) -> int:
    """Place at which what is attributed begins; 0 where nothing is said before it."""
    words, shape = reading.words, reading.shape
    if len(words) <= _LEAST_LEFT:
        return 0
    if words[0] in _HEARSAY:
        return 1
    if words[:2] == ("according", "to"):
        if shape[2] == NAME:
            return 3
        end = next((at for at in range(2, min(_LONGEST, len(words))) if words[at] in _TALKS), None)
        return 0 if end is None else end + 1
    if words[0] in _WHERE:
        stop = next((at for at in range(1, min(_LONGEST + 1, len(words))) if words[at] == ":"), None)
        return stop + 1 if stop is not None and _only_tells(reading, 0, stop) else 0
    if words[0] in _NOTICES and words[1] in (":", "that"):
        return 2
    if (shape[0] == NAME or words[0] in _SPEAKERS) and words[1] in _SAYS:
        return 3 if words[2] == "that" else 2
    return 0


def _trailing(reading: Reading) -> int:
    """Place at which what is attributed ends; the length of the reading where nothing follows it."""
    words = reading.words
    for mark in sorted(reading.marks, reverse=True):
        if not 0 < mark < len(words) or len(words) - mark > _LONGEST:
            continue
        first, second = words[mark], (*words[mark + 1 :], "")[0]
        free = first in ("according", "source") or (first == "as" and (second in _TOLD or second == "of"))
        if first == "from" and reading.shape[mark + 1 :] == (NAME,) and "@" not in second:
            return mark
        if (free and _is_aside(reading, mark)) or (
            (first in _TOLD or first in ("per", "see", "via")) and _only_tells(reading, mark, len(words))
        ):
            return mark
    return len(words)


def _only_tells(reading: Reading, low: int, high: int) -> bool:
    """Whether a stretch is an aside about a talk, or about the day of a telling and nothing else.

    A day alone at the beginning is that of what is said: `in March: two days in Oslo` is not `in May: ...`.
    """
    words, shape = reading.words[low:high], reading.shape[low:high]
    if not _is_aside(reading, low, high):
        return False
    if not _TALKS.isdisjoint(words):
        return True
    return low > 0 and DATE in shape and all(kind == DATE or kind in FUNCTION_WORDS for kind in shape[1:])


def _is_aside(reading: Reading, low: int, high: int | None = None) -> bool:
    """Whether a stretch holds no number, no subject and nothing that narrows or denies what it belongs to."""
    words, shape = reading.words[low:high], reading.shape[low:high]
    return {NUMBER, SUBJECT}.isdisjoint(shape) and (NEGATIONS | RESTRICTIONS).isdisjoint(words)
