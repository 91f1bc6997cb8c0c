"""An export of mem0: memories as its API and its library hand them out, with the relations of its graph.

Source: mem0's `get_all` and its exports, as of 2026: a list of `{"id", "memory", "user_id", "agent_id", "categories",
"metadata", "created_at", "updated_at"}`, alone or under `results` or `memories`; `relations` of `{"source",
"relationship", "target"}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphdream.errors import ImportRefusedError
from graphdream.graph.categories import FOLDER, GENERAL
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.items import Item, Relation, ToldItem, of_items
from graphdream.interfaces.importers.reading import decoded, read_whole

NAME = "mem0"
_TEXTS = ("memory", "text", "data", "content")
_LISTS = ("results", "memories", "data")
_OWNERS = (("user_id", "person"), ("agent_id", "agent"), ("app_id", "project"), ("run_id", "session"))


def _read(path: Path, faults: Faults) -> Iterator[ToldItem]:
    held = read_json(path, named=True)
    rows = held if isinstance(held, list) else next((held[name] for name in _LISTS if name in held), None)
    if not isinstance(rows, list):
        raise ImportRefusedError(f"{path.name} is no export of mem0: there is no list of memories in it")
    for number, row in enumerate(rows, 1):
        held_row = row if isinstance(row, dict) else {}
        text = next((held_row[name] for name in _TEXTS if isinstance(held_row.get(name), str)), "")
        if text.strip():
            yield _item(number, held_row, text)
        else:
            faults.add(number, "the memory has no text")
    for number, row in enumerate((held.get("relations") or []) if isinstance(held, dict) else [], 1):
        told = row if isinstance(row, dict) else {}
        source, target = str(told.get("source") or ""), str(told.get("target") or told.get("destination") or "")
        if not source.strip() or not target.strip():
            faults.add(number, "the relation has no source and target")
            continue
        kind = str(told.get("relationship") or told.get("relation") or "related_to")
        yield Relation(number, (source, ""), (target, ""), kind)


def _item(number: int, row: dict[str, Any], text: str) -> Item:
    owner = next(((row[name], kind) for name, kind in _OWNERS if isinstance(row.get(name), str) and row[name]), None)
    categories = [one for one in row.get("categories") or [] if isinstance(one, str) and one]
    about, kind = owner or (GENERAL, FOLDER)
    more: dict[str, Any] = {"tags": categories} if categories else {}
    if isinstance(row.get("run_id"), str) and row["run_id"]:
        more["metadata"] = {"line": number, "run_id": row["run_id"]}
    return Item(
        number, str(row.get("id") or f"{about}\0{text}"), text.strip(), about, kind,
        aspect=categories[0] if categories else GENERAL, told_at=str(row.get("created_at") or ""), more=more,
    )  # fmt: skip


def read_json(path: Path, *, named: bool = False) -> Any:
    """What a file of JSON holds. Raises ImportRefusedError where it is none, with the line at which it breaks off, and
    otherwise as `read_whole`."""
    try:
        return json.loads(decoded(read_whole(path, named=named)))
    except UnicodeDecodeError as fault:
        raise ImportRefusedError(
            f"{path.name} is not {fault.encoding.upper()}: byte {fault.start + 1}; the database is as it was"
        ) from None
    except RecursionError:
        raise ImportRefusedError(f"{path.name} is nested too deeply; the database is as it was") from None
    except ValueError as fault:
        raise ImportRefusedError(
            f"{path.name} is no JSON, or is cut off: {fault}; the database is as it was", hint="export it anew"
        ) from None


FORMAT = Format(NAME, "an export of mem0", of_items(NAME, _read))
