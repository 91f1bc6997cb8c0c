"""The merges of one pass, field by field: each entity as it was before, and what they became."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from graphdream.graph.rows import handle
from graphdream.graph.rowtext import key_sql, pairs_of
from graphdream.graph.spans import span_of
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, ENTITY, Table
from graphdream.journal.changes import row_as_of, rows_as_of
from graphdream.journal.erasure import ERASED

MOST_MEMBERS = 100  # entities of one merge that are told field by field
MOST_FACTS = 25  # facts of one entity that are told
_LAST = (1 << 63) - 1
_AT_ONCE = 200  # texts that one statement looks for


@dataclass(frozen=True, slots=True)
class Member:
    """One of the entities that became one.

    Attributes:
        survives: whether the others went into this one.
        apart_again: it was taken out again since.
        facts: what it brought along, at most 25, and `more` beyond those; of the survivor, none is told.
        why: the reason on record.
    """

    handle: str
    name: str
    survives: bool
    apart_again: bool = False
    facts: tuple[str, ...] = ()
    more: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its value in each member, in their order, and in what they became."""

    name: str
    before: tuple[str, ...]
    after: str

    @property
    def differs(self) -> bool:
        """Whether the members did not agree, or the result is none of theirs."""
        return len({*self.before, self.after}) > 1


@dataclass(frozen=True, slots=True)
class Merge:
    """Entities that became one in a pass; `left_out` are members beyond the first 100."""

    survivor: str
    name: str
    members: tuple[Member, ...]
    fields: tuple[Field, ...]
    left_out: int = 0


def merges_in(connection: sqlite3.Connection, pass_id: int) -> dict[int, list[int]]:
    """Survivor -> those that went into it in a pass, by row id; those that took in most first."""
    into = {}
    for row_id, diff in _changes(connection, pass_id, ENTITY, [key_sql(ENTITY, "absorbed_into")]):
        new = {column: pair[1] for column, pair in pairs_of(ENTITY, diff).items()}
        if new.get("absorbed_into"):
            into[row_id] = new["absorbed_into"]
    found: dict[int, list[int]] = defaultdict(list)
    for row_id in into:
        end = row_id
        while end in into:  # one that took in others may have gone into a third
            end = into[end]
        found[end].append(row_id)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def merge_of(connection: sqlite3.Connection, pass_id: int, survivor: int) -> Merge:
    """One merge; without members where that entity took in none in that pass."""
    gone = merges_in(connection, pass_id).get(survivor, [])
    left_out = max(0, len(gone) - MOST_MEMBERS)
    ids = [survivor, *gone[:MOST_MEMBERS]]
    before = {row_id: row_as_of(connection, ENTITY, row_id, pass_id - 1) or {} for row_id in ids}
    after = row_as_of(connection, ENTITY, survivor, pass_id) or {}
    now = dict(
        connection.execute(
            f"SELECT id, absorbed_into FROM entity WHERE id IN ({','.join('?' * len(gone))})", gone
        ).fetchall()
    )
    brought = _brought(connection, pass_id, ids[1:])
    aliases = _aliases(connection, pass_id, ids)
    members = [
        Member(
            handle(ENTITY, row_id), before[row_id].get("name", ""), row_id == survivor,
            apart_again=row_id != survivor and now.get(row_id) is None,
            facts=tuple(brought[row_id][:MOST_FACTS]), more=max(0, len(brought[row_id]) - MOST_FACTS),
            why=_reason(connection, row_id, pass_id),
        )
        for row_id in ids
    ]  # fmt: skip
    fields = [Field(name, tuple(read(before[row_id]) for row_id in ids), read(after)) for name, read in _FIELDS.items()]
    fields.insert(1, Field("also called", tuple(aliases[row_id] for row_id in ids), aliases[0]))
    return Merge(handle(ENTITY, survivor), after.get("name", ""), tuple(members), tuple(fields), left_out)


def _text(column: str) -> Any:
    return lambda row: str(row.get(column) if row.get(column) is not None else "")


_FIELDS: dict[str, Any] = {
    "name": _text("name"),
    "type": _text("type"),
    "first seen": lambda row: str(row.get("first_seen") or "")[:10],
    "last seen": lambda row: str(row.get("last_seen") or "")[:10],
    "mentions": _text("mentions"),
    "sessions": lambda row: str(len(json.loads(row.get("sessions") or "[]"))) if row else "",
    "importance": lambda row: f"{row['importance']:.2f}" if row else "",
    "pinned": lambda row: ("yes" if row.get("pinned") else "no") if row else "",
}


def _changes(
    connection: sqlite3.Connection, pass_id: int, table: Table, holding: list[str], *, later: bool = False
) -> list[tuple[int, str]]:
    """Rows that a pass changed, with the diffs that hold one of some texts (SQL literals).

    Args:
        later: or any pass after it.
    """
    first, last = span_of(connection, pass_id)
    last = _LAST if later else last
    held = " OR ".join(f"instr(diff, {text})" for text in holding)
    return [
        (row[0], row[1])
        for row in connection.execute(
            "SELECT row_id, diff FROM change WHERE id BETWEEN ? AND ? AND kind = ? AND op = '~'"
            f" AND ({held}) ORDER BY id",
            (first, last, table.kind),
        )
        if row[1] != ERASED
    ]


def _reason(connection: sqlite3.Connection, row_id: int, pass_id: int) -> str:
    row = row_as_of(connection, ENTITY, row_id, pass_id) or {}
    return str(row.get("status_reason") or "") if row.get("absorbed_into") else ""


def _aliases(connection: sqlite3.Connection, pass_id: int, ids: list[int]) -> dict[int, str]:
    """The further names of each before the pass; under 0 those of the survivor, the first, afterwards."""
    before: dict[int, list[str]] = defaultdict(list)
    after = []
    marks = ",".join("?" * len(ids))
    for alias_id, entity_id, name, version in connection.execute(
        f"SELECT id, entity_id, name, version FROM alias WHERE entity_id IN ({marks}) ORDER BY id", ids
    ).fetchall():
        if version < pass_id:
            before[entity_id].append(name)
            if entity_id == ids[0]:
                after.append(name)
            continue
        was = row_as_of(connection, ALIAS, alias_id, pass_id - 1)
        became = row_as_of(connection, ALIAS, alias_id, pass_id)
        if was is not None:
            before[was["entity_id"]].append(was["name"])
        if became is not None and became["entity_id"] == ids[0]:
            after.append(became["name"])
    return {row_id: ", ".join(before[row_id]) for row_id in ids} | {0: ", ".join(after)}


def _brought(connection: sqlite3.Connection, pass_id: int, ids: list[int]) -> dict[int, list[str]]:
    """What the facts of each that went away said: those under the aspects that it had before, wherever they are now."""
    if not ids:
        return defaultdict(list)
    moved = [key_sql(ASPECT, "entity_id", str(entity)) for entity in ids]
    aspects = {row_id for row_id, _ in _changes(connection, pass_id, ASPECT, moved)}
    marks = ",".join("?" * len(ids))
    aspects |= {row[0] for row in connection.execute(f"SELECT id FROM aspect WHERE entity_id IN ({marks})", ids)}
    before = rows_as_of(connection, ASPECT, sorted(aspects), pass_id - 1)
    owner = {row_id: row["entity_id"] for row_id, row in before.items() if row["entity_id"] in ids}
    facts: set[int] = set()
    for start in range(0, len(owner), _AT_ONCE):
        some = list(owner)[start : start + _AT_ONCE]
        left = [key_sql(ATTRIBUTE, "aspect_id", str(one)) for one in some]
        facts.update(row_id for row_id, _ in _changes(connection, pass_id, ATTRIBUTE, left, later=True))
        there = f"SELECT id FROM attribute WHERE aspect_id IN ({','.join('?' * len(some))})"
        facts.update(row[0] for row in connection.execute(there, some))
    told: dict[int, list[str]] = defaultdict(list)
    for _, row in sorted(rows_as_of(connection, ATTRIBUTE, sorted(facts), pass_id - 1).items()):
        if row["status"] == "active" and row["aspect_id"] in owner:
            told[owner[row["aspect_id"]]].append(str(row["content"]))
    return told
