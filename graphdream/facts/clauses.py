"""Clauses that two statements share, and what leads into them.

An English sentence ends in what it says, and begins with how it comes to say it: `Goal: replace the spreadsheet` and
`exists to replace the spreadsheet`. A small graph shows each of the two once, so its statistics say nothing about them.
"""

from __future__ import annotations

from graphdream.facts.links import WordRoles
from graphdream.facts.reading import SUBJECT, TYPED, Reading
from graphdream.facts.statements import Statement
from graphdream.facts.words import CHANGE, FORMER, FUNCTION_WORDS, INTENT, NEGATIONS, RESTRICTIONS, stances

_SHORTEST = 3
"""Free words of an ending that is a clause of its own. Measured on six generated graphs of two vocabularies: of 80
pairs that end in three or more, 79 say the same (the other one ended in an aside)."""
_SHORTEST_RARE = 2
"""Free words of an ending that is rarer than all that stands beside it."""
_LONGEST_LEAD_IN = 4
"""Free words besides the clause, at most."""
_TURNING = (CHANGE | FORMER | NEGATIONS | RESTRICTIONS | INTENT) - {"from"}
"""Words that stand in both statements or in neither: they say whether, or when, the clause is true."""


def says_clause_of(a: Statement, b: Statement, roles: WordRoles) -> tuple[Statement, Statement, bool] | None:
    """Whether two statements with equal values say one clause, and little else.

    Where they take different stances to it (`wants to`, `refuses to`), where a word besides is known to be a value, or
    where what stands before it may be who does it (`Ada reviews the plan`), they do not.

    Returns:
        (the one that may go, the one that stays, whether it may be the other way round as well), or None.
    """
    if len(a.content & b.content) < _SHORTEST_RARE:
        return None
    only_a, only_b = a.content - b.content, b.content - a.content
    if max(len(only_a), len(only_b)) > _LONGEST_LEAD_IN or any(roles.carries(word) for word in only_a | only_b):
        return None
    if not take_same_stand(a, b):
        return None
    for ends, holds in ((a, b), (b, a)):
        low, at = _ending_in(ends.reading, holds.reading)
        size = len(ends.reading.words) - low
        if not low or not _leads_in(ends.reading, low) or not _leads_in(holds.reading, at):
            continue
        if any(low < mark for mark in ends.reading.marks) or (low in ends.reading.marks and at in holds.reading.marks):
            continue  # two clauses, or an aside: `(source: email thread)`
        clause = {word for word in ends.reading.words[low:] if word in ends.content}
        if len(clause) < _SHORTEST or all(roles.frames(word) for word in clause):
            continue
        after = holds.reading.shape[at + size :]
        if not after and at:
            return b, a, True
        if after and len(clause) > _SHORTEST and TYPED.isdisjoint(after):
            return ends, holds, len(holds.content.intersection(after)) <= 1
    if _led_in_by_common_words(a, b, roles):
        return b, a, True
    return None


def _led_in_by_common_words(a: Statement, b: Statement, roles: WordRoles) -> bool:
    """Whether two statements share one span, at the end of one of them, that is rarer than every word beside it, and
    it is long or one of them leads in to it with a label.

    What a graph says often is its way of saying things, and what it says seldom is what it says: `makes` and `product:`
    lead in to one `drone mapping`, but `go-to lunch` is what `pho` and `leftover curry` have in common. Two verbs may
    be two facts, however common both are: `teaches` and `learns`.
    """
    shared = a.content & b.content
    rarest = min(roles.count(word) for word in shared)
    if any(roles.count(word) < rarest for word in (a.content | b.content) - shared):
        return False
    low, at = _ending_in(a.reading, b.reading), _ending_in(b.reading, a.reading)
    for ends, other, (begins, there) in ((a, b, low), (b, a, at)):
        whole = shared <= set(ends.reading.words[begins:]) and not any(begins < mark for mark in ends.reading.marks)
        labelled = _labels(ends.reading, begins) or _labels(other.reading, there)
        if whole and (labelled or len(shared) > _SHORTEST):
            return True
    return False


def _labels(reading: Reading, place: int) -> bool:
    """Whether what stands before a place is a label: `product:`, `status of Harbour:`."""
    return place > 0 and reading.shape[place - 1] == ":"


def take_same_stand(a: Statement, b: Statement) -> bool:
    """Whether two statements take the same stance to what they share, and tell of it as past, changed, denied, limited
    or meant in the same words."""
    if not _TURNING.isdisjoint(set(a.reading.words) ^ set(b.reading.words)):
        return False
    return stances(a.content - b.content) == stances(b.content - a.content)


def _ending_in(ends: Reading, holds: Reading) -> tuple[int, int]:
    """The longest ending of one reading that the other one holds: where it begins in the first and in the second."""
    words, other = ends.words, holds.words
    best = len(words), len(other)
    for stop in range(len(other), 0, -1):
        size = 0
        while size < min(len(words), stop) and words[-1 - size] == other[stop - 1 - size]:
            size += 1
        if len(words) - size < best[0]:
            best = len(words) - size, stop - size
    return best


def _leads_in(reading: Reading, place: int) -> bool:
    """Whether what stands before a place goes on there, by grammar: a free word or a name may be who does the rest."""
    before = reading.shape[place - 1] if place else SUBJECT
    return before in FUNCTION_WORDS or before in (":", SUBJECT)
