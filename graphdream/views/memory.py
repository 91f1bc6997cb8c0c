"""The memory view: every active fact is an entry with a category path; the categories are the graph's own shape."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphdream.graph.categories import Place, category_of, place_of


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A fact as an entry of the memory.

    Attributes:
        place: where it hangs; `category` is the same as a path.
        created_at: when it was first seen, `updated_at` last; UTC, "" where nobody knows.
        reinforcement: times it was seen.
    """

    handle: str
    content: str
    place: Place
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    importance: float
    reinforcement: int
    constraint: bool
    created_at: str
    updated_at: str

    @property
    def category(self) -> str:
        """The path of its place."""
        return category_of(self.place)


def categories(connection: sqlite3.Connection) -> dict[str, int]:
    """Each category that has an active fact, with how many, in order of the path."""
    rows = connection.execute(
        "SELECT entity.type, entity.name, aspect.name, count(*) FROM attribute"
        " JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id"
        " WHERE attribute.status = 'active' AND entity.status = 'active' GROUP BY 1, 2, 3"
    )
    counted: dict[str, int] = {}
    for kind, entity, aspect, count in rows:
        path = category_of(Place(kind, entity, aspect))
        counted[path] = counted.get(path, 0) + count  # two people of one name share a path
    return dict(sorted(counted.items()))


def entries(
    connection: sqlite3.Connection, *, category: str = "", tag: str = "", limit: int | None = None
) -> Iterator[MemoryEntry]:
    """Entries of the memory, last seen first.

    Args:
        connection: any connection to the file.
        category: only entries at this path or below it; `user-preferences` has all of that folder's.
        tag: only entries that bear it.
        limit: at most so many.
    """
    place = _scope(category)
    rows = connection.execute(
        "SELECT attribute.*, entity.type AS kind_of, entity.name AS entity, aspect.name AS aspect FROM attribute"
        " JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id"
        " WHERE attribute.status = 'active' AND entity.status = 'active'"
        " AND (:type IS NULL OR entity.type = :type) AND (:entity IS NULL OR entity.name = :entity)"
        " AND (:aspect IS NULL OR aspect.name = :aspect)"
        " AND (:tag = '' OR EXISTS (SELECT 1 FROM json_each(attribute.tags) WHERE value = :tag))"
        " ORDER BY attribute.last_seen DESC, attribute.id LIMIT :limit",
        {**place, "tag": tag, "limit": -1 if limit is None else limit},
    )
    for row in rows:
        yield MemoryEntry(
            handle=f"a{row['id']}",
            content=row["content"],
            place=Place(row["kind_of"], row["entity"], row["aspect"]),
            tags=tuple(json.loads(row["tags"])),
            metadata=json.loads(row["metadata"]),
            importance=row["importance"],
            reinforcement=row["reinforcement"],
            constraint=row["kind"] == "constraint",
            created_at=row["first_seen"] or "",
            updated_at=row["last_seen"] or "",
        )


def _scope(category: str) -> dict[str, str | None]:
    """What a path or the beginning of one asks for: a folder, a folder's aspect, or an entity's aspect."""
    if not category.strip("/ "):
        return {"type": None, "entity": None, "aspect": None}
    place = place_of(category)
    whole = len([part for part in category.split("/") if part.strip()]) > 1
    return {"type": place.type, "entity": place.entity, "aspect": place.aspect if whole else None}
