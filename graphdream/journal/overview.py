"""What changed in the graph, at a glance: how much of each kind, and examples of each by name and text.

`graphdream.journal.diff` tells the same entity by entity, and leaves nothing out.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from graphdream.collector import collector_paused
from graphdream.graph.name_gate import name_fault
from graphdream.graph.names import canonical
from graphdream.graph.served import unsound
from graphdream.graph.store import Store
from graphdream.graph.tables import (
    ALIAS,
    ASPECT,
    ATTRIBUTE,
    CONTRADICTION,
    DISTINCT_PAIR,
    ENTITY,
    LINK,
    Table,
)
from graphdream.journal.changes import row_as_of, rows_as_of
from graphdream.journal.fates import NOW, SUMS, end_of, fate_of, only_follows
from graphdream.journal.net import GoneError, RowDiff, net_changes
from graphdream.journal.verify import unsound_passes

MERGED = "entities merged"
MOST = 10  # examples of a kind
OF_A_REASON = 3  # examples of what was archived for one reason


@dataclass(frozen=True, slots=True)
class Example:
    """One change of a kind, in the words of the graph.

    Attributes:
        before: names or texts that there were: those that were merged, the fact that no longer holds, a fact.
        after: what took their place, or what is so of it now; "" where there is neither.
        why: why it was archived, or where it hangs; "" where there is nothing to say.
        handles: of the rows that `before` tells of, in its order.
        into: handle of the row that took their place; "" where there is none.
    """

    before: tuple[str, ...]
    after: str = ""
    why: str = ""
    handles: tuple[str, ...] = ()
    into: str = ""

    @property
    def rows(self) -> tuple[str, ...]:
        """Handles of all rows that it tells of."""
        return (*self.handles, self.into) if self.into else self.handles


@dataclass(frozen=True, slots=True)
class Kind:
    """Changes of one kind.

    Attributes:
        name: what they are called: "facts replaced".
        count: how many.
        examples: some of them, in order of id.
        parts: the reasons with their numbers, most frequent first; () where changes of the kind have none.
    """

    name: str
    count: int
    examples: tuple[Example, ...]
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def merges(self) -> bool:
        """Whether an example tells several changes: all that went into one survivor."""
        return self.name == MERGED


@dataclass(frozen=True, slots=True)
class Overview:
    """What a pass changed, what matters most first. Rows that only follow from others are counted in `besides`."""

    kinds: tuple[Kind, ...]
    besides: tuple[tuple[str, int], ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Kind -> number."""
        return {kind.name: kind.count for kind in self.kinds} | dict(self.besides)


def without_change(sessions: int) -> str:
    """What a pass came to that changed nothing in the graph, by how many sessions it read."""
    if not sessions:
        return "no change"
    several = sessions > 1
    return f"{sessions:,} session{'s' if several else ''} read, nothing in {'them' if several else 'it'} to keep"


def overview(
    connection: sqlite3.Connection, before: int, after: int, *, most: int | None = MOST, only: Collection[str] = ()
) -> Overview:
    """What is different in the graph after pass `after` from the graph after pass `before`; 0 is the empty graph.

    One pass changed what is between the pass before it and itself.

    Args:
        most: examples of a kind; None gives every change.
        only: groups of kinds (`GROUPS`) that are told of; none tells of all.
    """
    with collector_paused():
        return _Overlook(connection, before, after, most, _kinds_of(only)).overview()


def _kinds_of(groups: Collection[str]) -> frozenset[str]:
    return frozenset(kind for group in groups for kind in GROUPS[group]) if groups else frozenset(_ORDER)


def sound_overview(
    store: Store, before: int, after: int, *, most: int | None = MOST, only: Collection[str] = ()
) -> Overview:
    """As `overview`, without the examples whose rows are not as they were sealed, and with nothing where a pass is not;
    what is left out is noted in `store.seal.left_out`."""
    with store.reading():
        if unsound_passes(store, before, after):
            return Overview(())
        with collector_paused():
            look = _Overlook(store.connection, before, after, most, _kinds_of(only))
            found = look.overview()
        store.seal.left_out.update(look.gone)
        wrong = unsound(store, (row for kind in found.kinds for one in kind.examples for row in look.rows_of(one)))
        if not wrong:
            return found
        kinds = (
            replace(kind, examples=tuple(one for one in kind.examples if wrong.isdisjoint(look.rows_of(one))))
            for kind in found.kinds
        )
        return replace(found, kinds=tuple(kinds))


# Kinds in the order in which they are told; fate of a row -> kind.
_ENTITY = {
    "absorbed": MERGED, "archived": "entities archived", "restored": "entities brought back",
    "renamed": "entities renamed", "retyped": "entities retyped", "pinned": "entities pinned or unpinned",
    "added": "entities added", "removed": "entities taken out",
}  # fmt: skip
_FACT = {
    "superseded": "facts replaced by later ones", "absorbed": "duplicate facts folded", "archived": "facts archived",
    "reworded": "facts reworded", "moved": "facts moved", "restored": "facts brought back", "added": "facts added",
    "removed": "facts taken out", "marked": "facts marked or unmarked as a constraint",
    "dated": "facts dated or undated", "heard again": "facts heard again", "heard less": "facts heard less often",
    "vouched": "facts with another authority", "tagged": "facts tagged anew", "weighed": "facts weighed anew",
}  # fmt: skip
_LINK = {
    "archived": "links archived", "added": "links added", "restored": "links brought back",
    "removed": "links taken out", "heard again": "links heard again", "heard less": "links heard less often",
    "weighed": "links weighed anew",
}  # fmt: skip
_ALIAS = {"added": "names added", "removed": "names taken out"}
_ASPECT = {
    "added": "aspects added", "absorbed": "aspects merged", "archived": "aspects archived",
    "restored": "aspects brought back", "removed": "aspects taken out",
}  # fmt: skip
_OTHERWISE = "rows changed otherwise"
_BY_MERGE = "merge"  # the source of a name that came from an entity that was merged
_PAIRS = {CONTRADICTION.kind: "contradictions flagged", DISTINCT_PAIR.kind: "pairs held distinct"}
_ORDER = (
    MERGED, "facts replaced by later ones", "contradictions flagged", "duplicate facts folded",
    "facts archived", "entities archived", "entities renamed", "entities retyped", "entities pinned or unpinned",
    "pairs held distinct", "facts marked or unmarked as a constraint", "facts reworded", "facts moved",
    "facts dated or undated", "facts heard again", "facts heard less often", "facts with another authority",
    "facts tagged anew", "facts weighed anew", "links archived", "links heard again", "links heard less often",
    "links weighed anew", "entities brought back", "facts brought back", "links brought back", "entities added",
    "names added", "facts added", "links added", "entities taken out", "names taken out", "facts taken out",
    "links taken out",
)  # fmt: skip
_ENDS = {
    "archived": ("archived",),
    "changed": (
        "renamed", "retyped", "unpinned", "distinct", "constraint", "reworded", "moved", "undated", "again", "often",
        "authority", "anew",
    ),
    "added": ("added", "brought back"),
    "taken-out": ("taken out",),
}  # fmt: skip
GROUPS: Mapping[str, tuple[str, ...]] = {
    "merges": (MERGED,),
    "replaced": ("facts replaced by later ones",),
    "contradictions": ("contradictions flagged",),
    "duplicates": ("duplicate facts folded",),
    **{group: tuple(kind for kind in _ORDER if kind.endswith(ends)) for group, ends in _ENDS.items()},
}
"""What may be asked for alone -> its kinds; together they are all."""


class _Overlook:
    def __init__(
        self, connection: sqlite3.Connection, before: int, after: int, most: int | None, kinds: Collection[str]
    ) -> None:
        self._connection, self._before, self._after, self._most = connection, before, after, most
        self._wanted = kinds
        self._rows: dict[tuple[int, int], dict[str, Any]] = {}
        self._without_handle: dict[Example, str] = {}
        self._into: dict[int, int] = {}
        self._ends: set[tuple[int, int]] = set()
        """Table and id of the rows into which others went, or out of which they came."""
        self._named: set[int] = set()
        """Entities of which a name is told already: they are new or gone, or called otherwise."""
        self._aspects_before: dict[int, dict[str, Any]] = {}
        self.gone: set[str] = set()
        """What cannot be told, because it was taken away behind graphdream's back."""

    def overview(self) -> Overview:
        found: dict[str, list[RowDiff]] = defaultdict(list)
        besides: Counter[str] = Counter()
        rows = net_changes(self._connection, self._before, self._after)
        self._into = {row.id: target for row in rows if row.table is ENTITY and (target := _absorbed(row))}
        self._ends = {
            (row.table.kind, end) for row in rows for side in (row.before, row.after) if side and (end := end_of(side))
        }
        self._named = {
            row.id for row in rows if row.table is ENTITY and fate_of(row) in ("added", "removed", "renamed")
        }
        self._look_up(rows)
        unnamed = 0
        for row in rows:
            kind = self._kind(row)
            if kind in _ORDER:
                found[kind].append(row)
            elif kind:
                besides[kind] += 1
            elif not only_follows(row):
                unnamed += 1
        # A pass that changed a row never looks like one that did nothing.
        if unnamed := unnamed if found or besides else len(rows):
            besides[_OTHERWISE] = unnamed
        kinds = tuple(self._told(name, found[name]) for name in _ORDER if name in found and name in self._wanted)
        return Overview(kinds, tuple(besides.items()) if len(self._wanted) == len(_ORDER) else ())

    def _kind(self, row: RowDiff) -> str:
        """The kind of a change; "" for what says nothing to a person, such as a count that was brought up to date."""
        fate = fate_of(row)
        if fate in SUMS and (row.table.kind, row.id) in self._ends:
            return ""  # it follows from what is told of the others
        if row.table is ENTITY:
            return _ENTITY.get(fate, "")
        if row.table is ALIAS:
            alias = row.after or row.before or {}
            is_told = alias.get("source") == _BY_MERGE or alias.get("entity_id") in self._named
            return "" if is_told else _ALIAS.get(fate, "")
        if row.table is ATTRIBUTE:
            if fate == "moved" and self._followed(row):
                return "facts moved with a merge"
            return _FACT.get(fate, "")
        if row.table is LINK:
            return _LINK.get(fate, "links merged" if fate == "absorbed" else "")
        if row.table.kind in _PAIRS:
            return _PAIRS[row.table.kind] if row.before is None else f"{row.table.name.replace('_', ' ')}s changed"
        return _ASPECT.get(fate, "") if row.table is ASPECT else ""

    def _told(self, name: str, rows: list[RowDiff]) -> Kind:
        if name == MERGED:
            return Kind(name, len(rows), tuple(self._first(self._merges(rows))))
        reasons = Counter((row.after or {}).get("status_reason") or "" for row in rows if fate_of(row) == "archived")
        parts = tuple(reasons.most_common())
        if any(reasons):
            rows = list(self._of_each_reason(rows, [reason for reason, _ in reasons.most_common()]))
        one = self._one(rows[0].table) if rows else self._fact
        return Kind(name, sum(reasons.values()) or len(rows), tuple(self._examples(one, self._first(rows))), parts)

    def _examples(self, one: Callable[[RowDiff], Example], rows: Iterable[RowDiff]) -> Iterator[Example]:
        for row in rows:
            try:
                yield self._with_handles(one(row), row)
            except GoneError:
                self.gone.add(row.named)

    def _with_handles(self, example: Example, row: RowDiff) -> Example:
        """Pairs name the handles of both ends, a name that of its entity, all others that of the row, and of the fact
        that stands for it."""
        if row.table is ALIAS:
            named = replace(example, handles=(f"{ENTITY.prefix}{self._there(ALIAS, row.id)['entity_id']}",))
            self._without_handle[named] = row.named
            return named
        if row.table.kind in _PAIRS:
            pair, prefix = self._there(row.table, row.id), (ATTRIBUTE if row.table is CONTRADICTION else ENTITY).prefix
            paired = replace(example, handles=(f"{prefix}{pair['first_id']}", f"{prefix}{pair['second_id']}"))
            self._without_handle[paired] = row.named
            return paired
        after = row.after or {}
        follower = after.get("superseded_by") or after.get("absorbed_into")
        into = f"{row.table.prefix}{follower}" if follower else ""
        return replace(example, handles=(f"{row.table.prefix}{row.id}",), into=into)

    def rows_of(self, example: Example) -> tuple[str, ...]:
        """All rows that an example tells of: those that it names, and the name or pair by itself, which has no handle
        and is named by its table: `alias 5`."""
        own = self._without_handle.get(example)
        return example.rows if own is None else (*example.rows, own)

    def _first(self, items: Iterable[Any]) -> Iterator[Any]:
        return islice(items, self._most)

    def _of_each_reason(self, rows: Sequence[RowDiff], reasons: Sequence[str]) -> Iterator[RowDiff]:
        """Those archived, by reason, the most frequent reason first; a few of each where only examples are wanted."""
        by_reason: dict[str, list[RowDiff]] = defaultdict(list)
        for row in rows:
            by_reason[(row.after or {}).get("status_reason") or ""].append(row)
        for reason in reasons:
            yield from islice(by_reason[reason], None if self._most is None else OF_A_REASON)

    def _merges(self, rows: Sequence[RowDiff]) -> Iterator[Example]:
        """Each survivor with those that went into it, those with the most different names first."""
        clusters: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for row in rows:
            clusters[self._end(row.id)].append((self._name(row.id), row.id))
        found = []
        for target, merged in clusters.items():
            own = canonical(self._name(target))
            others = {canonical(name) for name, _ in merged} - {own}
            # Names that say more than the survivor's own in other marks come first.
            merged.sort(key=lambda one: (canonical(one[0]) == own, name_fault(one[0]) is not None))
            found.append((-len(others), target, merged))
        for _, target, merged in sorted(found):
            names, ids = zip(*merged, strict=True)
            handles = tuple(f"{ENTITY.prefix}{row_id}" for row_id in ids)
            yield Example(names, self._name(target), handles=handles, into=f"{ENTITY.prefix}{target}")

    def _end(self, entity_id: int) -> int:
        """The entity that one has become by merges; where they go in a circle, as in a file that somebody else wrote,
        one of these."""
        seen = set()
        while entity_id in self._into and entity_id not in seen:
            seen.add(entity_id)
            entity_id = self._into[entity_id]
        return entity_id

    def _followed(self, row: RowDiff) -> bool:
        """Whether a fact only went along with its entity, or from one aspect of it to another."""
        was = self._aspects_before.get((row.before or {})["aspect_id"])
        now = self._row(ASPECT, (row.after or {})["aspect_id"])
        return was is not None and self._end(was["entity_id"]) == now.get("entity_id")

    def _look_up(self, rows: Iterable[RowDiff]) -> None:
        """Read at once what is asked of many rows: names of what was merged, and where facts that moved hung."""
        moved = [row for row in rows if row.table is ATTRIBUTE and fate_of(row) == "moved"]
        was = {(row.before or {})["aspect_id"] for row in moved}
        self._aspects_before = rows_as_of(self._connection, ASPECT, sorted(was), self._before)
        now = {(row.after or {})["aspect_id"] for row in moved}
        for table, ids in ((ASPECT, now), (ENTITY, {*self._into, *self._into.values()})):
            found = rows_as_of(self._connection, table, sorted(ids), self._after)
            self._rows.update(((table.kind, row_id), row) for row_id, row in found.items())

    def _one(self, table: Table) -> Callable[[RowDiff], Example]:
        if table.kind in _PAIRS:
            return self._pair
        return {ENTITY.kind: self._entity, ATTRIBUTE.kind: self._fact, LINK.kind: self._link, ALIAS.kind: self._alias}[
            table.kind
        ]

    def _alias(self, row: RowDiff) -> Example:
        alias = self._there(ALIAS, row.id)
        return Example((f"{self._name(alias['entity_id'])}: {alias['name']}",))

    def _entity(self, row: RowDiff) -> Example:
        before, after = row.before or {}, row.after or {}
        for column in ("name", "type"):
            if row.before is not None and column in after:
                what = "" if column == "name" else f"{self._name(row.id)}: "
                return Example((what + before[column],), after[column])
        return Example((self._name(row.id),), why=after.get("status_reason", "") if row.before is not None else "")

    def _fact(self, row: RowDiff) -> Example:
        after, fate = row.after or {}, fate_of(row)
        if fate == "reworded":
            return Example(((row.before or {})["content"],), after["content"])
        text, place = self._text(row.id), self._place(row.id)
        if fate in ("added", "superseded") and canonical(place) not in canonical(text):
            text = f"{place}: {text}"
        follower = after.get("superseded_by") or after.get("absorbed_into")
        if follower and fate in ("superseded", "absorbed"):
            return Example((text,), self._text(follower))
        if fate == "moved":
            return Example((text,), place)
        if fate in NOW:
            return Example((text,), NOW[fate](self._row(ATTRIBUTE, row.id)))
        return Example((text,), why=after.get("status_reason", "") if fate == "archived" else "")

    def _link(self, row: RowDiff) -> Example:
        link = self._there(LINK, row.id)
        target = self._name(link["target_id"]) if link["target_id"] else link["target_ref"] or "nobody"
        reason = (row.after or {}).get("status_reason", "") if fate_of(row) == "archived" else ""
        return Example((f"{self._name(link['source_id'])} {link['type']} {target}",), why=reason)

    def _pair(self, row: RowDiff) -> Example:
        pair = self._there(row.table, row.id)
        name = self._text if row.table is CONTRADICTION else self._name
        return Example((name(pair["first_id"]), name(pair["second_id"])))

    # ------------------------------------------------------------------ rows as they were afterwards

    def _row(self, table: Table, row_id: int) -> dict[str, Any]:
        """A row afterwards, or before where it was taken out."""
        key = (table.kind, row_id)
        if key not in self._rows:
            found = row_as_of(self._connection, table, row_id, self._after)
            self._rows[key] = found or row_as_of(self._connection, table, row_id, self._before) or {}
        return self._rows[key]

    def _there(self, table: Table, row_id: int) -> dict[str, Any]:
        """As `_row`. Raises GoneError where it is at neither point."""
        row = self._row(table, row_id)
        if not row:
            raise GoneError
        return row

    def _name(self, entity_id: int) -> str:
        return str(self._row(ENTITY, entity_id).get("name", ""))

    def _text(self, fact_id: int) -> str:
        return str(self._row(ATTRIBUTE, fact_id).get("content", ""))

    def _place(self, fact_id: int) -> str:
        aspect = self._row(ASPECT, self._row(ATTRIBUTE, fact_id).get("aspect_id", 0))
        return self._name(aspect.get("entity_id", 0))


def _absorbed(row: RowDiff) -> int | None:
    """The row that this one went into."""
    target: int | None = (row.after or {}).get("absorbed_into")
    return target
