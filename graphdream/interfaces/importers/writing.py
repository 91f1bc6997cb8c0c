"""From the staging tables into the file: one statement a table, references turned into row ids on the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from graphdream.graph.store import Store
from graphdream.graph.tables import CONTRADICTION, DISTINCT_PAIR, TABLES, Table
from graphdream.interfaces.importers.staging import Staging

_ABOUT_SESSION = "SELECT key AS session_key FROM incoming_session UNION SELECT session_key FROM incoming_summary"


def write_graph(store: Store, waiting: Staging) -> dict[str, int]:
    """Add the waiting rows to the graph, in the name of the open pass; row ids follow the order of the file.

    Returns:
        Number of rows for each table that got any.
    """
    connection, written = store.connection, {}
    offsets: dict[str, int] = {}
    for table in TABLES:
        newest = connection.execute(f"SELECT max(n) FROM incoming_{table.name}").fetchone()[0]
        if newest is None:
            continue
        offsets[table.name] = store.reserve_ids(table, newest) - 1
        insert = _insert_sql(table, offsets)
        # Rows that end in another come after it: SQLite then has no open reference to look for at every row.
        connection.execute(f"{insert} WHERE row.depth = 0 ORDER BY row.n", (store.pass_id,))
        connection.execute(f"{insert} WHERE row.depth > 0 ORDER BY row.depth, row.n", (store.pass_id,))
        written[table.name] = waiting.count(table.name)
    return written


def _insert_sql(table: Table, offsets: Mapping[str, int]) -> str:
    values, joins = [], []
    for column in table.columns:
        if column == "id":
            values.append(f"{offsets[table.name]} + row.n")
        elif column in table.refers:
            parent = table.refers[column]
            # Where no line gives it, it is a row that was there before (`check_graph` lets no other reference through).
            there = f"(SELECT id FROM {parent} WHERE uid = row.{column})"
            values.append(f"coalesce({offsets.get(parent, 0)} + {column}_row.n, {there})")
            joins.append(f"LEFT JOIN incoming_{parent} AS {column}_row ON {column}_row.uid = row.{column}")
        else:
            values.append(f"row.{column}")
    if table in (DISTINCT_PAIR, CONTRADICTION):
        # The table wants the smaller row id first; the file gives the smaller name first.
        first, second = values[1:3]
        values[1:3] = [f"min({first}, {second})", f"max({first}, {second})"]
    return (
        f"INSERT INTO {table.name} ({', '.join(table.columns)}, version) SELECT {', '.join(values)}, ?"
        f" FROM incoming_{table.name} AS row {' '.join(joins)}"
    )


def write_events(connection: sqlite3.Connection, now: str) -> dict[str, int]:
    """Add the waiting sessions and what was said in them; what is on record already stays as it is.

    A session without any time of its own is recorded `now`. Summaries are added uncounted and unread.

    Returns:
        Number of rows added to each table that got any.
    """
    statements = {
        "session": """
            INSERT INTO session (key, started_at, ended_at, recorded_at, metadata)
            SELECT key, min(started_at), max(ended_at),
                coalesce(max(recorded_at), max(ended_at), min(started_at), ?), coalesce(max(metadata), '{}')
            FROM (
                SELECT line, key, started_at, ended_at, recorded_at, metadata FROM incoming_session
                UNION ALL SELECT line, session_key, started_at, ended_at, NULL, NULL FROM incoming_summary
            ) GROUP BY key HAVING key NOT IN (SELECT key FROM session) ORDER BY min(line)
            """,
        "summary": """
            INSERT INTO summary (session_id, content, digest, recorded_at)
            SELECT session.id, row.content, row.digest, coalesce(row.recorded_at, session.recorded_at)
            FROM incoming_summary AS row JOIN session ON session.key = row.session_key WHERE true ORDER BY row.n
            ON CONFLICT (session_id, digest) DO NOTHING
            """,
        "turn": """
            INSERT INTO turn (session_id, position, uid, speaker, content, said_at, metadata)
            SELECT session.id, row.position, row.uid, row.speaker, row.content, row.said_at, row.metadata
            FROM incoming_turn AS row JOIN session ON session.key = row.session_key WHERE true ORDER BY row.n
            ON CONFLICT (session_id, position) DO NOTHING
            """,
        "observation": """
            INSERT INTO observation (session_id, position, speaker, content, evidence)
            SELECT session.id, row.position, row.speaker, row.content, row.evidence
            FROM incoming_observation AS row JOIN session ON session.key = row.session_key WHERE true ORDER BY row.n
            ON CONFLICT (session_id, content) DO NOTHING
            """,
    }
    added = {}
    for table, statement in statements.items():
        count = connection.execute(statement, (now,) if table == "session" else ()).rowcount
        if count:
            added[table] = count
    return added


def mark_read(connection: sqlite3.Connection, pass_id: int) -> int:
    """Mark what was said in those sessions of the input that its rows refer to: whoever made them has read it.

    Returns:
        Number of summaries marked; the others are left for the next pass.
    """
    connection.execute(
        f"""
        CREATE TEMP TABLE incoming_reader AS
        SELECT session.id FROM ({_ABOUT_SESSION}) JOIN session ON session.key = session_key
        WHERE session_key IN (
            SELECT value FROM incoming_entity, json_each(incoming_entity.sessions)
            UNION SELECT session_key FROM incoming_attribute
            UNION SELECT session_key FROM incoming_link
            UNION SELECT session_key FROM incoming_evidence
        )
        """
    )
    marked = 0
    for table in ("turn", "observation", "summary"):
        marked = connection.execute(
            f"UPDATE {table} SET read_by = ? WHERE read_by IS NULL AND session_id IN (SELECT id FROM incoming_reader)",
            (pass_id,),
        ).rowcount
    connection.execute("DROP TABLE incoming_reader")
    return marked
