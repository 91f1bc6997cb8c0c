"""Values that tell: shared by two statements of one entity, they say that both state the same fact.

That a thing has two facts with the same price or address is a coincidence; that a graph says one fact in two ways is
what bloat is. So a value that hardly anything else has is evidence by itself, and needs no second entity on which the
same two forms meet, which a small graph does not have.

Measured on ten generated graphs of three vocabularies, over pairs of one entity with equal values that nothing else
joined: where both frames were seen with other values, all of 135 were the same. Generated graphs have no `lives in
Oslo` beside `works in Oslo`, so names of places, people and things do not count all the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from graphdream.facts.clauses import take_same_stand
from graphdream.facts.links import WordRoles
from graphdream.facts.reading import DATE, NAME, NUMBER, TIME, TYPED
from graphdream.facts.statements import Statement

_MOST_HOLDERS = 4
"""Entities of which a rare value is said, at most."""
_LONGEST_MANNERS = 2, 4
"""Free words that the plainer and the other of the two statements have for themselves, at most."""
_FIGURES = 2
"""Significant figures of a number that tells by itself."""
_STEM = 5
"""First letters of a word that its forms share."""
_CODE = re.compile(r"\w[/_+:.]\w|\d")
"""What names made by machines have, and names of people and places do not."""


class TellingValues:
    """Says of two statements of one entity whether the value they share makes them one fact.

    Args:
        said: all statements of the graph.
        roles: what links taught about words.
    """

    def __init__(self, said: Sequence[Statement], roles: WordRoles) -> None:
        self._roles = roles
        self._fillings: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
        self._holders: dict[str, set[int]] = defaultdict(set)
        for statement in said:
            if statement.values:
                self._fillings[statement.reading.shape].add(tuple(sorted(statement.values)))
            for value in statement.values:
                self._holders[value].add(statement.entity)

    def join(self, a: Statement, b: Statement) -> tuple[Statement, Statement, bool] | None:
        """Whether two statements with equal values say the same, as far as these values can tell.

        They do if the words around the value are a frame in both: the graph says them of other values too. Otherwise
        a bare label with its value (`coverage 41 %`) says no more than a sentence with the same rare value does.

        Returns:
            (the one that may go, the one that stays, whether it may be the other way round as well), or None.
        """
        only_a, only_b = a.content - b.content, b.content - a.content
        plainer, other = sorted((len(only_a), len(only_b)))
        if plainer > _LONGEST_MANNERS[0] or other > _LONGEST_MANNERS[1]:
            return None
        if any(self._roles.carries(word) for word in only_a | only_b) or not take_same_stand(a, b):
            return None
        telling = _telling(a, b)
        if not telling:
            return None
        if min(len(self._fillings[statement.reading.shape]) for statement in (a, b)) > 1:
            return b, a, True
        less, more = sorted((a, b), key=lambda s: (len(s.content), len(s.reading.words), -s.at))
        if _is_label(less) and min(len(self._holders[value]) for value in telling) <= _MOST_HOLDERS:
            return less, more, False
        return None


def _is_label(statement: Statement) -> bool:
    """Whether a statement is its values and one word at most, without a sentence around them: `headcount 64`."""
    shape = statement.reading.shape
    return len(statement.content) < 2 and all(s in TYPED or s == ":" or s in statement.content for s in shape)


def _telling(a: Statement, b: Statement) -> list[str]:
    """The values of two statements that hardly two facts of one entity share.

    Days do where the words have something in common too: much may happen on one day.
    """
    places = list(zip(a.reading.shape, a.reading.words, strict=True))
    times = sum(1 for kind, _ in places if kind == TIME)
    telling = [value for kind, value in places if _tells(kind, value) or (kind == TIME and times > 1)]
    if telling or {word[:_STEM] for word in a.content} & {word[:_STEM] for word in b.content}:
        telling += [value for kind, value in places if kind == DATE]
    return telling


def _tells(kind: str, value: str) -> bool:
    """Whether a value tells by itself: `CC-BY-4.0`, 41 % and 9:15, but not `Oslo`, #12, 5, 100 and 9:00.

    Where one lives, works and was born may well be one place, a pull request does more than one thing, and what is
    round or small is often counted.
    """
    if kind == NAME:
        return _CODE.search(value) is not None and "@" not in value
    figures = re.sub(r"\D", "", value).strip("0")
    measures = kind == NUMBER and not value.startswith("#") and len(figures) >= _FIGURES
    return measures or (kind == TIME and not value.endswith(":00"))
