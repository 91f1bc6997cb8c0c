"""Bring back what was put aside."""

from __future__ import annotations

from typing import Literal

from graphdream.errors import quoted
from graphdream.graph.rows import fetch, handle, parse_handle
from graphdream.graph.tables import ASPECT, ATTRIBUTE, CONTRADICTION, ENTITY, LINK
from graphdream.mutations.base import Mutation, RowHandle
from graphdream.mutations.context import Applying
from graphdream.mutations.facts import aspect_for, vouch
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome, fail, skip
from graphdream.mutations.rows import Row


class Restore(Mutation):
    """Bring back what was archived, superseded or absorbed."""

    op: Literal["restore"] = "restore"
    row: RowHandle


def restore(mutation: Restore, applying: Applying) -> Outcome:
    parsed = parse_handle(mutation.row)
    if parsed is None:
        raise fail("not_found", f"{quoted(mutation.row)} is no handle")
    table, _ = parsed
    row = applying.row(table, mutation.row)
    if row["status"] == "active":
        raise skip("nothing_to_do", f"{mutation.row} is active already")
    if table is ATTRIBUTE:
        _restore_fact(applying, row)
    elif table is ENTITY:
        _restore_entity(applying, row)
    elif table is LINK:
        _restore_link(applying, row)
    else:
        _restore_aspect(applying, row)
    return Outcome("applied", "ok", f"brought back {mutation.row}")


def _restore_fact(applying: Applying, fact: Row) -> None:
    applying.guard_forgotten(fact, handle(ATTRIBUTE, fact["id"]))
    applying.rows.change(
        ATTRIBUTE, fact["id"], aspect_id=_woken_aspect(applying, fact["aspect_id"]), status="active",
        superseded_by=None, absorbed_into=None, status_reason="",
        valid_to=None if fact["status"] == "superseded" else fact["valid_to"],
    )  # fmt: skip
    vouch(applying, fact)
    if fact["superseded_by"] is not None:
        _reopen(applying, fact["id"], fact["superseded_by"])


def _reopen(applying: Applying, first: int, second: int) -> None:
    low, high = sorted((first, second))
    row = applying.connection.execute(
        "SELECT id FROM contradiction WHERE first_id = ? AND second_id = ? AND resolution = 'superseded'", (low, high)
    ).fetchone()
    if row is not None:
        applying.rows.change(CONTRADICTION, row["id"], status="open", resolution="")


def _woken_aspect(applying: Applying, aspect_id: int) -> int:
    """The active aspect under which a row that hung on an aspect comes back, its entity awake as well."""
    aspect = fetch(applying.connection, ASPECT, aspect_id)
    owner_id = _woken_entity(applying, aspect["entity_id"])
    if aspect["status"] == "archived" and applying.aspect(owner_id, aspect["name"]) is None:
        applying.guard_forgotten(aspect, handle(ASPECT, aspect_id))
        applying.rows.change(ASPECT, aspect_id, status="active", status_reason="")
        return aspect_id
    return aspect_id if aspect["status"] == "active" else aspect_for(applying, owner_id, aspect["name"])


def _woken_entity(applying: Applying, entity_id: int) -> int:
    owner = fetch(applying.connection, ENTITY, entity_id)
    if owner["status"] == "archived":
        applying.guard_forgotten(owner, handle(ENTITY, entity_id))
        applying.rows.change(ENTITY, entity_id, status="active", status_reason="")
    return entity_id


def _restore_entity(applying: Applying, entity: Row) -> None:
    """An archived entity comes back with all that was archived with it."""
    if entity["status"] == "absorbed":
        name = handle(ENTITY, entity["id"])
        into = handle(ENTITY, entity["absorbed_into"])
        raise fail("not_active", f"{name} was merged into {into}: undo the pass that merged, or split {into}")
    _woken_entity(applying, entity["id"])
    aspects = applying.connection.execute(
        "SELECT * FROM aspect WHERE entity_id = ? AND status = 'archived' AND version = ? ORDER BY id",
        (entity["id"], entity["version"]),
    ).fetchall()
    for aspect in aspects:
        if applying.aspect(entity["id"], aspect["name"]) is None:
            applying.rows.change(ASPECT, aspect["id"], status="active", status_reason="")
    for fact in applying.connection.execute(
        "SELECT attribute.* FROM attribute JOIN aspect ON aspect.id = attribute.aspect_id WHERE aspect.entity_id = ?"
        " AND attribute.status = 'archived' AND attribute.version = ? ORDER BY attribute.id",
        (entity["id"], entity["version"]),
    ).fetchall():
        under = _woken_aspect(applying, fact["aspect_id"])
        applying.rows.change(ATTRIBUTE, fact["id"], aspect_id=under, status="active", status_reason="")
        vouch(applying, fact)
    for row in applying.connection.execute(
        "SELECT * FROM link WHERE (source_id = ?1 OR target_id = ?1) AND status = 'archived' AND version = ?2",
        (entity["id"], entity["version"]),
    ).fetchall():
        if _ends_active(applying, row) and not _twin(applying, row):
            applying.rows.change(LINK, row["id"], status="active", status_reason="")


def _restore_aspect(applying: Applying, aspect: Row) -> None:
    if aspect["status"] == "absorbed":
        raise fail("not_active", f"{handle(ASPECT, aspect['id'])} was merged into another aspect: undo that pass")
    owner = fetch(applying.connection, ENTITY, aspect["entity_id"])
    if applying.aspect(owner["id"], aspect["name"]) is not None:
        raise fail("not_active", f"{handle(ENTITY, owner['id'])} has another aspect {quoted(aspect['name'])} by now")
    _woken_aspect(applying, aspect["id"])
    for fact in applying.connection.execute(
        "SELECT * FROM attribute WHERE aspect_id = ? AND status = 'archived' AND version = ? ORDER BY id",
        (aspect["id"], aspect["version"]),
    ).fetchall():
        applying.rows.change(ATTRIBUTE, fact["id"], status="active", status_reason="")
        vouch(applying, fact)


def _restore_link(applying: Applying, row: Row) -> None:
    applying.guard_forgotten(row, handle(LINK, row["id"]))
    if not _ends_active(applying, row):
        raise fail("not_active", f"an end of {handle(LINK, row['id'])} is no longer active")
    if row["source_id"] == row["target_id"]:
        raise fail("invalid", f"{handle(LINK, row['id'])} would link an entity with itself")
    if _twin(applying, row):
        raise skip("nothing_to_do", "another link says the same")
    applying.rows.change(LINK, row["id"], status="active", absorbed_into=None, status_reason="")


def _ends_active(applying: Applying, row: Row) -> bool:
    ends = [row["source_id"], row["target_id"]]
    return None not in ends and all(fetch(applying.connection, ENTITY, end)["status"] == "active" for end in ends)


def _twin(applying: Applying, row: Row) -> bool:
    found = applying.connection.execute(
        "SELECT 1 FROM link WHERE source_id = ? AND target_id = ? AND type = ? AND status = 'active'",
        (row["source_id"], row["target_id"], row["type"]),
    ).fetchone()
    return found is not None


OP = Op(
    Restore, restore,
    example={"op": "restore", "row": "a1"},
)  # fmt: skip
