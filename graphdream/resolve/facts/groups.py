"""Groups: statements of one entity that say the same, and the one that speaks for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphdream.resolve.facts.cover import covers
from graphdream.resolve.facts.duplicates import Same
from graphdream.resolve.facts.model import Fact
from graphdream.resolve.facts.statements import Statement

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
        survivor: the fact that stays: one of the head's, a protected one first, then the earliest; another one where
            that one lacks a name or number of the others.
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


def _survivor(members: Sequence[Statement], how: Mapping[int, str], names: tuple[str, ...]) -> Fact:
    """The fact that stands for all of a group, the head being the first of its members."""
    facts = [fact for statement in members for fact in statement.facts if fact.id >= 0]
    first = min(members[0].facts, key=_seniority)
    if first.protected or first.id < 0 or len(facts) < 2:
        return first

    def uncovered(fact: Fact) -> int:
        return sum(1 for other in facts if other is not fact and not covers(fact.content, other.content, names))

    if not uncovered(first):
        return first
    whole = [s for s in members if how.get(s.at, "copy") not in PARTIAL]
    able = [fact for statement in whole[:_MOST_ASKED] for fact in statement.facts if fact.id >= 0]
    return min(
        able[:_MOST_ASKED], key=lambda fact: (uncovered(fact), fact is not first, _seniority(fact)), default=first
    )


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
    for statement in sorted(said, key=lambda s: ranks[s.at]):
        verdicts = says_more[statement.at]
        cut = verdicts and not statement.protected and set(verdicts.values()) == {"truncated"}
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
    for statement in sorted(said, key=lambda s: ranks[s.at]):
        if statement.at not in vague:
            members[into.get(statement.at, statement.at)].append(statement)
    by_place = {statement.at: statement for statement in said}
    out = []
    for root, found in members.items():
        whole = [s for s in found if how.get(s.at, "copy") not in PARTIAL]
        times = tuple(sorted(time for s in whole for time in s.times))
        reasons = {s.at: how[s.at] for s in found if s.at in how}
        survivor = _survivor(found, reasons, names.get(found[0].entity, ()))
        out.append(Group(by_place[root], tuple(found), reasons, times, survivor))
    return out, sorted(vague)
