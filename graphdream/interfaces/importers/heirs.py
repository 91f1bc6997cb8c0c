"""Heirs: which line of a note an edit has put in the place of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from graphdream.language.labels import label_of

_LIKE = 0.5  # share of signs that two lines have in common, from which one is the other, edited
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
    gone was, or the one that is most like it.

    Args:
        gone: the lines that a version of the note does not have any more.
        fresh: those that it is the first to have.
    """
    if len(gone) * len(fresh) > _MOST_PAIRS:
        return {}
    labels, heads = _labelled(gone), _labelled(fresh)
    found = {}
    for one in gone:
        heir = heads.get(_head(one)) if _head(one) in labels else None
        heir = heir or _most_like(one.text, [other for other in fresh if other.place == one.place])
        if heir:
            found[one.fact] = heir
    return found


def _head(line: Line) -> tuple[Place, str]:
    return line.place, label_of(line.text)[0]


def _labelled(lines: Sequence[Line]) -> Mapping[tuple[Place, str], str]:
    """(place, label) -> the one line there with that label."""
    count = Counter(map(_head, lines))
    return {head: line.fact for line in lines if (head := _head(line))[1] and count[head] == 1}


def _most_like(text: str, fresh: Sequence[Line]) -> str:
    matcher = SequenceMatcher(None, "", text, autojunk=False)
    best, heir = _LIKE, ""
    for one in fresh:
        matcher.set_seq1(one.text)
        if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best and matcher.ratio() >= best:
            best, heir = matcher.ratio(), one.fact
    return heir
