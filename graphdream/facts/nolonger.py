"""Whether a newer statement denies what an older one says: `the tap drips`, then `the tap no longer drips`.

With an adverb that says that something was so (`no longer`, `nicht mehr`, `non ... più`) it ends the older one, if it
denies all of that and nothing else.
"""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import DATE, LABEL, TIME, Reading
from graphdream.facts.telling import has_form_of, kind_told, places, tells, tells_what
from graphdream.facts.whose import is_of_another
from graphdream.facts.words import CONJUNCTIONS, INTENT, JOINS, LIMITS, NEGATIONS
from graphdream.language.classes import closed_class

_STILL = closed_class("still")
_ANY = frozenset(("any", "more"))
"""English `any more`, which the class has not, since `more` is a word of its own."""
_OF_THE_END = NEGATIONS | _STILL | _ANY
_JOINS = CONJUNCTIONS | JOINS
_WHEN = frozenset((DATE, TIME))


def tells_no_longer(before: Reading, after: Reading) -> bool:
    """Whether the newer denies all that the older says, as what was so, and says nothing else."""
    if not denies_what_was(before, after):
        return False
    anew = frozenset(after.words) - frozenset(before.words)
    missing, extra = _apart(before, after)
    return not missing and not extra and anew.isdisjoint(LIMITS | INTENT)


def denies_less(before: Reading, after: Reading) -> bool:
    """Whether the newer, which denies something as what was so, leaves some of the older true.

    It denies one of several things that the older joins (`grinds rye and oats`, `no longer grinds oats`), also where
    it has something else in its place (`no longer grinds oats but spelt`), or the older
    with more words, which narrow what is denied or are about another (`no longer plays in church`, `Anna's sister no
    longer works at the mill`).
    """
    if not denies_what_was(before, after):
        return False
    if _has_one_of_two(before, after):
        return True
    missing, extra = _apart(before, after)
    if _goes_on(after) or (missing and extra):
        return False  # something else, or in other words
    if missing:
        several = not _JOINS.isdisjoint(before.words) or not before.marks.isdisjoint(range(1, len(before.words)))
        return several or is_of_another(before, after, ())
    return bool(extra)


def _has_one_of_two(before: Reading, after: Reading) -> bool:
    """Whether the newer has one of two things that the older joins, and nothing of the other."""
    joined = [at for at in range(1, len(before.words) - 1) if before.words[at] in JOINS]
    sides = ([at - 1, at + 1] for at in joined)
    return any(
        all(tells_what(before.shape[at], before.words[at]) for at in both)
        and len({_lacks(after, [before.words[at]]) for at in both}) > 1
        for both in sides
    )


@lru_cache(maxsize=50_000)
def denies_what_was(before: Reading, after: Reading) -> bool:
    """Whether the newer denies with an adverb that says that it was so, and the older denies nothing."""
    anew = frozenset(after.words) - frozenset(before.words)
    denied = NEGATIONS.isdisjoint(before.words) and not NEGATIONS.isdisjoint(anew)
    return denied and (not _STILL.isdisjoint(anew) or anew >= _ANY)


def _goes_on(after: Reading) -> bool:
    """Whether a mark, or a colon behind the denial, sets off something else that it says (`no longer 8080: 8443`)."""
    denied = next(at for at, word in enumerate(after.words) if word in NEGATIONS)
    return not after.marks.isdisjoint(range(1, len(after.words))) or LABEL in after.words[denied:]


def _apart(before: Reading, after: Reading) -> tuple[bool, bool]:
    """Whether the older tells what the newer does not have, and the other way round; when it was is left aside."""
    mine = [word for kind, word in places(before) if tells_what(kind, word)]
    theirs = [
        word
        for kind, word in places(after)
        if tells(kind, word) and word not in _OF_THE_END and kind_told(kind, word) not in _WHEN
    ]
    return _lacks(after, mine), _lacks(before, theirs)


def _lacks(one: Reading, words: list[str]) -> bool:
    return not all(word in one.words or has_form_of(one, (word,)) for word in words)
