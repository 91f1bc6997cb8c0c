"""Parts of a bloated graph: whole entities with all that hangs on them, so that many small graphs come from one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

Line = dict[str, Any]


@cache
def lines_of(path: Path) -> tuple[Line, ...]:
    """The lines of a graph file, plain or gzip."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return tuple(json.loads(line) for line in data.splitlines())


def entities_of(path: Path) -> list[str]:
    """Ids of the entities of a graph file, in its order."""
    return [line["id"] for line in lines_of(path) if line["kind"] == "entity"]


def cut(path: Path, entities: Collection[str]) -> list[Line]:
    """The lines of these entities: their aspects, facts and links (some now dangling), and every session. Without the
    meta line, which counts the lines of the whole."""
    kept = set(entities)
    whose = {"entity": "id", "aspect": "entity_id", "attribute": "entity_id", "edge": "source_id"}
    lines = (line for line in lines_of(path) if line["kind"] != "meta")
    return [line for line in lines if line["kind"] not in whose or line[whose[line["kind"]]] in kept]
