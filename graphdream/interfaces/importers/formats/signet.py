"""The database of Signet, an agent memory: its entities with their facts and what those replaced, links, memories.

Source: Signet's schema as of 2026: `entities`, `entity_aspects`, `entity_attributes` (status active, superseded or
deleted; kind attribute or constraint), `entity_dependencies`, `entity_aliases`, `memories`. Columns that a version does
not have are done without. The file is opened for reading alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from graphdream.errors import ImportRefusedError
from graphdream.graph.categories import FOLDER, GENERAL
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.items import Item, Named, Relation, ToldItem, of_items

NAME = "signet"
_ENTITIES = "entities"
_NEEDED = (_ENTITIES, "entity_aspects", "entity_attributes")
_GONE = {"deleted": "archived", "archived": "archived"}


def _read(path: Path, faults: Faults) -> Iterator[ToldItem]:
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            lacking = [name for name in _NEEDED if name not in tables]
            if lacking:
                raise ImportRefusedError(f"{path.name} is no database of Signet: it has no table {lacking[0]}")
            yield from _told(connection, tables, faults)
    except sqlite3.DatabaseError as fault:
        raise ImportRefusedError(
            f"{path.name} is no database, or is damaged ({fault}); the database is as it was",
            hint="copy it while Signet is stopped, with the files -wal and -shm beside it",
        ) from fault


def _told(connection: sqlite3.Connection, tables: set[str], faults: Faults) -> Iterator[ToldItem]:
    entities: dict[Any, tuple[str, str]] = {}
    aliases: dict[Any, list[str]] = {}
    for row in _rows(connection, "entity_aliases", tables):
        aliases.setdefault(row["entity_id"], []).append(str(row["alias"]))
    for number, row in enumerate(_rows(connection, _ENTITIES, tables), 1):
        if _of(row, "status", "active") != "active":
            continue
        name = str(_of(row, "name", "")).strip()
        if not name:
            faults.add(number, "the entity has no name", _ENTITIES)
            continue
        entities[row["id"]] = name, str(_of(row, "entity_type", "") or "")
        yield Named(number, *entities[row["id"]], tuple(aliases.get(row["id"], ())), str(_of(row, "created_at", "")))
    aspects = {row["id"]: (row["entity_id"], str(row["name"])) for row in _rows(connection, "entity_aspects", tables)}
    told_as_fact: set[Any] = set()
    rows = _rows(connection, "entity_attributes", tables)
    keys = {row["id"] for row in rows}
    for number, row in enumerate(rows, 1):
        entity, aspect = aspects.get(row["aspect_id"], (None, ""))
        if entity in entities and str(_of(row, "content", "")).strip():
            told_as_fact |= {row["id"], _of(row, "memory_id", None)}
            yield _fact(number, row, entities[entity], aspect, keys)
    for number, row in enumerate(_rows(connection, "entity_dependencies", tables), 1):
        source, target = (entities.get(row[name]) for name in ("source_entity_id", "target_entity_id"))
        if source and target and _of(row, "status", "active") == "active":
            yield Relation(number, source, target, str(row["dependency_type"]), str(_of(row, "created_at", "")))
    for number, row in enumerate(_rows(connection, "memories", tables), 1):
        text = str(_of(row, "content", "")).strip()
        if text and row["id"] not in told_as_fact and not _of(row, "is_deleted", 0):
            kind = str(_of(row, "type", "") or GENERAL)
            yield Item(number, f"memory/{row['id']}", text, "memories", FOLDER, kind, str(_of(row, "created_at", "")))


def _fact(number: int, row: sqlite3.Row, entity: tuple[str, str], aspect: str, keys: set[Any]) -> Item:
    status, by = _of(row, "status", "active"), _of(row, "superseded_by", None)
    more: dict[str, Any] = {"attribute_kind": "constraint"} if _of(row, "kind", "") == "constraint" else {}
    for name in ("confidence", "importance"):
        value = _of(row, name, None)
        if isinstance(value, int | float) and 0 <= value <= 1:
            more[name] = float(value)
    if slot := _of(row, "claim_key", None):
        more["slot"] = str(slot)
    replaced = status == "superseded" and by in keys
    gone = _GONE.get(str(status), "") or ("superseded" if status == "superseded" and not replaced else "")
    return Item(
        number, f"attribute/{row['id']}", str(row["content"]).strip(), *entity, aspect=aspect or GENERAL,
        told_at=str(_of(row, "created_at", "")), gone=gone, more=more,
        replaced_by=f"attribute/{by}" if replaced else "",
    )  # fmt: skip


def _rows(connection: sqlite3.Connection, table: str, tables: set[str]) -> list[sqlite3.Row]:
    return connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall() if table in tables else []


def _of(row: sqlite3.Row, name: str, default: Any) -> Any:
    """A column, where this version of Signet has it and the row fills it."""
    value = row[name] if name in row.keys() else None  # noqa: SIM118 - a row iterates over its values
    return default if value is None else value


FORMAT = Format(NAME, "the database of Signet", of_items(NAME, _read))
