"""Where the lasting notes speak of what the pages of a diary tell."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator

from graphdream.dream.scopes import conditions_of
from graphdream.dream.topics import homes_of
from graphdream.dreamers.gathered import Home
from graphdream.dreamers.reading import clues_in, home_of
from graphdream.language.filedays import day_of_file

_NEWEST = 16
"""Lines that are looked at in one pass; older ones had their turn, or the lasting notes were written after them."""


def diary_of(connection: sqlite3.Connection, scope: Collection[int] | None) -> dict[int, Home]:
    """The newest lines of pages among some entities -> the one lasting place where the memory speaks of the same.

    Args:
        scope: ids of entities; None: all.
    """
    pages = [number for number, name in _named(connection, scope) if day_of_file(name)]
    lines = sorted(tuple(line) for page in pages for line in connection.execute(_LINES, (page, _NEWEST)))[-_NEWEST:]
    homes = homes_of(connection, {clue for _, _, text in lines for clue in clues_in(text, None)})
    found = ((number, home_of(text, homes, None)) for _, number, text in lines)
    return {number: home for number, home in found if home is not None and not home.is_page}


_LINES = """
    SELECT attribute.first_seen, attribute.id, attribute.content FROM aspect
    JOIN attribute ON attribute.aspect_id = aspect.id WHERE aspect.entity_id = ? AND attribute.status = 'active'
    ORDER BY attribute.first_seen DESC, attribute.id DESC LIMIT ?
"""


def _named(connection: sqlite3.Connection, scope: Collection[int] | None) -> Iterator[tuple[int, str]]:
    """Ids and names of active entities."""
    for condition, ids in conditions_of(scope):
        query = f"SELECT id, name FROM entity WHERE {condition.format(column='id')} AND status = 'active'"
        yield from connection.execute(query, ids)
