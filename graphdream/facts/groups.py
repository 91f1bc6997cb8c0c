"""Groups: statements of one entity that say the same, and the one that speaks for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphdream.facts.cover import covers
from graphdream.facts.duplicates import Same
from graphdream.facts.model import Fact
from graphdream.facts.statements import Statement
from graphdream.facts.words import DANGLING

PARTIAL = frozenset(("truncated", "contained"))
"""Reasons for belonging to a group by saying less than it does."""


@dataclass(frozen=True)
class Group:
    """One thing said of one entity.

    Attributes:
        head: the statement that speaks for the others: it says all they say.
        members: all statements, the head first.
        how: statement position -> why it belongs here.
        times: when its complete statements held, ISO 8601, sorted; cut and partial ones do not count, because they
            may be pieces of another group.
        survivor: the fact that stays: a protected one of the head's, else the shortest of those that have every name
            and number of the others, and of these the earliest.
    """

    head: Statement
    members: tuple[Statement, ...]
    how: dict[int, str]
    times: tuple[str, ...]
    survivor: Fact

    @property
    def entity(self) -> int:
        """The entity it is said of."""
        return self.head.entity


def _survivor(
    members: Sequence[Statement], how: Mapping[int, str], pieces: Collection[int], names: tuple[str, ...]
) -> Fact:
    """The fact that stands for all of a group, the head being the first of its members.

    Of those that say all that is said, the plainest: what stays is read over and over again.
    """
    head = members[0]
    facts = [fact for statement in members for fact in statement.facts if fact.id >= 0]
    first = min(head.facts, key=_seniority)
    if first.protected or first.id < 0 or len(facts) < 2:
        return first

    def uncovered(fact: Fact) -> int:
        return sum(1 for other in facts if other is not fact and not covers(fact.content, other.content, names))

    plain = {head.at} | {s.at for s in members[1:] if s.at not in pieces and _says_all(s, head, how[s.at])}
    whole = [s for s in members if how.get(s.at) not in PARTIAL]
    able = [
        (s.at not in plain, len(fact.content) if s.at in plain else 0, _seniority(fact), fact)
        for s in whole[:_MOST_ASKED]
        for fact in s.facts
        if fact.id >= 0
    ]
    asked = [fact for *_, fact in sorted(able, key=lambda one: one[:3])[:_MOST_ASKED]]
    saying_all = next((fact for fact in asked if not uncovered(fact)), None)
    return saying_all or min(asked, key=uncovered, default=first)


def _says_all(statement: Statement, head: Statement, how: str) -> bool:
    """Whether a statement says what the head of its group does: with its values and, unless the graph links the two
    ways of saying it, its words. What lacks some of them may have been cut out of a third way of saying it."""
    words, lacks, own = statement.reading.words, head.content - statement.content, statement.content - head.content
    if how in PARTIAL or not words or words[-1] in DANGLING:
        return False
    return statement.values == head.values and len(lacks) <= (len(own) if how == "linked" else 0)


def _seniority(fact: Fact) -> tuple[bool, bool, str, int]:
    return fact.id < 0, not fact.protected, fact.known_at, fact.id


_MOST_ASKED = 12
"""Facts of one group that are tried as its survivor, at most."""
_Rank = tuple[bool, bool, int, int, int, str, int]


def _rank(statement: Statement) -> _Rank:
    """Sort key: who should speak for a group comes first: no guest, protected, then who says most."""
    first = statement.facts[0]
    said = statement.values.total() + len(statement.former)
    length = len(statement.reading.words)
    return statement.guest, not statement.protected, -said, -len(statement.content), -length, first.known_at, first.id


def group(
    said: Sequence[Statement], same: Iterable[Same], names: Mapping[int, tuple[str, ...]]
) -> tuple[list[Group], list[int]]:
    """Group statements by pairwise verdicts.

    Args:
        said: all statements.
        same: which of two statements may go.
        names: entity -> its names.

    Returns:
        The groups, and the positions of statements so short that they may be the beginning of several groups: they
        say nothing by themselves and belong to none.

    Each statement joins, directly or through statements that say the same both ways, one that ranks before it; so
    a group never joins two statements through a third that says less than either. A piece of a statement never
    stands for a whole one.
    """
    same = list(same)
    pieces = {verdict.loser for verdict in same if verdict.how == "truncated"}
    says_more: dict[int, dict[int, str]] = defaultdict(dict)
    for verdict in same:
        if verdict.survivor not in pieces or verdict.loser in pieces:
            says_more[verdict.loser][verdict.survivor] = verdict.how
        if verdict.mutual and (verdict.loser not in pieces or verdict.survivor in pieces):
            says_more[verdict.survivor][verdict.loser] = verdict.how
    into: dict[int, int] = {}
    vague: set[int] = set()
    how: dict[int, str] = {}
    ranks = {statement.at: (statement.at in pieces, *_rank(statement)) for statement in said}
    ranked = sorted(said, key=lambda s: ranks[s.at])
    for statement in ranked:
        verdicts = says_more.get(statement.at)
        if not verdicts:
            continue
        cut = not statement.protected and set(verdicts.values()) == {"truncated"}
        if cut and len({into.get(other, other) for other in verdicts} - vague) > 1:
            vague.add(statement.at)
            continue
        for other in sorted(verdicts, key=ranks.__getitem__):
            if other in vague:
                continue
            root = into.get(other, other)
            if root != statement.at and ranks[root] < ranks[statement.at]:
                into[statement.at] = root
                how[statement.at] = verdicts[other]
                break
    members: dict[int, list[Statement]] = defaultdict(list)
    for statement in ranked:
        if statement.at not in vague:
            members[into.get(statement.at, statement.at)].append(statement)
    by_place = {statement.at: statement for statement in said}
    out = []
    for root, found in members.items():
        whole = [s for s in found if how.get(s.at, "copy") not in PARTIAL]
        times = tuple(sorted(time for s in whole for time in s.times))
        reasons = {s.at: how[s.at] for s in found if s.at in how}
        survivor = _survivor(found, reasons, pieces, names.get(found[0].entity, ()))
        out.append(Group(by_place[root], tuple(found), reasons, times, survivor))
    return out, sorted(vague)
