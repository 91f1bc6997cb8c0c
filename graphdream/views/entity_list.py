"""Entities as a list: who is there, by name."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from graphdream.graph.names import canonical
from graphdream.graph.rows import handle
from graphdream.graph.served import sound
from graphdream.graph.store import Store
from graphdream.graph.tables import ENTITY


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """One line of the list; `facts` counts those that hold."""

    handle: str
    name: str
    type: str
    mentions: int
    facts: int
    pinned: bool
    last_seen: str


def listed_entities(
    store: Store, part: str = "", *, offset: int = 0, limit: int = 50
) -> tuple[int, list[ListedEntity]]:
    """Active entities whose name, or another name of theirs, holds `part`; those with most facts first.

    Returns:
        How many there are, and the part of them that was asked for. What is not as it was sealed is left out of that,
        and noted in `store.seal.left_out`.
    """
    with store.reading():
        total, found = _listed(store.connection, part, offset=offset, limit=limit)
        return total, sound(store, found, lambda one: (one.handle,))


def _listed(connection: sqlite3.Connection, part: str, *, offset: int, limit: int) -> tuple[int, list[ListedEntity]]:
    wanted = canonical(part)
    where, values = "status = 'active'", list[str]()
    if wanted:
        where += " AND (instr(canonical, ?1) OR id IN (SELECT entity_id FROM alias WHERE instr(alias.canonical, ?1)))"
        values = [wanted]
    total = connection.execute(f"SELECT count(*) FROM entity WHERE {where}", values).fetchone()[0]
    rows = connection.execute(
        "WITH held AS (SELECT entity_id, count(*) AS facts FROM aspect JOIN attribute ON aspect_id = aspect.id"
        " WHERE attribute.status = 'active' GROUP BY entity_id)"
        " SELECT id, name, type, mentions, coalesce(facts, 0) AS facts, pinned, last_seen"
        f" FROM entity LEFT JOIN held ON entity_id = id WHERE {where}"
        f" ORDER BY facts DESC, id LIMIT {int(limit)} OFFSET {int(offset)}",
        values,
    ).fetchall()
    return total, [
        ListedEntity(
            handle(ENTITY, row["id"]), row["name"], row["type"], row["mentions"], row["facts"],
            bool(row["pinned"]), (row["last_seen"] or "")[:10],
        )
        for row in rows
    ]  # fmt: skip
