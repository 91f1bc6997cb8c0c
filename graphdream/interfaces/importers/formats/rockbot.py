"""The memory folder of RockBot: a JSON file for each entry, in folders that are its category.

Source: RockBot's `FileMemoryStore`, `memory/{category}/{id}.json`, as of 2026; the names of its fields in either case.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphdream.errors import ImportRefusedError, NotFoundError
from graphdream.graph.categories import place_of
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.formats.mem0 import read_json
from graphdream.interfaces.importers.items import Item, ToldItem, of_items

NAME = "rockbot"


def _read(path: Path, faults: Faults) -> Iterator[ToldItem]:
    if not path.exists():
        raise NotFoundError(f"there is no folder {path}")
    root = path / "memory" if (path / "memory").is_dir() else path
    files = [path] if path.is_file() else sorted(
        one for one in root.rglob("*.json") if not any(part.startswith(".") for part in one.relative_to(root).parts)
    )  # fmt: skip
    if not files:
        raise NotFoundError(f"there is no entry in {path}", "it should be the folder that has memory/CATEGORY/ID.json")
    for number, file in enumerate(files, 1):
        shown = str(file.relative_to(root)) if file != path else file.name
        try:
            entry = read_json(file)
        except ImportRefusedError as fault:
            faults.add(1, str(fault).partition(";")[0], shown)
            continue
        except OSError as fault:
            faults.add(1, f"cannot be read: {fault.strerror}", shown)
            continue
        held = {name[:1].lower() + name[1:]: value for name, value in entry.items()} if isinstance(entry, dict) else {}
        text = held.get("content")
        if not isinstance(text, str) or not text.strip():
            faults.add(1, "the entry has no content", shown)
            continue
        folder = "" if path.is_file() else "/".join(file.relative_to(root).parts[:-1])
        yield _item(number, held, text.strip(), folder)


def _item(number: int, held: dict[str, Any], text: str, folder: str) -> Item:
    place = place_of(held["category"] if isinstance(held.get("category"), str) else folder)
    tags = [tag for tag in held.get("tags") or [] if isinstance(tag, str) and tag]
    told = held.get("metadata")
    more: dict[str, Any] = {"tags": tags} if tags else {}
    more["metadata"] = {"line": number, **(told if isinstance(told, dict) else {})}
    if isinstance(held.get("updatedAt"), str):
        more["updated_at"] = held["updatedAt"]
    return Item(
        number, str(held.get("id") or f"{folder}\0{text}"), text, place.entity, place.type, place.aspect,
        told_at=str(held.get("createdAt") or ""), more=more,
    )  # fmt: skip


FORMAT = Format(NAME, "the memory folder of RockBot", of_items(NAME, _read))
