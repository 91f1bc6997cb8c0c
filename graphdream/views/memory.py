"""The memory view: every active fact is an entry with a category path; the categories are the graph's own shape."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphdream.errors import AmbiguousNameError, NotFoundError, UsageError
from graphdream.graph.categories import Place, category_of, place_of
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.served import sound
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.mutations import model
from graphdream.mutations.context import entities_named


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A fact as an entry of the memory.

    Attributes:
        place: where it hangs; `category` is the same as a path.
        created_at: when it was first seen, `updated_at` last; UTC, "" where nobody knows.
        reinforcement: times it was seen.
        subject: when it happened, or from when to when it holds in the world, as exactly as that is known:
            `2026-03`, `2019..2026-04-01`, `2019..?`; "" where nobody said.
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
    subject: str = ""

    @property
    def category(self) -> str:
        """The path of its place."""
        return category_of(self.place)


def categories(store: Store) -> dict[str, int]:
    """Each category that has an active fact, with how many, in order of the path. One whose entity or aspect is not as
    it was sealed is left out, and noted in `store.seal.left_out`."""
    with store.reading():
        rows = store.connection.execute(
            "SELECT aspect.id, entity.type, entity.name, aspect.name, count(*) FROM attribute"
            " JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id"
            " WHERE attribute.status = 'active' AND entity.status = 'active' GROUP BY 1"
        ).fetchall()
        rows = sound(store, rows, lambda row: (handle(ASPECT, row[0]),))
    counted: dict[str, int] = {}
    for _, kind, entity, aspect, count in rows:
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
    yield from map(_entry, rows)


def entry(connection: sqlite3.Connection, reference: str) -> MemoryEntry:
    """The entry of an active fact, by its handle. Raises NotFoundError where there is none."""
    parsed = parse_handle(reference)
    row = connection.execute(
        "SELECT attribute.*, entity.type AS kind_of, entity.name AS entity, aspect.name AS aspect FROM attribute"
        " JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id"
        " WHERE attribute.id = ? AND attribute.status = 'active'",
        (parsed[1] if parsed is not None and parsed[0] is ATTRIBUTE else -1,),
    ).fetchone()
    if row is None:
        raise NotFoundError(f"there is no entry {reference}")
    return _entry(row)


def _entry(row: sqlite3.Row) -> MemoryEntry:
    return MemoryEntry(
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
        subject=_subject(row),
    )


_SIGNS = {"year": 4, "month": 7, "day": 10}  # of a stamp that are known
_BY_THE_MINUTE = 16


def _subject(row: sqlite3.Row) -> str:
    point, start, end = (
        (row[name] or "")[: _SIGNS.get(row["time_precision"], _BY_THE_MINUTE)]
        for name in ("occurred_at", "valid_from", "valid_to")
    )
    return point or (f"{start or '?'}..{end or '?'}" if start or end else "")


# ---------------------------------------------------------------------- writing through the view


def saved(
    connection: sqlite3.Connection, content: str, category: str, **told: Any
) -> model.CreateAttribute | model.CreateEntity:
    """The mutation that adds an entry at a category; its entity is made where it is missing.

    Args:
        told: further fields of a fact (`graphdream.mutations.model.NewFact`).

    Raises:
        AmbiguousNameError: the category's name fits several entities.
    """
    place = place_of(category)
    home = home_of(connection, place)
    if home is not None:
        return model.CreateAttribute(entity=home, aspect=place.aspect, content=content, **told)
    fact = model.NewFact(content=content, **told)
    aspect = model.NewAspect(name=place.aspect, attributes=(fact,))
    return model.CreateEntity(name=place.entity, type=place.type, aspects=(aspect,))


def home_of(connection: sqlite3.Connection, place: Place) -> str | None:
    """Handle of the entity of a place; None where it is yet to be made. Raises AmbiguousNameError."""
    bearing = [row for row in entities_named(connection, place.entity) if row["type"] == place.type]
    if len(bearing) > 1:
        raise AmbiguousNameError(place.entity, [handle(ENTITY, row["id"]) for row in bearing])
    return handle(ENTITY, bearing[0]["id"]) if bearing else None


def rewritten(connection: sqlite3.Connection, wanted: MemoryEntry) -> list[model.Mutation]:
    """What makes an entry as it is wanted: nothing where it is so already.

    Words and category can be written; times, sightings and importance are counted, not told.

    Raises:
        NotFoundError: the entry is gone.
        UsageError: something else was changed.
    """
    there = entry(connection, wanted.handle)
    counted = ("importance", "reinforcement", "constraint", "created_at", "updated_at", "tags", "metadata", "subject")
    if changed := [name for name in counted if getattr(there, name) != getattr(wanted, name)]:
        raise UsageError(f"{', '.join(changed)} of an entry is not written through the view", "graphdream.edit")
    mutations: list[model.Mutation] = []
    if wanted.place != there.place:
        mutations += moved(connection, wanted.handle, wanted.place)
    if wanted.content != there.content:
        mutations.append(model.SupersedeAttribute(old=wanted.handle, new=wanted.content))
    return mutations


def moved(connection: sqlite3.Connection, reference: str, place: Place) -> list[model.Mutation]:
    """What hangs a fact at another place, whose entity is made where it is missing."""
    home = home_of(connection, place)
    mutations: list[model.Mutation] = []
    if home is None:
        mutations.append(model.CreateEntity(name=place.entity, type=place.type))
    mutations.append(model.MoveAttribute(attribute=reference, entity=home or place.entity, aspect=place.aspect))
    return mutations


def _scope(category: str) -> dict[str, str | None]:
    """What a path or the beginning of one asks for: a folder, a folder's aspect, or an entity's aspect."""
    if not category.strip("/ "):
        return {"type": None, "entity": None, "aspect": None}
    place = place_of(category)
    whole = len([part for part in category.split("/") if part.strip()]) > 1
    return {"type": place.type, "entity": place.entity, "aspect": place.aspect if whole else None}
