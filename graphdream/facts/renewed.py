"""Whether a newer statement tells who is the new one of a label: `Cuoca: Assunta Melis`, `La nuova cuoca è Rosalba`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from graphdream.facts.clauses import clause_of
from graphdream.facts.reading import LABEL, NAME, TYPED, Reading
from graphdream.facts.relabelled import PLURAL, label_words
from graphdream.facts.telling import places, tells_what
from graphdream.facts.words import FUNCTION_WORDS, IS, NEGATIONS
from graphdream.language.classes import closed_class
from graphdream.language.forms import LEAST_STEM, share_stem
from graphdream.language.scripts import is_unspaced

_ANEW = closed_class("anew")
"""Adjectives that mean new, or of now."""
_STEMS = frozenset(word[:LEAST_STEM] for word in _ANEW if len(word) >= LEAST_STEM)
_LEADS_IN = FUNCTION_WORDS - IS
_LONGEST = 4
"""Words of a label that tell something, at most; a longer one is a sentence."""
_NAME = 2
"""Words of a name that is not known to be one, at most: `Treasurer: Mo`."""


@lru_cache(maxsize=50_000)
def tells_the_new(before: Reading, after: Reading) -> bool:
    """Whether the newer has a clause that says of the new one of the older's label what, or who, it is, by the copula,
    and that is of the kinds of values that the label has."""
    label = label_words(before)
    if not 0 < len(label) <= _LONGEST or LABEL in after.words or not NEGATIONS.isdisjoint(after.words):
        return False
    said = list(places(before, before.words.index(LABEL) + 1))
    return any(_are_of_a_kind(said, answer) for answer in _answers(after, label))


@lru_cache(maxsize=200_000)
def says_new(one: Reading) -> bool:
    """Whether a statement says of something that it is new."""
    return any(map(_is_anew, one.words))


def _answers(after: Reading, label: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """What the clauses of a statement say of the new one of a label: behind the copula (`the new chair is Ada`), or the
    mark in its place, or before it (`Ada is the new chair`)."""
    for at, word in enumerate(after.words):
        if not _is_anew(word):
            continue
        start, end = clause_of(after, at)
        behind = _behind(after, at + 1, end, label)
        lead = (place for place in range(at - 1, start - 1, -1) if after.words[place] not in _LEADS_IN)
        before = next(lead, -1)
        if behind < 0:
            continue
        if before < 0:
            if behind in after.marks:
                yield list(places(after, behind, clause_of(after, behind)[1]))
            elif behind < end and after.words[behind] in IS:
                yield list(places(after, behind + 1, end))
        elif after.words[before] in IS and behind == end:
            yield list(places(after, start, before))


def _behind(after: Reading, at: int, end: int, label: Sequence[str]) -> int:
    """The place behind a label that stands at a place; -1 where it does not."""
    if at + len(label) > end:
        return -1
    found = after.words[at : at + len(label)]
    alike = all(one == other or share_stem(one, other) for one, other in zip(found, label, strict=True))
    several = label[-1] == found[-1] + PLURAL  # `Boats: Vesla`: a new one comes on top
    return at + len(label) if alike and not several else -1


def _are_of_a_kind(said: Sequence[tuple[str, str]], answer: Sequence[tuple[str, str]]) -> bool:
    """Whether an answer may stand in the place of what a label says: another, of the same kinds of values; or a name,
    where that may be one."""
    mine, theirs = ([both for both in one if tells_what(*both)] for one in (said, answer))
    if not mine or not theirs or {word for _, word in mine} == {word for _, word in theirs}:
        return False
    kinds, others = (sorted(kind for kind, _ in one if kind in TYPED) for one in (mine, theirs))
    if kinds:
        return kinds == others
    unspaced = all(is_unspaced(word) for _, word in (*mine, *theirs))
    return unspaced or (len(mine) <= _NAME and others == [NAME])


@lru_cache(maxsize=200_000)
def _is_anew(word: str) -> bool:
    return word in _ANEW or (word[:LEAST_STEM] in _STEMS and any(share_stem(word, other) for other in _ANEW))
