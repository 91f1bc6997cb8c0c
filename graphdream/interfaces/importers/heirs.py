"""Heirs: which line of a note an edit has put in the place of another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from graphdream.language.folding import fold
from graphdream.language.labels import label_of
from graphdream.language.scripts import spaced, units

LIKE = 0.5  # share of signs that two lines have in common, from which one is the other, edited
_SUBJECT, _BEGINNING = 0.5, 2  # what counts a beginning that is the same, beside that share; words of a beginning
_WORD = re.compile(r"\w+")
_MOST_PAIRS = 40_000  # lines gone times lines new at one time; beyond, a note was rewritten, not edited


Place = tuple[Any, ...]
"""Where a line stands; lines of one place are compared."""


class Line(NamedTuple):
    """A line of a note: the id of its fact, where it stands, and what it says."""

    fact: str
    place: Place
    text: str


def heirs_of(gone: Sequence[Line], fresh: Sequence[Line]) -> dict[str, str]:
    """Of each line that a note no longer has, the one that came in its place; those without one are left out.

    It stands in the same place, and is either the one line under the same label there (`gate code: 4417`), as the line
    gone was, or the one that is most like it. No line is the heir of two: the pairs that are most alike come first, and
    of those equally alike the ones that stand nearest in their lists.

    Args:
        gone: the lines that a version of the note does not have any more.
        fresh: those that it is the first to have.
    """
    if len(gone) * len(fresh) > _MOST_PAIRS:
        return {}
    labels, heads = _labelled(gone), _labelled(fresh)
    found = {one.fact: heads[_head(one)] for one in gone if _head(one) in labels and _head(one) in heads}
    taken = set(found.values())
    pairs = [
        (-likeness, abs(at - number), at, number)
        for at, one in enumerate(gone)
        if one.fact not in found
        for number, other in enumerate(fresh)
        if other.place == one.place and other.fact not in taken and (likeness := _likeness(one.text, other.text))
    ]
    for _, _, at, number in sorted(pairs):
        if gone[at].fact not in found and fresh[number].fact not in taken:
            found[gone[at].fact] = fresh[number].fact
            taken.add(fresh[number].fact)
    return found


def _head(line: Line) -> tuple[Place, str]:
    return line.place, label_of(line.text)[0]


def _labelled(lines: Sequence[Line]) -> Mapping[tuple[Place, str], str]:
    """(place, label) -> the one line there with that label."""
    count = Counter(map(_head, lines))
    return {head: line.fact for line in lines if (head := _head(line))[1] and count[head] == 1}


def _likeness(one: str, other: str) -> float:
    """How alike two lines are, what they begin with counted once more: there it stands what they are about, and an edit
    gives another value to that; 0 where they are too little alike for the one to be the other, edited."""
    matcher = SequenceMatcher(None, other, one, autojunk=False)
    if matcher.real_quick_ratio() < LIKE or matcher.quick_ratio() < LIKE or (ratio := matcher.ratio()) < LIKE:
        return 0.0
    return round(ratio + _SUBJECT * len(_beginning(one) & _beginning(other)) / _BEGINNING, 6)


@lru_cache(maxsize=10_000)
def _beginning(text: str) -> frozenset[str]:
    """The first words of a line, or pairs of signs where no spaces are written; numbers are values."""
    words = (unit for unit in units(_WORD.findall(spaced(fold(text)))) if not any(sign.isdigit() for sign in unit))
    return frozenset(islice(words, _BEGINNING))
