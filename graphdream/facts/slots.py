"""Slots: questions that have one answer at a time, found without a model, and which answer holds now.

Sentence forms that links join are one relation. A relation is a slot if, wherever an entity has had several
values for it, mentions of the earlier value stop before those of the later begin (trips, likes and decisions
are mentioned in turns), or if sentences tell that one value replaced another. Where a graph is too small to show that,
the kind of the value and the number of entities that have one only count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

from graphdream.facts.changes import Change
from graphdream.facts.frames import DEFINITE, ONE_AT_A_TIME, frames, kind_of, tells_past
from graphdream.facts.groups import PARTIAL, Group
from graphdream.facts.pools import pooled
from graphdream.facts.questions import answers
from graphdream.facts.relations import Form
from graphdream.facts.topics import on_topics
from graphdream.mutations.specifics import is_month_of

TOPIC = "topic"
"""Kind of the answers to a question that words name, whatever they are."""
_IN_WORDS = frozenset((TOPIC, DEFINITE))
"""Kinds of answers among whose words are some of the way of saying it."""
_TOLD = 3.3
"""Nats for a slot from one value that some sentence says was replaced."""
_CLEAN = 0.22
"""Nats for a slot from one pair of values with a repeated mention that are not mentioned in turns: relations of many
values are, in about one pair of five (log 1 / 0.8)."""
_ENOUGH = 3.3
"""Nats that make a slot: 27 to 1."""
_MAX_INTERLEAVED = 0.1
"""Share of pairs mentioned in turns that a slot may have at most (a few are: late, undated copies)."""
_DAY = len("2026-11-22")
"""Characters of a time that name its day: of two mentions on one day, which came first says little of what holds."""
_MAX_SEVERAL = 0.5
"""Share of entities with more than one value, at most; what most entities have several of is a list."""
_SINGLE, _SEVERAL = 0.3, -0.5
"""Nats from another entity with one value, and from one with several. Measured on generated graphs, of entities with a
slot 12 to 30 in 100 have had several values, of those with a list 35 to 50."""
_TELLING = 2.0
"""Nats from the kind of its values below which a relation must show by itself what it is: dates of visits are one to an
entity for a long time, too."""
_MOST_FROM_SHARES = 2.0
"""Nats from entities with one value, at most: in a young graph most lists have one entry."""


@dataclass
class _Relation:
    """What the corpus shows of one relation in which one part changes and the others stay, over all entities.

    Attributes:
        holders: (entity, the parts that stay) -> {position of a group: its value of the part that changes}.
        kinds: kind of each value that was entered, `*` for free words.
        past: how many of the statements tell what happened.
    """

    holders: dict[tuple[int, tuple[str, ...]], dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    kinds: list[str] = field(default_factory=list)
    past: int = 0
    tests: int = 0
    interleaved: int = 0
    told: int = 0

    def enter(self, holder: tuple[int, tuple[str, ...]], place: int, value: str, kind: str, *, past: bool) -> None:
        """Note that a group gives a holder a value."""
        if self.holders[holder].setdefault(place, value) == value:
            self.kinds.append(kind)
            self.past += past

    def is_slot(self) -> bool:
        """Whether an entity has one value of it at a time."""
        several = sum(1 for values in self.holders.values() if len(values) > 1)
        if several > _MAX_SEVERAL * max(4, len(self.holders)) and self.told < 2:
            return False
        if self.interleaved > (max(1.0, _MAX_INTERLEAVED * self.tests) if self.told > 1 else 0):
            return False
        return self._shown() + self._likely(several) >= _ENOUGH

    def is_proven(self) -> bool:
        """Whether what the graph shows is enough by itself, without what values of this kind are like."""
        return self._shown() >= _ENOUGH

    def _shown(self) -> float:
        return self.told * _TOLD + self.tests * _CLEAN

    def _likely(self, several: int) -> float:
        """Nats from the kind of the values and from how many entities have one only; 0.0 for free words, and where two
        values change: `matters most in Harbour when the cache is cold` is true of many pairs."""
        if any(stays for _, stays in self.holders):
            return 0.0
        kind = min(self.kinds, key=lambda kind: ONE_AT_A_TIME.get(kind, 0.0))
        if kind not in ONE_AT_A_TIME or self.past * 3 > len(self.kinds):
            return 0.0
        if ONE_AT_A_TIME[kind] < _TELLING:
            return ONE_AT_A_TIME[kind]
        # One entity with several values is why we ask; it does not speak for a list.
        shares = (len(self.holders) - several) * _SINGLE + max(0, several - 1) * _SEVERAL
        return ONE_AT_A_TIME[kind] + min(_MOST_FROM_SHARES, shares)


@dataclass(frozen=True, slots=True)
class Stale:
    """One group's value was replaced by another's.

    Attributes:
        old, new: positions in the list of groups.
        slot: key of the slot, `entity:relation`.
        why: `told` (a sentence says so) or `later` (a later value of the same slot).
    """

    old: int
    new: int
    slot: str
    why: str


@dataclass(frozen=True, slots=True)
class SlotFindings:
    """Stale groups, pairs of groups that contradict each other, and the slot of each group that has one."""

    stale: list[Stale]
    conflicts: list[tuple[int, int, str]]
    slots: dict[int, str]


def find_slots(
    groups: Sequence[Group],
    forms: Sequence[Sequence[Form]],
    changes: Iterable[Change],
    types: Mapping[int, str] = MappingProxyType({}),
    unsure: Collection[int] = (),
) -> SlotFindings:
    """Find slots and what holds in them; deterministic, linear in statements and links.

    Args:
        groups: what is said.
        forms: per statement, the relations that links taught.
        changes: what sentences tell to be over.
        types: entity -> its type.
        unsure: entities that may be several things of one name; there a relation must be proven to be a slot.
    """
    home = {statement.at: place for place, one in enumerate(groups) for statement in one.members}
    changes = list(changes)
    told = _told(groups, changes, home)
    told_of: dict[str, set[int]] = defaultdict(set, {TOPIC: set(told)})
    for change in changes:
        if home.get(change.former) in told:
            for kind in change.kinds:
                told_of[kind].add(home[change.former])
    relations = _relations(groups, forms)
    for found in pooled(groups, types):
        holder = found.entity, ()
        relations[" ".join(found.pool), found.kind].enter(holder, found.place, found.value, found.kind, past=False)
    for said in on_topics(groups, told, changes):
        holder = groups[said.place].entity, ()
        relations[" ".join(said.topic), TOPIC].enter(holder, said.place, " ".join(said.value), TOPIC, past=False)
    for (_, kind), relation in relations.items():
        _test(kind, relation, groups, told_of.get(kind, frozenset()))
    stale: dict[int, Stale] = {}
    for old, new in sorted(told.items()):
        stale[old] = Stale(old, new, "", "told")
    conflicts: dict[tuple[int, int], str] = {}
    slots: dict[int, str] = {}
    for (name, kind), relation in sorted(relations.items()):
        if not relation.is_slot():
            continue
        for (entity, stays), values in sorted(relation.holders.items()):
            if entity in unsure and not relation.is_proven():
                continue
            slot = ":".join((str(entity), name, kind, *stays))
            for value in values:
                slots.setdefault(value, slot)
            ordered = _in_time(values, groups)
            for old, new in pairwise(ordered):
                if _may_be_one(kind, values[old], values[new]):
                    continue
                if groups[old].times[-1] < groups[new].times[0]:
                    stale.setdefault(old, Stale(old, new, slot, "later"))
                elif old not in told and new not in told:
                    conflicts.setdefault((min(old, new), max(old, new)), slot)
    return SlotFindings(_without_circles(stale), [(a, b, slot) for (a, b), slot in sorted(conflicts.items())], slots)


def _told(groups: Sequence[Group], changes: Iterable[Change], home: dict[int, int]) -> dict[int, int]:
    """Group whose value no longer holds -> group that replaced it, the last teller where several tell.

    A value that is said again after the change was told has come back, and stays.
    """
    out: dict[int, int] = {}
    for change in changes:
        if change.former not in home or change.teller not in home:
            continue
        old, new = home[change.former], home[change.teller]
        if not _says_all(groups[old], change.former):
            continue
        if old == new or not groups[old].times or groups[old].times[-1] >= _last(groups[new]):
            continue
        if old not in out or _last(groups[out[old]]) < _last(groups[new]):
            out[old] = new
    return out


def _says_all(one: Group, former: int) -> bool:
    """Whether what is over is all that a group says: its head has no value that the former statement lacks."""
    how = one.how.get(former)
    if how == "contained":
        said = next(statement for statement in one.members if statement.at == former)
        return said.values == one.head.values
    return how not in PARTIAL


def _last(one: Group) -> str:
    return one.times[-1] if one.times else ""


def _in_time(values: Iterable[int], groups: Sequence[Group]) -> list[int]:
    return sorted((v for v in values if groups[v].times), key=lambda v: (groups[v].times[0], groups[v].times[-1], v))


def _relations(groups: Sequence[Group], forms: Sequence[Sequence[Form]]) -> dict[tuple[str, str], _Relation]:
    """Relations by name (the number of linked forms, or a frame) and kind of the part that changes.

    A statement `worker count = 4` has two parts; its slot is asked by one of them and answered by the other, and
    which is which shows in what stays when the other changes. So it is entered once for each.
    """
    out: dict[tuple[str, str], _Relation] = defaultdict(_Relation)
    for place, one in enumerate(groups):
        for statement in one.members:
            if one.how.get(statement.at) in PARTIAL:
                continue
            past = tells_past(statement.reading.words)
            for form in forms[statement.at]:
                for at, (kind, value) in enumerate(form.parts):
                    stays = tuple(other for index, (_, other) in enumerate(form.parts) if index != at)
                    out[str(form.relation), kind].enter(
                        (one.entity, stays), place, value, kind_of(kind, value), past=past
                    )
            for frame in frames(statement.reading, statement.facts[0].content):
                out[" ".join(frame.key[1:]), frame.key[0]].enter(
                    (one.entity, ()), place, frame.value, frame.kind, past=False
                )
            for found in answers(statement.reading):
                out[" ".join(found.question), DEFINITE].enter(
                    (one.entity, ()), place, " ".join(found.value), DEFINITE, past=False
                )
    return out


def _may_be_one(kind: str, a: str, b: str) -> bool:
    """Whether two answers of a kind may be one, said in two ways."""
    return _alike(a, b) or (kind in _IN_WORDS and _overlap(a, b))


def _alike(a: str, b: str) -> bool:
    """Whether two values may be one, longer and shorter: `Dublin, Ireland`, `Dublin`, `Dub`; a day and its month."""
    a, b = a.split("@")[0], b.split("@")[0]
    if is_month_of(a, b) or is_month_of(b, a):
        return True
    left, right = a.split(), b.split()
    if a.startswith(b) or b.startswith(a) or set(left) <= set(right) or set(right) <= set(left):
        return True
    return left[0] == right[0] and not any(c.isdigit() for c in a + b)


def _overlap(a: str, b: str) -> bool:
    """Whether two values share a word: on a topic, the way of saying it counts among the words of the value."""
    return not set(a.split()).isdisjoint(b.split())


def _test(kind: str, relation: _Relation, groups: Sequence[Group], told: Collection[int]) -> None:
    """Count, over entities with several values, repeated mentions in turn and changes told."""
    for values in relation.holders.values():
        for old, new in pairwise(_in_time(values, groups)) if len(values) > 1 else ():
            repeated = len(groups[old].times) + len(groups[new].times) > 2
            if repeated and not _may_be_one(kind, values[old], values[new]):
                relation.tests += 1
                relation.interleaved += groups[old].times[-1][:_DAY] > groups[new].times[0][:_DAY]
        relation.told += sum(1 for value in values if value in told)


def _without_circles(stale: dict[int, Stale]) -> list[Stale]:
    """Stale groups, none of which leads back to itself."""
    out = []
    for old, found in sorted(stale.items()):
        at, seen = found.new, {old}
        while at in stale and at not in seen:
            seen.add(at)
            at = stale[at].new
        if at != old and at not in seen:
            out.append(found)
    return out
