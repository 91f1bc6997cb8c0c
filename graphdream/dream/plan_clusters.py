"""A plan in clusters: what belongs together, told in names and texts, so that a person decides cluster by cluster.

Merges are clusters of the entities that would become one. What would become of facts is clustered by the entity they
are about; what would be archived, by the reason. A cluster is named by its first item, so its id stays while the plan
is decided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphdream.dream.plan import PlannedItem
from graphdream.errors import NotFoundError
from graphdream.graph.rows import parse_handle
from graphdream.graph.served import unsound
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY, LINK, Table
from graphdream.journal.changes import row_as_of, rows_as_of

# What a person calls it, and what matters most first.
KINDS = {
    "merge_entities": "entities that become one",
    "supersede_attribute": "facts replaced by later ones",
    "flag_contradiction": "contradictions flagged",
    "merge_attributes": "duplicate facts folded",
    "delete_attribute": "facts archived",
    "delete_entity": "entities archived",
    "unlink": "links archived",
    "delete_aspect": "aspects archived",
    "merge_aspects": "aspects merged",
    "move_attribute": "facts moved",
    "rename_entity": "entities renamed",
    "retype_entity": "entities retyped",
    "create_entity": "entities added",
    "update_aspect": "facts added",
    "create_attribute": "facts added one by one",
    "link": "links added",
}
_ARCHIVING = frozenset({"delete_attribute", "delete_entity", "unlink", "delete_aspect"})
_MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One item as a person reads it.

    Attributes:
        before: what there is.
        after: what would take its place; "" where nothing would.
        verdict: open, approved or rejected.
        foreseen: what would have become of it when the plan was made, as "status/code: message".
    """

    position: int
    before: tuple[str, ...]
    after: str
    reason: str
    handles: tuple[str, ...]
    verdict: str
    moved: tuple[str, ...]
    foreseen: str


@dataclass(slots=True)
class Cluster:
    """Items that belong together.

    Attributes:
        id: position of the first of them.
        op: their mutation; kind: what a person calls it.
        title: whom or what it is about.
        positions: of all its items.
        lines: the first 200 of them, told.
        open: how many are still to be decided.
    """

    id: int
    op: str
    kind: str
    title: str
    positions: list[int] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    open: int = 0


def clusters_of(store: Store, plan_id: int, items: Sequence[PlannedItem]) -> list[Cluster]:
    """The clusters of a plan: by kind, those of one kind by size, the largest first.

    Names and texts are as they were when the plan was made, which is what was thought over; what changed since is named
    in `Line.moved`. Rows that are not as they were sealed are told by their handles alone, and noted in
    `store.seal.left_out`.
    """
    with store.reading():
        return _clusters(_Teller(store, plan_id, items), items)


def _clusters(teller: _Teller, items: Sequence[PlannedItem]) -> list[Cluster]:
    keys = _merge_keys(items)
    found: dict[tuple[str, str], Cluster] = {}
    for item in items:
        told = teller.line(item)
        key = keys.get(item.position) or teller.key(item, told)
        cluster = found.get((item.op, key))
        if cluster is None:
            kind = KINDS.get(item.op, item.op.replace("_", " "))
            cluster = found[item.op, key] = Cluster(item.position, item.op, kind, told.after or key)
            if item.op != "merge_entities":
                cluster.title = teller.name(key)
        cluster.positions.append(item.position)
        cluster.open += item.verdict == "open"
        if len(cluster.lines) < _MOST_LINES:
            cluster.lines.append(told)
    order = {op: place for place, op in enumerate(KINDS)}
    return sorted(found.values(), key=lambda one: (order.get(one.op, len(order)), one.op, -_size(one), one.id))


def positions_in(
    items: Sequence[PlannedItem], clusters: Iterable[Cluster], ids: Collection[int], *, still_open: bool = True
) -> list[int]:
    """Positions of the open items (or of all) of some clusters. Raises NotFoundError where there is no such cluster."""
    by_id = {cluster.id: cluster for cluster in clusters}
    missing = sorted(set(ids) - set(by_id))
    if missing:
        hint = "a cluster is named by the position of its first item"
        raise NotFoundError(f"the plan has no cluster {missing[0]}", hint)
    still = {item.position for item in items if item.verdict == "open" or not still_open}
    return sorted(at for one in set(ids) for at in by_id[one].positions if at in still)


def _size(cluster: Cluster) -> int:
    return sum(len(line.before) for line in cluster.lines)


def _merge_keys(items: Sequence[PlannedItem]) -> dict[int, str]:
    """Merges that share an entity are one cluster: position -> its key."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    merges = [item for item in items if item.op == "merge_entities"]
    for item in merges:
        target = str(item.body.get("target", ""))
        for source in item.body.get("source", ()):
            parent[root(str(source))] = root(target)
    return {item.position: root(str(item.body.get("target", ""))) for item in merges}


class _Teller:
    def __init__(self, store: Store, upto: int, items: Iterable[PlannedItem]) -> None:
        self._connection, self._upto = store.connection, upto
        self._rows: dict[int, dict[int, dict[str, Any]]] = {}
        named = {text: parsed for item in items for text in _strings(item.body) if (parsed := parse_handle(text))}
        wrong = unsound(store, named)
        for table in (ENTITY, ATTRIBUTE, LINK):
            ids = {row_id for text, (of, row_id) in named.items() if of is table and text not in wrong}
            self._rows[table.kind] = rows_as_of(self._connection, table, sorted(ids), upto)
        ends = {row[end] for row in self._rows[LINK.kind].values() for end in ("source_id", "target_id") if row[end]}
        self._rows[ENTITY.kind] |= rows_as_of(
            self._connection, ENTITY, sorted(ends - self._rows[ENTITY.kind].keys()), upto
        )

    def line(self, item: PlannedItem) -> Line:
        before, after = self._told(item.op, item.body)
        handles = tuple(
            text for text in _strings(item.body) if parse_handle(text) is not None
        )  # fmt: skip
        return Line(
            item.position, before, after, str(item.body.get("reason", "")), handles, item.verdict, item.moved,
            item.foreseen,
        )  # fmt: skip

    def key(self, item: PlannedItem, told: Line) -> str:
        """Whom an item is about; for what is archived, why."""
        if item.op in _ARCHIVING:
            return told.reason or "no reason given"
        for name in ("target", "new", "first", "attribute", "entity", "old"):
            value = item.body.get(name)
            parsed = parse_handle(value) if isinstance(value, str) else None
            if parsed is not None:
                return self._about(*parsed)
        return told.reason or KINDS.get(item.op, item.op)

    def _told(self, op: str, body: dict[str, Any]) -> tuple[tuple[str, ...], str]:
        def texts(name: str) -> tuple[str, ...]:
            value = body.get(name, ())
            return tuple(self.name(str(one)) for one in (value if isinstance(value, list) else [value]))

        if op in ("merge_entities", "merge_attributes"):
            return texts("source"), "".join(texts("target"))
        if op == "supersede_attribute":
            return texts("old"), "".join(texts("new"))
        if op == "flag_contradiction":
            return (*texts("first"), *texts("second")), ""
        for name in ("content", "name", "link", "attribute", "aspect"):
            if name in body:
                after = str(body.get("new_content") or body.get("to") or body.get("new_name") or "")
                return texts(name), after
        return (str(body.get("entity", op)),), ""

    def name(self, text: str) -> str:
        """The words behind a handle; text that is none stands for itself."""
        parsed = parse_handle(text)
        row = self._rows.get(parsed[0].kind, {}).get(parsed[1]) if parsed else None
        if parsed is None or row is None:
            return text
        if parsed[0] is LINK:
            target = self._entity(row["target_id"]) if row["target_id"] else row["target_ref"]
            return f"{self._entity(row['source_id'])} {row['type']} {target or 'nobody'}"
        return str(row["name" if parsed[0] is ENTITY else "content"])

    def _entity(self, row_id: int) -> str:
        return str(self._rows[ENTITY.kind].get(row_id, {}).get("name", f"e{row_id}"))

    def _about(self, table: Table, row_id: int) -> str:
        """Handle of the entity that a row hung on when the plan was made: what is approved moves no cluster."""
        if table is ATTRIBUTE:
            row = row_as_of(self._connection, ATTRIBUTE, row_id, self._upto)
            aspect = row and row_as_of(self._connection, ASPECT, row["aspect_id"], self._upto)
            return f"e{aspect['entity_id']}" if aspect else ""
        return f"{table.prefix}{row_id}"


def _strings(body: Mapping[str, Any]) -> Iterator[str]:
    for value in body.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield one
