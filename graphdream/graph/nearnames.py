"""Which entity somebody may have meant who called one by a name, or a handle, that none has; told with the error."""

from __future__ import annotations

import sqlite3

from graphdream.errors import quoted
from graphdream.graph.names import canonical
from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ATTRIBUTE

_MOST_NAMES = 20_000  # that are looked through: the error must not take longer than what it is about
_MOST = 3
_LEAST_LIKE = 0.75  # of difflib's ratio: two letters of ten are others


def hint_of_entity(connection: sqlite3.Connection, reference: str) -> str:
    """Whose fact it is, where the handle of one was given; else the entities whose names are nearly this one; "" where
    there is none."""
    from difflib import get_close_matches

    parsed = parse_handle(reference)
    if parsed is not None and parsed[0] is ATTRIBUTE:
        of = connection.execute(
            "SELECT entity.id, entity.name FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity"
            " ON entity.id = aspect.entity_id WHERE attribute.id = ?",
            (parsed[1],),
        ).fetchone()
        return "" if of is None else f"{reference} is a fact of e{of[0]} ({quoted(of[1])})"
    rows = connection.execute(
        "SELECT canonical, id, name FROM entity WHERE status = 'active' ORDER BY importance DESC, id LIMIT ?",
        (_MOST_NAMES,),
    ).fetchall()
    known = {row[0]: f"e{row[1]} ({quoted(row[2])})" for row in reversed(rows)}
    near = get_close_matches(canonical(reference), known, n=_MOST, cutoff=_LEAST_LIKE)
    return f"did you mean {' or '.join(known[one] for one in near)}?" if near else ""
