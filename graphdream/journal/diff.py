"""What changed between two points of the journal: the net effect, told entity by entity.

`graphdream.journal.net` finds the rows that differ, `graphdream.journal.graph_diff` is what comes of it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from typing import Any

from graphdream.graph.served import sound
from graphdream.graph.store import Store
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, CONTRADICTION, DISTINCT_PAIR, ENTITY, LINK, Table
from graphdream.journal.changes import row_as_of
from graphdream.journal.graph_diff import EntityDiff, FactDiff, GraphDiff, LinkDiff
from graphdream.journal.net import GoneError, Row, RowDiff, net_changes, resolve_point
from graphdream.journal.verify import unsound_passes

_QUIET = frozenset(  # they follow from other columns, or from other rows
    ("version", "digest", "canonical", "mentions", "sessions", "first_seen", "last_seen", "uid")
)


def diff(store: Store, before: int | str, after: int | str) -> GraphDiff:
    """What is different in the graph after `after` from the graph after `before`, each a pass or a date.

    Cost follows the changes in between, not the graph. The order may be reversed: then it is told backwards. Rows that
    are not as they were sealed are left out, and everything where a pass is not; `store.seal.left_out` names them.

    Raises:
        NotFoundError: no such pass.
        UsageError: neither a pass nor a date.
    """
    with store.reading():
        first, last = resolve_point(store, before), resolve_point(store, after)
        rows = [] if unsound_passes(store, first, last) else _sound(store, net_changes(store.connection, first, last))
        teller = _Teller(store.connection, first, last)
        entities, counts = teller.tell(rows)
    store.seal.left_out.update(teller.gone)
    return GraphDiff(first, last, counts, entities)


def _sound(store: Store, rows: list[RowDiff]) -> list[RowDiff]:
    return sound(store, rows, lambda row: (row.named,))


class _Teller:
    """Finds the entity that each changed row belongs to, and the words."""

    def __init__(self, connection: sqlite3.Connection, before: int, after: int) -> None:
        self._connection, self._before, self._after = connection, before, after
        self._rows: dict[tuple[int, int, int], Row | None] = {}
        self._entities: dict[int, EntityDiff] = {}
        self._counts: Counter[str] = Counter()
        self.gone: set[str] = set()
        """What cannot be told, because a row that it hangs on was taken away behind graphdream's back."""

    def tell(self, rows: Iterable[RowDiff]) -> tuple[tuple[EntityDiff, ...], dict[str, int]]:
        tellers = {
            ENTITY.kind: self._entity,
            ALIAS.kind: self._alias,
            ASPECT.kind: self._aspect,
            ATTRIBUTE.kind: self._fact,
            LINK.kind: self._link,
            DISTINCT_PAIR.kind: self._distinct,
            CONTRADICTION.kind: self._contradiction,
        }
        for row in rows:
            teller = tellers.get(row.table.kind)
            if teller:
                try:
                    teller(row)
                except GoneError:
                    self.gone.add(row.named)
            else:
                self._counts[f"{row.table.name} rows"] += 1
        entities = tuple(self._entities[entity_id] for entity_id in sorted(self._entities))
        return entities, dict(self._counts)

    # ------------------------------------------------------------------ rows at the two points

    def _at(self, table: Table, row_id: int, upto: int) -> Row | None:
        key = (table.kind, row_id, upto)
        if key not in self._rows:
            self._rows[key] = row_as_of(self._connection, table, row_id, upto)
        return self._rows[key]

    def _row(self, table: Table, row_id: int) -> Row:
        """The row at the later point, or as it was at the earlier one where it is gone."""
        return self._at(table, row_id, self._after) or self._at(table, row_id, self._before) or {}

    def _there(self, table: Table, row_id: int) -> Row:
        """As `_row`. Raises GoneError where it is at neither point."""
        row = self._row(table, row_id)
        if not row:
            raise GoneError
        return row

    def _of(self, entity_id: int) -> EntityDiff:
        if entity_id not in self._entities:
            row = self._row(ENTITY, entity_id)
            name, kind = row.get("name", ""), row.get("type", "")
            self._entities[entity_id] = EntityDiff(f"{ENTITY.prefix}{entity_id}", name, kind)
        return self._entities[entity_id]

    def _named(self, entity_id: int | None) -> str:
        return f"e{entity_id} {self._row(ENTITY, entity_id).get('name', '')}" if entity_id else "nobody"

    def _quoted(self, fact_id: int | None) -> str:
        return (
            f"a{fact_id} “{self._row(ATTRIBUTE, fact_id).get('content', '')}”" if fact_id else "nothing that is known"
        )

    # ------------------------------------------------------------------ one kind of row each

    def _entity(self, row: RowDiff) -> None:
        told = self._of(row.id)
        fate = _fate(row)
        told.fate = {"added": "made", "absorbed": "merged"}.get(fate, fate)
        if fate == "absorbed":
            into = self._there(ENTITY, row.id)["absorbed_into"]
            told.into = f"e{into}"
            told.marks.append(f"merged into {self._named(into)}")
        elif fate != "changed":
            reason = (row.after or {}).get("status_reason", "")
            told.marks.append(told.fate + (f": {reason}" if reason else ""))
        self._counts[f"entities {told.fate}"] += 1
        for column, was, is_ in _differences(row):
            if column == "name":
                told.marks.append(f"renamed from “{was}”")
            elif column == "pinned":
                told.marks.append("pinned" if is_ else "unpinned")
            else:
                told.marks.append(f"{column} {was!r} → {is_!r}")
        if not told.marks and row.before is not None and row.after is not None:
            told.marks.append(", ".join(sorted(row.after)) + " brought up to date")

    def _alias(self, row: RowDiff) -> None:
        alias = self._there(ALIAS, row.id)
        told = self._of(alias["entity_id"])
        if row.after is None:
            told.marks.append(f"no longer called “{alias['name']}”")
        else:
            told.marks.append(f"also called “{alias['name']}”")
        self._counts["aliases " + ("removed" if row.after is None else "added")] += 1

    def _aspect(self, row: RowDiff) -> None:
        aspect = self._there(ASPECT, row.id)
        fate = _fate(row)
        words = f"s{row.id} {aspect['name']}: {fate}"
        if fate == "absorbed":
            words += f" into s{aspect['absorbed_into']}"
        elif row.before is not None and row.after is not None and "entity_id" in row.before:
            words = f"s{row.id} {aspect['name']}: moved here from {self._named(row.before['entity_id'])}"
        told = ", ".join(
            f"{column} {was!r} → {is_!r}" for column, was, is_ in _differences(row) if column != "entity_id"
        )
        self._of(aspect["entity_id"]).aspects.append(words + (f" ({told})" if told else ""))
        self._counts[f"aspects {fate}"] += 1

    def _fact(self, row: RowDiff) -> None:
        fact = self._there(ATTRIBUTE, row.id)
        fate, detail = _fate(row), ""
        before, after = row.before or {}, row.after or {}
        if fate == "superseded":
            detail = f"by {self._quoted(fact['superseded_by'])}"
        elif fate == "absorbed":
            detail = f"into {self._quoted(fact['absorbed_into'])}"
        elif fate == "archived":
            detail = fact["status_reason"]
        elif fate == "changed" and "content" in after:
            fate, detail = "reworded", f"was “{before['content']}”"
        elif fate == "changed" and "aspect_id" in after:
            fate, detail = "moved", f"from {self._place(before['aspect_id'])}"
        elif fate == "changed":
            detail = ", ".join(f"{column} {was!r} → {is_!r}" for column, was, is_ in _differences(row))
            detail = detail or ", ".join(sorted(after)) + " brought up to date"
        entity_id = self._there(ASPECT, fact["aspect_id"])["entity_id"]
        self._of(entity_id).facts.append(FactDiff(f"a{row.id}", fate, fact["content"], detail))
        self._counts[f"facts {fate}"] += 1

    def _place(self, aspect_id: int) -> str:
        """Where a fact hung at the earlier point."""
        aspect = self._at(ASPECT, aspect_id, self._before) or self._there(ASPECT, aspect_id)
        return f"{self._named(aspect['entity_id'])} / {aspect['name']}"

    def _link(self, row: RowDiff) -> None:
        link = self._there(LINK, row.id)
        fate, detail = _fate(row), ""
        if fate == "absorbed":
            detail = f"into l{link['absorbed_into']}"
        elif fate == "archived":
            detail = link["status_reason"]
        elif fate == "changed" and (row.after or {}).keys() & {"source_id", "target_id"}:
            fate = "redirected"
            was = {**link, **(row.before or {})}
            detail = f"was {self._named(was['source_id'])} → {self._named(was['target_id'])}"
        elif fate == "changed":
            detail = ", ".join(f"{column} {was!r} → {is_!r}" for column, was, is_ in _differences(row))
        target = self._named(link["target_id"]) if link["target_id"] else link["target_ref"]
        told = self._of(link["source_id"])
        told.links.append(LinkDiff(f"l{row.id}", fate, self._named(link["source_id"]), link["type"], target, detail))
        self._counts[f"links {fate}"] += 1

    def _distinct(self, row: RowDiff) -> None:
        pair = self._there(DISTINCT_PAIR, row.id)
        word = "no longer held distinct from" if row.after is None else "distinct from"
        self._of(pair["first_id"]).marks.append(f"{word} {self._named(pair['second_id'])}")
        self._counts["verdicts"] += 1

    def _contradiction(self, row: RowDiff) -> None:
        pair = self._there(CONTRADICTION, row.id)
        word = "withdrawn" if row.after is None else pair["status"]
        aspect = self._there(ATTRIBUTE, pair["first_id"])["aspect_id"]
        self._of(self._there(ASPECT, aspect)["entity_id"]).marks.append(
            f"contradiction {word}: {self._quoted(pair['first_id'])} and {self._quoted(pair['second_id'])}"
        )
        self._counts[f"contradictions {word}"] += 1


def _fate(row: RowDiff) -> str:
    if row.before is None:
        return "added"
    if row.after is None:
        return "removed"
    status = row.after.get("status")
    return {None: "changed", "active": "restored"}.get(status, str(status))


def _differences(row: RowDiff) -> list[tuple[str, Any, Any]]:
    """Columns worth telling of a row that is there at both points; the status is told as its fate."""
    if row.before is None or row.after is None:
        return []
    quiet = _QUIET | {"status", "absorbed_into", "superseded_by", "status_reason"}
    return [(column, row.before[column], row.after[column]) for column in row.after if column not in quiet]
