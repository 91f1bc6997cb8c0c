"""What an undo meets in the graph that the journal's rows do not show: a key that was given away, a reference cut off,
a row left behind under one that is put aside.

Two passes can be in each other's way without having changed one row in common: the later one took a unique key that
the earlier one had set free, pointed a row at one that the earlier one made, or hung a fact on an entity that the
earlier one had brought back. Here the later pass is found.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection

from graphdream.errors import IntegrityError
from graphdream.graph.rowtext import key_sql, pairs_of
from graphdream.graph.spans import of_pass
from graphdream.graph.tables import ASPECT, ATTRIBUTE, BY_NAME, ENTITY, LINK, TABLES, Table
from graphdream.journal.changes import BlockedChangeError, row_name
from graphdream.journal.erasure import ERASED
from graphdream.journal.standing import read_undoes, undoers

_HANGING = (
    (ASPECT, "entity_id", ENTITY),
    (ATTRIBUTE, "aspect_id", ASPECT),
    (LINK, "source_id", ENTITY),
    (LINK, "target_id", ENTITY),
)
"""What is seen only where the row it hangs on is active: table, column, table hung on."""


def occupier(connection: sqlite3.Connection, blocked: BlockedChangeError, undo: int, taken: Collection[int]) -> int:
    """The pass that gave another row the unique key which `undo`, taking back `taken`, wants to give back.

    Raises:
        BlockedChangeError: no later pass did; the graph is not what the journal says.
    """
    table = blocked.table
    if blocked.place:
        present = connection.execute(f"SELECT * FROM {table.name} WHERE id = ?", (blocked.row_id,)).fetchone()
        wanted = {**(dict(present) if present else {}), **blocked.values}
        same = " AND ".join(f"{column} IS ?" for column in blocked.place)
        since = _oldest(connection, table, blocked.row_id, taken)
        for (row_id,) in connection.execute(
            f"SELECT id FROM {table.name} WHERE {same} AND id <> ? AND ({_covered(connection, table, blocked.place)})",
            (*(wanted[column] for column in blocked.place), blocked.row_id),
        ).fetchall():
            # A row also takes its place by becoming active.
            found = _last_to_set(connection, table, row_id, {*blocked.place, "status"}, since, undo, taken)
            if found is not None:
                return found
    raise blocked


def loose_ends(connection: sqlite3.Connection, undo: int, taken: Collection[int]) -> set[int]:
    """The passes because of which a row would refer to one that is not there, once `undo` has taken back `taken`.

    Either a later pass pointed a row at one that the undo deleted, or the undo brought back a reference to a row
    that another undo deleted.

    Raises:
        IntegrityError: no later pass did; the graph is not what the journal says.
    """
    shapes = {
        tuple(row) for row in connection.execute(f"SELECT DISTINCT kind, op FROM change WHERE {of_pass('?1')}", (undo,))
    }
    found: set[int] = set()
    for table in TABLES:
        for column, parent in ((column, BY_NAME[name]) for column, name in table.refers.items()):
            if (parent.kind, "-") in shapes:
                for child, gone in _still_referring(connection, undo, table, column, parent):
                    since = _oldest(connection, parent, gone, taken)
                    found.add(_culprit(connection, table, child, {column}, since, undo, taken))
            if (table.kind, "+") in shapes or (table.kind, "~") in shapes:
                for child, gone in _referring_to_none(connection, undo, table, column, parent):
                    since = _oldest(connection, table, child, taken)
                    found.add(_culprit(connection, parent, gone, set(), since, undo, taken))
    return found


def stranded(connection: sqlite3.Connection, undo: int, taken: Collection[int]) -> set[int]:
    """The passes because of which an active row would hang on one put aside, once `undo` has taken back `taken`.

    Either a later pass hung the row on one that the undo puts aside, or the undo brings the row back under one that a
    later pass has put aside. A row that hung so before the passes taken back is nobody's doing.
    """
    found: set[int | None] = set()
    for table, column, parent in _HANGING:
        for child, above in _left_behind(connection, undo, table, column, parent):
            since = _oldest(connection, parent, above, taken)
            found.add(_last_to_set(connection, table, child, {column, "status"}, since, undo, taken))
        for child, above in _brought_under(connection, undo, table, column, parent):
            since = _oldest(connection, table, child, taken)
            found.add(_last_to_set(connection, parent, above, {"status"}, since, undo, taken))
    return {pass_id for pass_id in found if pass_id is not None}


def _left_behind(
    connection: sqlite3.Connection, undo: int, table: Table, column: str, parent: Table
) -> list[tuple[int, int]]:
    """(active row, the row it hangs on, which the undo has put aside)."""
    return connection.execute(
        f"""
        SELECT child.id, own.row_id FROM change AS own
        CROSS JOIN {parent.name} AS above ON above.id = own.row_id
        CROSS JOIN {table.name} AS child ON child.{column} = own.row_id
        WHERE {of_pass("?1", "own")} AND own.kind = {parent.kind} AND own.op = '~'
            AND instr(own.diff, {key_sql(parent, "status", '"active"')})
            AND above.status <> 'active' AND child.status = 'active'
        """,
        (undo,),
    ).fetchall()


def _brought_under(
    connection: sqlite3.Connection, undo: int, table: Table, column: str, parent: Table
) -> list[tuple[int, int]]:
    """(active row that the undo brought back or moved, the row it hangs on, which is put aside)."""
    return connection.execute(
        f"""
        SELECT child.id, above.id FROM change AS own
        CROSS JOIN {table.name} AS child ON child.id = own.row_id
        CROSS JOIN {parent.name} AS above ON above.id = child.{column}
        WHERE {of_pass("?1", "own")} AND own.kind = {table.kind}
            AND (own.op = '+' OR (own.op = '~' AND (instr(own.diff, {key_sql(table, "status")})
                OR instr(own.diff, {key_sql(table, column)}))))
            AND above.status <> 'active' AND child.status = 'active'
        """,
        (undo,),
    ).fetchall()


def _covered(connection: sqlite3.Connection, table: Table, columns: tuple[str, ...]) -> str:
    """The condition of the unique index over these columns; "1" where it covers every row."""
    for index in connection.execute(f"PRAGMA index_list({table.name})").fetchall():
        if index["unique"] and index["partial"]:
            named = tuple(row["name"] for row in connection.execute(f"PRAGMA index_info({index['name']})"))
            if named == columns:
                row = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index["name"],)).fetchone()
                return str(row[0]).partition(" WHERE ")[2]
    return "1"


def _still_referring(
    connection: sqlite3.Connection, undo: int, table: Table, column: str, parent: Table
) -> list[tuple[int, int]]:
    """(row, the deleted row it refers to). CROSS JOIN keeps the cost that of the undo, not that of the graph."""
    return connection.execute(
        f"""
        SELECT child.id, gone.row_id FROM change AS gone
        CROSS JOIN {table.name} AS child ON child.{column} = gone.row_id
        WHERE {of_pass("?1", "gone")} AND gone.kind = {parent.kind} AND gone.op = '-'
            AND NOT EXISTS (SELECT 1 FROM {parent.name} WHERE id = gone.row_id)
        """,
        (undo,),
    ).fetchall()


def _referring_to_none(
    connection: sqlite3.Connection, undo: int, table: Table, column: str, parent: Table
) -> list[tuple[int, int]]:
    """(row that the undo brought back or set back, the row it refers to), where that was gone before the undo."""
    return connection.execute(
        f"""
        SELECT child.id, child.{column} FROM change AS own CROSS JOIN {table.name} AS child ON child.id = own.row_id
        WHERE {of_pass("?1", "own")} AND own.kind = {table.kind}
            AND (own.op = '+' OR (own.op = '~' AND instr(own.diff, {key_sql(table, column)})))
            AND child.{column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {parent.name} WHERE id = child.{column})
            AND NOT EXISTS (
                SELECT 1 FROM change AS gone
                WHERE gone.kind = {parent.kind} AND gone.row_id = child.{column} AND gone.pass_id = own.pass_id
            )
        """,
        (undo,),
    ).fetchall()


def _oldest(connection: sqlite3.Connection, table: Table, row_id: int, taken: Collection[int]) -> int:
    """The first of the passes taken back that changed a row."""
    row = connection.execute(
        "SELECT min(pass_id) FROM change WHERE kind = ? AND row_id = ? AND pass_id IN (SELECT value FROM json_each(?))",
        (table.kind, row_id, json.dumps(sorted(taken))),
    ).fetchone()
    return int(row[0])


def _culprit(
    connection: sqlite3.Connection,
    table: Table,
    row_id: int,
    columns: set[str],
    since: int,
    undo: int,
    taken: Collection[int],
) -> int:
    found = _last_to_set(connection, table, row_id, columns, since, undo, taken)
    if found is None:
        raise IntegrityError(
            f"{row_name(table, row_id)} stands against the undo, and no later pass accounts for it",
            hint="graphdream verify tells where graph and journal disagree",
        )
    return found


def _last_to_set(
    connection: sqlite3.Connection,
    table: Table,
    row_id: int,
    columns: set[str],
    since: int,
    undo: int,
    taken: Collection[int],
) -> int | None:
    """The newest standing pass after `since` that set one of these columns of a row; no columns: that deleted it."""
    undoes = read_undoes(connection)
    gone = undoers({**undoes, undo: taken})
    for pass_id, op, diff in connection.execute(
        "SELECT pass_id, op, diff FROM change WHERE kind = ? AND row_id = ? AND pass_id > ? AND pass_id < ?"
        " ORDER BY id DESC",
        (table.kind, row_id, since, undo),
    ):
        if pass_id in gone or (pass_id in undoes and all(named > since for named in undoes[pass_id])):
            continue
        if op == "+" if columns else op == "-":
            return int(pass_id)
        if op == "~" and diff != ERASED and columns & pairs_of(table, diff).keys():
            return int(pass_id)
    return None
