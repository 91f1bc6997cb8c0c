"""How large the graph was before and after a pass: entities, facts and links that held."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from graphdream.graph.spans import span_of
from graphdream.graph.tables import ATTRIBUTE, ENTITY, LINK, Table


@dataclass(frozen=True, slots=True)
class Size:
    """Rows of one table that held, before a pass and after it."""

    before: int
    after: int


def sizes(connection: sqlite3.Connection, pass_id: int) -> dict[str, Size]:
    """`entities`, `facts` and `links` around a pass; the cost follows what was changed since, not the graph."""
    first, last = span_of(connection, pass_id)
    found = {}
    for name, table in (("entities", ENTITY), ("facts", ATTRIBUTE), ("links", LINK)):
        now = connection.execute(f"SELECT count(*) FROM {table.name} WHERE status = 'active'").fetchone()[0]
        newest = connection.execute("SELECT coalesce(max(id), 0) FROM change").fetchone()[0]
        after = now - _net(connection, table, last + 1, newest)
        found[name] = Size(after - _net(connection, table, first, last), after)
    return found


def _net(connection: sqlite3.Connection, table: Table, first: int, last: int) -> int:
    """How many more rows of a table hold after some changes; a row without a status of its own holds."""
    place = table.columns.index("status")
    whole, pair = f"coalesce(json_extract(diff, '$[{place}]'), 'active') = 'active'", f'$."{place}"'
    found: int = connection.execute(
        f"SELECT coalesce(sum(CASE op WHEN '+' THEN {whole} WHEN '-' THEN -({whole}) ELSE"
        f" coalesce((json_extract(diff, '{pair}[1]') = 'active') - (json_extract(diff, '{pair}[0]') = 'active'), 0)"
        " END), 0) FROM change WHERE id BETWEEN ? AND ? AND kind = ? AND diff <> 'null'",
        (first, last, table.kind),
    ).fetchone()[0]
    return found
