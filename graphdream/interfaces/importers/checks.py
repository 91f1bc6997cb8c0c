"""What must hold between the lines of a file, and between the file and the graph it goes into.

Each check is one statement over the staging tables. A row that fails is a fault of its line and is taken out, so that
what rests on it fails in turn; whoever calls decides whether any fault at all refuses the whole file.
"""

from __future__ import annotations

import sqlite3

from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY, LINK, TABLES
from graphdream.interfaces.importers.faults import Faults
from graphdream.interfaces.importers.staging import KEYS

_EVENTS = ("session", "summary", "turn", "observation")
_WITH_UID = (ENTITY, ASPECT, ATTRIBUTE, LINK)
# Where a row ended, for the tables whose rows can end in another.
_POINTER = {
    "entity": "absorbed_into",
    "aspect": "absorbed_into",
    "attribute": "coalesce(absorbed_into, superseded_by)",
    "link": "absorbed_into",
}


def check_events(connection: sqlite3.Connection, faults: Faults) -> None:
    """Sessions, summaries, turns and observations; telling again what is on record is no fault."""
    check = _Check(connection, faults)
    for table in _EVENTS:
        check.unlike(table)
    for table in ("session", "summary"):
        key = KEYS[table][0]
        check.refuse(
            table,
            f"SELECT n, line, {key} FROM incoming_{table} AS row"
            f" WHERE EXISTS (SELECT 1 FROM session WHERE key = row.{key} AND kind <> 'session')",
            "session {!r} is on record as a dream",
        )
    for table in ("turn", "observation"):
        check.refuse(
            table,
            f"SELECT n, line, session_key FROM incoming_{table} AS row"
            " WHERE NOT EXISTS (SELECT 1 FROM incoming_session WHERE key = row.session_key)"
            " AND NOT EXISTS (SELECT 1 FROM incoming_summary WHERE session_key = row.session_key)"
            " AND NOT EXISTS (SELECT 1 FROM session WHERE key = row.session_key)",
            "session {!r} is unknown",
        )
    check.refuse(
        "turn",
        "SELECT row.n, row.line, row.position, row.session_key FROM incoming_turn AS row"
        " JOIN session ON session.key = row.session_key"
        " JOIN turn ON turn.session_id = session.id AND turn.position = row.position"
        " WHERE turn.content <> row.content OR turn.speaker <> row.speaker",
        "turn {} of session {!r} is on record with other words",
    )


def check_graph(connection: sqlite3.Connection, faults: Faults, *, onto_known: bool = False) -> dict[str, int]:
    """Ids, references and chains, parents first.

    On the way a link whose target is in no line becomes a dangling one, and what may be only once is folded: see
    `_fold_aspects` and `_fold_links`.

    Args:
        onto_known: a reference may also be met by a row that is in the database already.

    Returns:
        Number of rows folded into another, for each table that has any.
    """
    folded = {}
    check = _Check(connection, faults)
    for table in TABLES:
        check.unlike(table.name)
        if table in _WITH_UID:
            check.refuse(
                table.name,
                f"SELECT n, line, uid FROM incoming_{table.name} AS row"
                f" WHERE EXISTS (SELECT 1 FROM {table.name} WHERE uid = row.uid)",
                "the id {!r} is in the database already",
            )
        if table is LINK:
            _let_dangle(connection)
        for column, parent in table.refers.items():
            known = f" AND NOT EXISTS (SELECT 1 FROM {parent} WHERE uid = row.{column})" if onto_known else ""
            check.refuse(
                table.name,
                f"SELECT n, line, {column} FROM incoming_{table.name} AS row WHERE {column} IS NOT NULL"
                f" AND NOT EXISTS (SELECT 1 FROM incoming_{parent} WHERE uid = row.{column}){known}",
                f"`{_FIELD_OF.get(column, column)}` names {_KIND_OF[parent]} {{!r}},"
                " which no good line of the file gives",
            )
        if table is ASPECT:
            folded["aspect"] = _fold_aspects(connection)
        if table is ATTRIBUTE:
            check.refuse(
                "attribute",
                "SELECT row.n, row.line, row.aspect_id, row.entity_id, aspect.entity_id FROM incoming_attribute AS row"
                " JOIN incoming_aspect AS aspect ON aspect.uid = row.aspect_id"
                " WHERE aspect.entity_id <> row.entity_id",
                "`aspect_id` {!r} is no aspect of {!r} but of {!r}",
            )
        if table is LINK:
            folded["link"] = _fold_links(connection)
        if table.name in _POINTER:
            _follow_chains(connection, check, table.name)
    return {table: count for table, count in folded.items() if count}


_FIELD_OF = {"absorbed_into": "into"}
_KIND_OF = {"entity": "entity", "aspect": "aspect", "attribute": "attribute", "link": "edge"}


class _Check:
    def __init__(self, connection: sqlite3.Connection, faults: Faults) -> None:
        self._connection, self._faults = connection, faults

    def refuse(self, table: str, rows: str, message: str) -> None:
        """Take out the rows that a statement finds: it gives `n`, `line`, and what the message names."""
        found = self._connection.execute(rows)
        found.row_factory = None
        taken_out = []
        for n, line, *named in found:
            self._faults.add(line, message.format(*named))
            taken_out.append((n,))
        self._connection.executemany(f"DELETE FROM incoming_{table} WHERE n = ?", taken_out)

    def unlike(self, table: str) -> None:
        """Refuse the second of two rows that are the same one."""
        keys = KEYS[table]
        same = " AND ".join(f"other.{key} = row.{key}" for key in keys)
        self.refuse(
            table,
            f"SELECT n, line, {keys[0]}, (SELECT line FROM incoming_{table} AS other WHERE {same} ORDER BY n LIMIT 1)"
            f" FROM incoming_{table} AS row"
            f" WHERE EXISTS (SELECT 1 FROM incoming_{table} AS other WHERE {same} AND other.n < row.n)",
            "the id {!r} is taken by line {}" if len(keys) == 1 else "says the same of {!r} as line {}",
        )


def _let_dangle(connection: sqlite3.Connection) -> None:
    connection.execute(
        "UPDATE incoming_link AS row SET target_ref = target_id, target_id = NULL WHERE target_id IS NOT NULL"
        " AND (dangling OR NOT EXISTS (SELECT 1 FROM incoming_entity WHERE uid = row.target_id))"
    )


def _fold_aspects(connection: sqlite3.Connection) -> int:
    """An entity has one active aspect of a name: a further one is absorbed into the first, where its facts go."""
    connection.execute(
        """
        CREATE TEMP TABLE incoming_repeat AS
        SELECT n, uid, keeper FROM (
            SELECT n, uid, first_value(uid) OVER (PARTITION BY entity_id, canonical ORDER BY n) AS keeper
            FROM incoming_aspect WHERE status = 'active'
        ) WHERE uid <> keeper
        """
    )
    connection.execute("CREATE INDEX temp.incoming_repeat_uid ON incoming_repeat (uid)")
    folded = connection.execute(
        "UPDATE incoming_aspect AS row SET status = 'absorbed', status_reason = 'duplicate', absorbed_into = keeper"
        " FROM incoming_repeat WHERE incoming_repeat.n = row.n"
    ).rowcount
    connection.execute(
        "UPDATE incoming_attribute AS row SET aspect_id = keeper"
        " FROM incoming_repeat WHERE incoming_repeat.uid = row.aspect_id"
    )
    connection.execute("DROP TABLE incoming_repeat")
    return folded


def _fold_links(connection: sqlite3.Connection) -> int:
    """Two entities have one active link of a type: a further one is absorbed into the first, which was seen as often
    as both, from the earlier to the later, with the greater strength."""
    connection.execute(
        """
        CREATE TEMP TABLE incoming_repeat AS
        SELECT * FROM (
            SELECT n, uid, first_value(uid) OVER same AS keeper, count(*) OVER same AS copies,
                reinforcement, first_seen, last_seen, strength
            FROM incoming_link WHERE status = 'active' AND target_id IS NOT NULL
            WINDOW same AS (PARTITION BY source_id, target_id, target_ref, type ORDER BY n
                ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        ) WHERE copies > 1
        """
    )
    connection.execute(
        """
        UPDATE incoming_link AS row SET reinforcement = seen.often, first_seen = seen.first, last_seen = seen.last,
            strength = seen.strength
        FROM (
            SELECT keeper, sum(reinforcement) AS often, min(first_seen) AS first, max(last_seen) AS last,
                max(strength) AS strength
            FROM incoming_repeat GROUP BY keeper
        ) AS seen WHERE seen.keeper = row.uid
        """
    )
    folded = connection.execute(
        "UPDATE incoming_link AS row SET status = 'absorbed', status_reason = 'duplicate', absorbed_into = keeper"
        " FROM incoming_repeat AS repeat WHERE repeat.n = row.n AND repeat.uid <> keeper"
    ).rowcount
    connection.execute("DROP TABLE incoming_repeat")
    return folded


def _follow_chains(connection: sqlite3.Connection, check: _Check, table: str) -> None:
    """Number the rows by their distance from where they end, and refuse those that end nowhere."""
    pointer = _POINTER[table]
    rows = f"incoming_{table}"
    if connection.execute(f"SELECT 1 FROM {rows} WHERE {pointer} IS NOT NULL LIMIT 1").fetchone() is None:
        return
    connection.execute(f"CREATE INDEX temp.{rows}_pointer ON {rows} ({pointer})")
    connection.execute(
        f"""
        WITH RECURSIVE reached (n, uid, depth) AS (
            SELECT n, uid, 0 FROM {rows}
            WHERE {pointer} IS NULL AND uid IN (SELECT {pointer} FROM {rows} WHERE {pointer} IS NOT NULL)
            UNION ALL
            SELECT next.n, next.uid, reached.depth + 1 FROM reached JOIN {rows} AS next
            ON {pointer.replace("absorbed_into", "next.absorbed_into").replace("superseded_by", "next.superseded_by")}
                = reached.uid
        )
        UPDATE {rows} AS row SET depth = reached.depth FROM reached WHERE reached.n = row.n
        """
    )
    check.refuse(
        table,
        f"SELECT n, line, {pointer} FROM {rows} WHERE {pointer} IS NOT NULL AND depth = 0",
        f"what became of it never ends: {_KIND_OF[table]} {{!r}} leads back to it, or to a refused line",
    )
