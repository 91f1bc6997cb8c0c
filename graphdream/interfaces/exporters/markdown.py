"""The living graph as one document that a person can read: by type, entity, aspect."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from graphdream.interfaces.output import plural
from graphdream.shown import printable

# What CommonMark would take for markup inside a line. An underscore within a word is none.
_MARKUP = re.compile(r"[\\`*\[\]<>~|]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
# What it would take for markup at the start of one: a heading, a list, a rule.
_LEAD = re.compile(r"^(?:[#+=-]|(?P<number>\d{1,9})(?=[.)]))")
_BLANKS = re.compile(r"[\t-\r \x85\xa0\u2028\u2029]+")

_ENTITIES = "SELECT id, name, type, pinned FROM entity WHERE status = 'active' ORDER BY type, canonical, id"
_FACTS = """
    SELECT aspect.name, attribute.content, attribute.kind, attribute.status
    FROM aspect JOIN attribute ON attribute.aspect_id = aspect.id
    WHERE aspect.entity_id = ? AND attribute.status IN ('active', 'superseded')
    ORDER BY aspect.canonical, aspect.id, attribute.status, attribute.id
"""
_LINKS = """
    SELECT link.type, entity.name FROM link JOIN entity ON entity.id = link.target_id
    WHERE link.source_id = ? AND link.status = 'active' AND entity.status = 'active' ORDER BY link.type, link.id
"""


def document(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the document in parts, one an entity.

    Constraints are in bold, superseded facts struck through, links one line a type. Text of the graph is escaped, so
    that it shows as it is and marks nothing up.
    """
    entities = _rows(connection, _ENTITIES)
    active = sum(1 for _ in _rows(connection, "SELECT 1 FROM attribute WHERE status = 'active'"))
    yield f"# Memory\n\n{plural(len(entities), 'entity', 'entities')}, {plural(active, 'fact')}.\n"
    for kind, group in groupby(entities, key=lambda row: str(row[2])):
        yield f"\n## {plain(kind)}\n"
        for row_id, name, _, pinned in group:
            yield "".join(_entity(connection, row_id, name, bool(pinned)))


def _entity(connection: sqlite3.Connection, row_id: int, name: str, pinned: bool) -> Iterator[str]:
    yield f"\n### {plain(name)}\n"
    aliases = [
        plain(row[0]) for row in _rows(connection, "SELECT name FROM alias WHERE entity_id = ? ORDER BY id", row_id)
    ]
    notes = ["Pinned."] if pinned else []
    if aliases:
        notes.append(f"Also: {', '.join(aliases)}.")
    if notes:
        yield f"\n{' '.join(notes)}\n"
    for aspect, facts in groupby(_rows(connection, _FACTS, row_id), key=lambda row: str(row[0])):
        yield f"\n#### {plain(aspect)}\n\n"
        yield from (_fact(*row[1:]) for row in facts)
    links = _rows(connection, _LINKS, row_id)
    if links:
        yield "\n#### links\n\n"
    for kind, targets in groupby(links, key=lambda row: str(row[0])):
        yield f"- {plain(kind)}: {', '.join(plain(row[1]) for row in targets)}\n"


def _fact(content: str, kind: str, status: str) -> str:
    said = plain(content)
    if kind == "constraint":
        said = f"**{said}**"
    return f"- ~~{said}~~\n" if status == "superseded" else f"- {said}\n"


def plain(text: str) -> str:
    """Text of the graph in one line that CommonMark shows as it is."""
    line = printable(_BLANKS.sub(" ", text).strip())
    escaped = _MARKUP.sub(lambda found: "\\" + found.group(), line)
    return _LEAD.sub(lambda found: f"{found['number']}\\" if found["number"] else "\\" + found.group(), escaped)


def _rows(connection: sqlite3.Connection, query: str, *values: object) -> list[tuple[Any, ...]]:
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(query, values).fetchall()
