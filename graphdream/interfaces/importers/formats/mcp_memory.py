"""The file of the MCP memory server: JSON lines of entities with their observations, and of relations.

Source: the reference server `memory` of the Model Context Protocol, as of 2026: `{"type": "entity", "name",
"entityType", "observations"}` and `{"type": "relation", "from", "to", "relationType"}`. Times are not in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.items import Item, Named, Relation, ToldItem, of_items
from graphdream.interfaces.importers.reading import open_lines

NAME = "mcp-memory"


def _read(path: Path, faults: Faults) -> Iterator[ToldItem]:
    rows: list[tuple[int, dict[str, Any]]] = []
    with open_lines(path, faults) as lines:
        for number, text in lines:
            try:
                row = json.loads(text)
            except (ValueError, RecursionError) as fault:
                faults.add(number, f"is not JSON: {fault}")
                continue
            wrong = _wrong(row)
            if wrong:
                faults.add(number, wrong)
            else:
                rows.append((number, row))
    types = {row["name"]: row.get("entityType") or "" for _, row in rows if row["type"] == "entity"}
    for number, row in rows:
        if row["type"] == "entity":
            yield Named(number, row["name"], types[row["name"]])
            for text in row.get("observations") or ():
                if text.strip():
                    yield Item(number, f"{row['name']}\0{text}", text, row["name"], types[row["name"]])
    for number, row in rows:
        if row["type"] == "relation":
            ends = [(row[end], types.get(row[end], "")) for end in ("from", "to")]
            yield Relation(number, ends[0], ends[1], row["relationType"])


def _wrong(row: Any) -> str:
    if not isinstance(row, dict) or row.get("type") not in ("entity", "relation"):
        return "is neither an entity nor a relation"
    needed = ("name",) if row["type"] == "entity" else ("from", "to", "relationType")
    for name in needed:
        if not isinstance(row.get(name), str) or not row[name].strip():
            return f"the {row['type']} has no {name}"
    told = row.get("observations") or []
    if not isinstance(told, list) or not all(isinstance(text, str) for text in told):
        return "its observations are no list of texts"
    return "" if isinstance(row.get("entityType") or "", str) else "its entityType is no text"


FORMAT = Format(NAME, "the file of the MCP memory server", of_items(NAME, _read))
