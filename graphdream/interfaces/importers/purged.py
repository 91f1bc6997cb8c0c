"""What was purged does not come back by an import: its rows, and what rests on them, are passed over."""

from __future__ import annotations

import json
import sqlite3

from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, EVIDENCE, TABLES, Table
from graphdream.graph.tombstones import Tombstones

_SAID = ("summary", "turn", "observation")


def pass_over_purged(store: Store) -> int:
    """Take what was purged out of the staging tables, and its words out of what was said.

    Returns:
        Number of rows taken out.

    Raises:
        IntegrityError: what is on record of something that was purged is not what was sealed.
    """
    purged, connection = Tombstones(store.seal), store.connection
    return _events(connection, purged) + _graph(connection, purged) if purged else 0


def _events(connection: sqlite3.Connection, purged: Tombstones) -> int:
    keys = connection.execute(
        "SELECT key FROM incoming_session UNION SELECT session_key FROM incoming_summary"
        " UNION SELECT session_key FROM incoming_turn UNION SELECT session_key FROM incoming_observation"
        " UNION SELECT session_key FROM incoming_evidence"
    )
    gone = json.dumps([key for (key,) in keys if purged.holds("session", key)])
    places = [("session", "key"), *((table, "session_key") for table in (*_SAID, EVIDENCE.name))]
    count = sum(
        connection.execute(
            f"DELETE FROM incoming_{table} WHERE {column} IN (SELECT value FROM json_each(?))", (gone,)
        ).rowcount
        for table, column in places
    )
    for table in _SAID:
        rows = connection.execute(f"SELECT n, content FROM incoming_{table}").fetchall()
        connection.executemany(
            f"UPDATE incoming_{table} SET content = ? WHERE n = ?",
            [(left, n) for n, content in rows if (left := purged.left_of(content)) != content],
        )
    return count


def _graph(connection: sqlite3.Connection, purged: Tombstones) -> int:
    named = [table for table in TABLES if "uid" in table.columns]
    fresh = {table.name: _purged_uids(connection, table, purged) for table in named}
    count = 0
    while any(fresh.values()):
        gone, fresh = fresh, {table.name: set() for table in named}
        for table in TABLES:
            own = [("uid", gone[table.name])] if "uid" in table.columns else []
            for column, uids in (*own, *((column, gone[parent]) for column, parent in table.refers.items())):
                if uids:
                    taken = _take_out(connection, table, column, uids)
                    count += len(taken)
                    fresh.get(table.name, set()).update(taken - uids)
    return count


def _purged_uids(connection: sqlite3.Connection, table: Table, purged: Tombstones) -> set[str]:
    content = "content" if table is ATTRIBUTE else "NULL"
    return {
        uid
        for uid, text in connection.execute(f"SELECT uid, {content} FROM incoming_{table.name}")
        if purged.holds("uid", uid) or (text is not None and purged.holds("fact", text))
    }


def _take_out(connection: sqlite3.Connection, table: Table, column: str, uids: set[str]) -> set[str]:
    """Delete the rows that hold one of the ids in a column. Returns their own ids, or "" for those without."""
    own = "uid" if "uid" in table.columns else "''"
    found = connection.execute(
        f"SELECT n, {own} FROM incoming_{table.name} WHERE {column} IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(uids)),),
    ).fetchall()
    connection.executemany(f"DELETE FROM incoming_{table.name} WHERE n = ?", [(row[0],) for row in found])
    return {row[1] for row in found}
