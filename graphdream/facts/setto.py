"""Whether a newer statement tells what a label was set to: `Retry limit: 3`, then `We raised the retry limit to 5`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from graphdream.facts.reading import LABEL, MEASURED, NAME, TYPED, Reading
from graphdream.facts.relabelled import label_words
from graphdream.facts.telling import kind_told, places, tells, tells_what
from graphdream.facts.words import FUNCTION_WORDS, INTENT, NEGATIONS, is_of_change
from graphdream.language.classes import closed_class, spoken_class
from graphdream.language.forms import share_stem, unelided

_SETS = closed_class("sets")
_LONGEST = 4
"""Words of a label that tell something, at most; a longer one is a sentence."""
_OWN = 2
"""Words that tell something besides the label and what it was set to, at most: who did so, and how."""
_VERB = 1
"""Words behind a label that may be its verb, at most."""
_SHORT = 2
"""Words of a value that is no number, date or name, at most: `trunk`, `Mr Ott`."""


@lru_cache(maxsize=50_000)
def tells_what_it_was_set_to(before: Reading, after: Reading) -> bool:
    """Whether the newer has the words of the older's label side by side, right behind them what something comes to, and
    there another value of the label's kinds, and tells next to nothing else.

    Where the value is measured, any verb will do (`set`, `raised`). Else it must be one of change or of setting, since
    who sells the van to Ola sets nothing to *Ola*; and names, or one word at the end, since what is changed to make it
    faster is not *make*.
    """
    label = label_words(before)
    if not 0 < len(label) <= _LONGEST or LABEL in after.words or not NEGATIONS.isdisjoint(after.words):
        return False
    start, end = _found(after, label)
    if start < 0:
        return False
    mine = _said(before, before.words.index(LABEL) + 1)
    behind = _leads_to(after, start, end, measured=any(kind in MEASURED for kind, _ in mine))
    if behind < 0 or not INTENT.isdisjoint(after.words[:start]):
        return False
    theirs = _said(after, behind + 1)
    figures, others = (sorted(one for one in said if one[0] in MEASURED) for said in (mine, theirs))
    kinds = [kind for kind, _ in figures]
    if kinds != [kind for kind, _ in others] or {*mine} == {*theirs} or (kinds and figures == others):
        return False
    words, named = ([word for kind, word in said if kind not in MEASURED] for said in (mine, theirs))
    verbs = [word for kind, word in places(after, 0, start) if tells(kind, word)]
    if kinds:
        units = named[:-1] if _ends_in_a_verb(after, words, bool(verbs)) else named
        return {*units} <= {*words} and len(verbs) <= _OWN
    named = named[:-1] if _is_set(after.words[-1]) else named
    is_short = 0 < len(words) <= _SHORT and 0 < len(named) <= _SHORT
    end = len(after.words) - _is_set(after.words[-1])  # German has its verb there
    is_value = all(kind == NAME for kind, _ in theirs) or end == behind + 2
    return is_short and is_value and len(verbs) <= _OWN and any(map(_is_set, after.words))


def _is_set(word: str) -> bool:
    return is_of_change(word) or word in _SETS


def _leads_to(after: Reading, start: int, end: int, *, measured: bool) -> int:
    """Where something leads in to what a label comes to: right behind it, or, where it opens the statement, behind
    words of grammar and, for what is measured, one verb (`the fee rises to`); -1 where nothing does.

    Args:
        after: the newer.
        start, end: the places of the label, whose words may be grammar in another language (`CI`).
        measured: the label has a number, a day or a time.
    """
    rest = after.words[:start] + after.words[end:]
    leads = spoken_class("to", rest, certain=not measured)
    if _is_set(after.words[-1]):
        leads |= spoken_class("towards", rest, certain=not measured)
    at = next((at for at in range(end, len(after.words)) if after.words[at] in leads), -1)
    between = [kind for kind, word in places(after, end, at) if tells(kind, word)] if at > end else []
    opens = not any(tells(kind, word) for kind, word in places(after, 0, start))
    may_stand = len(between) <= (_VERB if measured else 0) and TYPED.isdisjoint(between)
    return at if at == end or (opens and may_stand) else -1


def _ends_in_a_verb(after: Reading, units: Sequence[str], has_verb: bool) -> bool:
    """Whether a statement ends in its verb, as in German, right behind the unit of a number; or behind the number,
    where nothing else may be the verb."""
    *_, near, last = after.words
    return last not in units and after.shape[-1] not in TYPED and (near in units or not has_verb)


def _said(one: Reading, low: int) -> list[tuple[str, str]]:
    """Kind and word of what a statement tells from a place on, a weekday being a date, but for when it holds."""
    return [(kind_told(kind, word), word) for kind, word in places(one, low) if tells_what(kind, word)]


def _found(after: Reading, label: Sequence[str]) -> tuple[int, int]:
    """Where the words of a label stand, with nothing between them that tells something: the place of the first, and the
    place behind the last; -1, -1 where they do not."""
    for start in range(len(after.words)):
        if not _is(after.words[start], label[0]):
            continue
        wanted, at = list(label), start
        while wanted and at < len(after.words):
            if _is(after.words[at], wanted[0]):
                wanted.pop(0)
            elif after.words[at] not in FUNCTION_WORDS:
                break
            at += 1
        if not wanted:
            return start, at
    return -1, -1


def _is(word: str, wanted: str) -> bool:
    bare = unelided(word)
    return bare == wanted or share_stem(bare, wanted)
