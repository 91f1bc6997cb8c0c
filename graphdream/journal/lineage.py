"""What an absorbed entity was part of, and what was its own before that: read from the graph and its journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Any

from graphdream.graph.rowtext import key_sql, pairs_of
from graphdream.graph.tables import ENTITY, Table
from graphdream.journal.changes import row_as_of
from graphdream.journal.erasure import ERASED
from graphdream.journal.verdicts import Absorption


def merge_of(connection: sqlite3.Connection, number: int) -> Absorption | None:
    """The merge by which an absorbed entity went; None where it came absorbed, with an import.

    Where that was taken back and brought again, it is the pass that stands, not the undo that brought it.
    """
    log = connection.execute(
        "SELECT pass_id, diff FROM change JOIN pass ON pass.id = pass_id WHERE change.kind = ? AND row_id = ?"
        " AND op = '~' AND diff <> ? AND undoes = '[]' AND undone_by IS NULL ORDER BY change.id DESC",
        (ENTITY.kind, number, ERASED),
    )
    for pass_id, diff in log:
        was, into = pairs_of(ENTITY, diff).get("absorbed_into", (0, 0))
        if was is None:
            return Absorption(pass_id, number, into)
    return None


def part_of(connection: sqlite3.Connection, number: int) -> list[sqlite3.Row]:
    """The entities that were merged into one, by whatever way."""
    return connection.execute(
        "WITH RECURSIVE own (id) AS (SELECT ?1 UNION SELECT entity.id FROM entity JOIN own ON absorbed_into = own.id)"
        " SELECT entity.* FROM own JOIN entity USING (id) WHERE own.id <> ?1 ORDER BY entity.id",
        (number,),
    ).fetchall()


def hung_on(
    connection: sqlite3.Connection, pass_id: int, table: Table, column: str, owners: Collection[int]
) -> dict[int, dict[str, Any]]:
    """The rows that hung on some others before a pass, as they were: found where they hang now, and by the changes
    since of those that hang elsewhere by now.

    Args:
        column: which says on what a row hangs.
        owners: ids of what they hung on.
    """
    marks = ", ".join("?" * len(owners))
    found = {
        row[0] for row in connection.execute(f"SELECT id FROM {table.name} WHERE {column} IN ({marks})", sorted(owners))
    }
    before = f"""json_extract(diff, '$."{table.place(column)}"[0]')"""
    found |= {
        row[0]
        for row in connection.execute(
            "SELECT row_id FROM change WHERE id >= (SELECT first_change FROM pass WHERE id = ?) AND kind = ?"
            f" AND op = '~' AND diff <> ? AND instr(diff, {key_sql(table, column)}) AND {before} IN ({marks})",
            (pass_id, table.kind, ERASED, *sorted(owners)),
        )
    }
    rows = {number: row_as_of(connection, table, number, pass_id - 1) for number in sorted(found)}
    return {number: row for number, row in rows.items() if row is not None and row[column] in owners}
