"""The full-text index over facts: one document a fact, kept in the transaction that changes the graph."""

from __future__ import annotations

import sqlite3

from graphdream.graph.rowtext import key_sql
from graphdream.graph.spans import of_pass
from graphdream.graph.tables import ATTRIBUTE, ENTITY, Table

_ONE_PART = 5_000  # documents that FTS5 holds in memory (1 MiB by default) before it writes them as a part of an index
_LITTLE_LEFT = 4  # an index of which one document in so many is written anew is mostly put together anyway

_DOCUMENTS = """
    SELECT attribute.id, entity.name, aspect.name, attribute.content, attribute.tags
    FROM attribute
    JOIN aspect ON aspect.id = attribute.aspect_id
    JOIN entity ON entity.id = aspect.entity_id
    WHERE attribute.status IN ('active', 'superseded') AND entity.status = 'active'
"""


def reindex_pass(connection: sqlite3.Connection, pass_id: int) -> int:
    """Bring the documents of every fact that a pass touched up to date; cost follows the pass, not the graph.

    A fact is touched if its own row, its aspect's or its entity's was made, moved, renamed or put aside.

    Returns:
        Number of facts looked at.
    """
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS touched (id INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM touched")
    own = of_pass(":p")
    connection.execute(
        f"""
        INSERT OR IGNORE INTO touched
        SELECT row_id FROM change NOT INDEXED WHERE {own} AND kind = 4
            AND (op <> '~' OR {_sets(ATTRIBUTE, "aspect_id", "status", "content", "tags")})
        UNION ALL
        SELECT attribute.id FROM change NOT INDEXED JOIN attribute ON attribute.aspect_id = change.row_id
        WHERE {own} AND change.kind = 3 AND change.op = '~'
        UNION ALL
        SELECT attribute.id FROM change NOT INDEXED
        JOIN aspect ON aspect.entity_id = change.row_id JOIN attribute ON attribute.aspect_id = aspect.id
        WHERE {own} AND change.kind = 1 AND change.op = '~'
            AND ({_sets(ENTITY, "name", "status")})
        """,
        {"p": pass_id},
    )
    connection.execute("DELETE FROM fact_index WHERE rowid IN (SELECT id FROM touched)")
    connection.execute(
        "INSERT INTO fact_index (rowid, name, path, content, tags)"
        + _DOCUMENTS
        + " AND attribute.id IN (SELECT id FROM touched)"
    )
    count: int = connection.execute("SELECT count(*) FROM touched").fetchone()[0]
    connection.execute("DELETE FROM touched")
    join_parts(connection, "fact_index", count)
    return count


def reindex_all(connection: sqlite3.Connection) -> None:
    """Write the document of every fact anew."""
    connection.execute("DELETE FROM fact_index")
    connection.execute("INSERT INTO fact_index (rowid, name, path, content, tags)" + _DOCUMENTS)


def join_parts(connection: sqlite3.Connection, index: str, touched: int) -> bool:
    """Put the parts of a small full-text index together after a pass that wrote much of it anew.

    A part keeps the words of documents that left it. FTS5 merges parts, and lets go of such words, where it has four of
    a size; of a small index it never has four, so that with each pass over all of it the index would grow by itself.

    Args:
        touched: documents that the pass took out or put in; the cost follows it.

    Returns:
        Whether it was done.
    """
    most = touched * _LITTLE_LEFT
    if not 0 < touched <= _ONE_PART:
        return False
    found = connection.execute(f"SELECT count(*) FROM (SELECT 1 FROM {index}_docsize LIMIT ?)", (most + 1,)).fetchone()
    if found[0] > most:
        return False
    connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    return True


def _sets(table: Table, *columns: str) -> str:
    """SQL condition: a change sets one of these columns."""
    return " OR ".join(f"instr(change.diff, {key_sql(table, column)})" for column in columns)


def index_faults(connection: sqlite3.Connection) -> list[str]:
    """Facts whose document is missing, stale or left over, in words; [] where the index is right."""
    rows = connection.execute(
        f"""
        WITH wanted (id, name, path, content, tags) AS ({_DOCUMENTS}),
        found AS (SELECT rowid AS id, name, path, content, tags FROM fact_index)
        SELECT id, 'is not in the full-text index as it is in the graph'
        FROM (SELECT * FROM wanted EXCEPT SELECT * FROM found)
        UNION ALL
        SELECT id, 'is in the full-text index but not in the graph' FROM found WHERE id NOT IN (SELECT id FROM wanted)
        """
    ).fetchall()
    return [f"a{row[0]} {row[1]}" for row in rows]
