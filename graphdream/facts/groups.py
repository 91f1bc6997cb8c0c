"""Groups: statements of one entity that say the same, and the fact that speaks for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from graphdream.facts.cover import breaks_off, covers
from graphdream.facts.model import Fact
from graphdream.facts.reading import SUBJECT, TYPED, Reading
from graphdream.facts.statements import Statement
from graphdream.facts.words import FUNCTION_WORDS
from graphdream.mutations.standing import is_line, where_it_stands

_MOST_ASKED = 12
"""Facts of one group that are tried as its survivor, at most."""
_PHRASE = 3
"""Words with which a text ends and another begins, at least, for the one to be cut out of the other."""


@dataclass(frozen=True, slots=True)
class Says:
    """That `other` says all that `one` says, with this probability."""

    one: int
    other: int
    probability: float


@dataclass(frozen=True)
class Group:
    """One thing said of one entity.

    Attributes:
        head: the statement that speaks for the others: it says all they say.
        members: all statements, the head first.
        whole: members that say all that the head says.
        survivor: the fact that stays.
    """

    head: Statement
    members: tuple[Statement, ...]
    whole: frozenset[int]
    survivor: Fact

    @property
    def entity(self) -> int:
        """The entity it is said of."""
        return self.head.entity


def group(
    said: Sequence[Statement], says: Sequence[Says], names: Mapping[int, tuple[str, ...]], left_out: Collection[int]
) -> list[Group]:
    """Group statements: each joins the likeliest one that ranks before it and says all that it says.

    It never joins through a third: whoever speaks for it says all of it by itself, so that nothing is lost where two
    statements have a third in common that says less than either.

    Args:
        said: all statements.
        says: sure enough answers.
        names: entity -> its names.
        left_out: positions of statements that are in no group.
    """
    more: dict[int, dict[int, float]] = defaultdict(dict)
    for one in says:
        if one.one not in left_out and one.other not in left_out:
            more[one.one][one.other] = max(one.probability, more[one.one].get(one.other, 0.0))
    ranked = sorted((s for s in said if s.at not in left_out), key=_rank)
    place = {statement.at: at for at, statement in enumerate(ranked)}
    head: dict[int, int] = {}
    for statement in ranked:
        found = [
            (-probability, place[other], other)
            for other, probability in more.get(statement.at, {}).items()
            if other not in head and place[other] < place[statement.at]
        ]
        if found:
            head[statement.at] = min(found)[2]
    members: dict[int, list[Statement]] = defaultdict(list)
    for statement in ranked:
        members[head.get(statement.at, statement.at)].append(statement)
    by_place = {statement.at: statement for statement in ranked}
    out = []
    for root, found_members in members.items():
        whole = frozenset([s.at for s in found_members if s.at == root or s.at in more.get(root, {})])
        survivor = _survivor(by_place[root], [s for s in found_members if s.at in whole], found_members, names)
        out.append(Group(by_place[root], tuple(found_members), whole, survivor))
    return out


_Rank = tuple[bool, bool, int, int, int, str, int]


def _rank(statement: Statement) -> _Rank:
    """Sort key: who should speak for a group comes first: no guest, protected, then who says most."""
    first = statement.facts[0]
    return (
        statement.guest, not statement.protected, -statement.values.total(), -len(statement.content),
        -len(statement.reading.words), first.known_at, first.id,
    )  # fmt: skip


def _speaker(facts: Sequence[Fact]) -> Fact:
    """Of facts that read the same, one that may not go, else the oldest, or the line that stands."""
    if len(facts) == 1:
        return facts[0]
    rank = min(_ranking(fact) for fact in facts)
    equals = sorted((fact for fact in facts if _ranking(fact) == rank), key=lambda fact: (fact.known_at, fact.id))
    return equals[where_it_stands([(fact.source, _said_last(fact)) for fact in equals])]


def _ranking(fact: Fact) -> tuple[bool, bool, bool]:
    return fact.id < 0, not fact.protected, fact.authority != "user"


def _said_last(fact: Fact) -> str:
    return max(fact.known_at, fact.last_at)


def _survivor(
    head: Statement, whole: Sequence[Statement], members: Sequence[Statement], names: Mapping[int, tuple[str, ...]]
) -> Fact:
    """The fact that stays: one that may not go, else the plainest of those that say all.

    What stays is read over and over again, so of those that have every name and number of the others it is the
    shortest; of lines of files it is the one that was written last, for that is how the file says it now. A value by
    itself (`58%`) does not stay for one that says of what it is, nor a text that breaks off for one that goes on.
    """
    first = _speaker(head.facts)
    if len(members) == 1 and len(head.facts) == 1:
        return first
    if first.protected or first.id < 0 or first.authority == "user":
        return first
    facts = [fact for statement in members for fact in statement.facts if fact.id >= 0]
    mine = names.get(head.entity, ())
    values = frozenset(value for statement in members for value in statement.values)
    asked = sorted(
        (
            fact
            for one in whole
            if values <= one.values.keys() and (one is head or not (_is_bare(one) or _is_cut(one, members)))
            for fact in one.facts
            if fact.id >= 0
        ),
        key=lambda fact: (len(fact.content), fact.known_at, fact.id),
    )
    if all(is_line(fact.source) for fact in facts):
        latest = max(asked, key=lambda fact: (_said_last(fact), fact.id), default=first)
        if not _uncovered(latest, facts, mine):
            return latest
    best = first
    missing = _uncovered(first, facts, mine)
    for fact in asked[:_MOST_ASKED]:
        if not missing and len(fact.content) >= len(best.content):
            break
        lacks = _uncovered(fact, facts, mine)
        if (lacks, len(fact.content)) < (missing, len(best.content)):
            best, missing = fact, lacks
    return best


def _uncovered(fact: Fact, facts: Sequence[Fact], names: tuple[str, ...]) -> int:
    return sum(1 for other in facts if other is not fact and not covers(fact.content, other.content, names))


def _is_cut(statement: Statement, members: Sequence[Statement]) -> bool:
    """Whether it stops where another goes on: within a clause, or inside a word that it has nowhere else from."""
    words = statement.reading.words
    others = [one.reading for one in members if one.reading.words != words]
    if any(breaks_off(words, one.words) or _stops_within(words, one) for one in others):
        return True
    last = words[-1] if words else ""
    return (
        bool(others)
        and all(last not in one.words for one in others)
        and any(word.startswith(last) for one in others for word in one.words)
    )


def _stops_within(words: tuple[str, ...], other: Reading) -> bool:
    """Whether a text ends with how another begins, within a clause of that: all of it, or at least a short phrase."""
    for size in range(min(len(words), len(other.words) - 1), 0, -1):
        if size < min(_PHRASE, len(words)):
            break
        if words[-size:] == other.words[:size]:
            return size not in other.marks
    return False


def _is_bare(statement: Statement) -> bool:
    """Whether it is values and words of grammar only."""
    shape = statement.reading.shape
    return all(one in TYPED or one == SUBJECT or one in FUNCTION_WORDS for one in shape)
