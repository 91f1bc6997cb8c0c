"""The graph as JSON lines: every row, in a fixed order, so that equal graphs give equal files.

Nothing of the journal is in it (no pass, no version, no clock), so a pass that was undone leaves no trace in an export.
The contract of what became of each row, as scorers of compactions read it, and what goes beyond it: docs/formats.md.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY, LINK, TABLES, Table
from graphdream.interfaces.exporters.fates import Fates
from graphdream.interfaces.importers.grammar import BY_NAME, BY_TABLE, FATE, FORMAT, Kind
from graphdream.sealing.exports import SealedLines
from graphdream.shown import json_shown

Line = dict[str, Any]

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_LIVED = "session WHERE kind = 'session'"

# Columns of a line that are not columns of its row.
_EXTRA = {
    ("attribute", "entity_id"): "(SELECT entity.uid FROM aspect JOIN entity ON entity.id = aspect.entity_id"
    " WHERE aspect.id = row.aspect_id)",
    # A link that pointed at nobody stays so, also where an entity of that id came later.
    ("link", "dangling"): "row.target_id IS NULL AND EXISTS (SELECT 1 FROM entity WHERE uid = row.target_ref)",
}


def sealed_lines(connection: sqlite3.Connection, *, own: bool = True) -> Iterator[str]:
    """The lines of an export as text. Where one says that the user said it, a seal is the last, so that an import knows
    the file for our own and takes its word.

    Args:
        own: what is exported is what was sealed; else there is no such line.
    """
    told, claims = SealedLines(), False
    for line in graph_lines(connection):
        claims = claims or line.get("authority") == "user"
        text = json_shown(encode(line))
        told.add(text)
        yield text
    if own and claims and (seal := told.seal()) is not None:
        yield encode(seal)


def graph_lines(connection: sqlite3.Connection) -> Iterator[Line]:
    """Every line of an export: the meta line, sessions in the order recorded, then each table by row id."""
    yield _meta(connection)
    yield from _event_lines(connection)
    entities = Fates(connection, ENTITY)
    for table in TABLES:
        if table in (ASPECT, ATTRIBUTE, LINK):
            yield from _fated_lines(connection, table, Fates(connection, table, entities))
        elif table is ENTITY:
            yield from _fated_lines(connection, table, entities)
        else:
            yield from _plain_lines(connection, table)


def _meta(connection: sqlite3.Connection) -> Line:
    counts = {BY_TABLE[table.name].plural: _count(connection, table.name) for table in TABLES}
    for table in ("summary", "turn", "observation"):
        counts[BY_TABLE[table].plural] = _count(connection, f"{table} WHERE session_id IN (SELECT id FROM {_LIVED})")
    return {"kind": "meta", "format": FORMAT, **counts}


def _count(connection: sqlite3.Connection, rows: str) -> int:
    number: int = connection.execute(f"SELECT count(*) FROM {rows}").fetchone()[0]
    return number


def _rows(connection: sqlite3.Connection, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
    """Rows as tuples, whatever the connection makes of them otherwise.

    The cursor itself, and no generator around it: one that is left half-way would close the cursor after the database.
    """
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(query, values)


# ---------------------------------------------------------------------- one row, one line


class _Writer:
    """Shows rows of one kind: the fields of a line from the columns of its row, in the order of the grammar."""

    def __init__(self, kind: Kind) -> None:
        self.fields = [f for f in kind.fields if f.column and not (kind.has_fate and f.name in FATE)]
        self.columns = [field.column for field in self.fields]
        at = {column: index for index, column in enumerate(self.columns)}
        self._plan = [
            (field.name, field.default, at.get(field.like, -1), field.always, field.form) for field in self.fields
        ]

    def show(self, line: Line, row: Sequence[Any]) -> Line:
        """Add the fields of a row to a line: those that every line has, and those that are not the default."""
        for (name, default, like, always, form), value in zip(self._plan, row, strict=False):
            if not always and value == (default if like < 0 else row[like]):
                continue
            if form == "json":
                value = json.loads(value)
            elif form == "flag":
                value = bool(value)
            line[name] = value
        return line


def _select(table: Table, columns: Sequence[str]) -> str:
    return ", ".join(_expression(table, column) for column in columns)


def _expression(table: Table, column: str) -> str:
    if (table.name, column) in _EXTRA:
        return _EXTRA[table.name, column]
    if column in table.refers:
        return f"(SELECT uid FROM {table.refers[column]} WHERE id = row.{column})"
    return f"row.{column}"


# ---------------------------------------------------------------------- the graph


def _plain_lines(connection: sqlite3.Connection, table: Table) -> Iterator[Line]:
    kind = BY_TABLE[table.name]
    writer = _Writer(kind)
    for row in _rows(connection, f"SELECT {_select(table, writer.columns)} FROM {table.name} AS row ORDER BY row.id"):
        line = writer.show({"kind": kind.name}, row)
        if "second_id" in line:
            # Which of a pair has the smaller row id is chance; the order of the ids that are shown is not.
            line["first_id"], line["second_id"] = sorted((line["first_id"], line["second_id"]))
        yield line


def _fated_lines(connection: sqlite3.Connection, table: Table, fates: Fates) -> Iterator[Line]:
    """Lines of rows that can end: what survives, with all it absorbed; what was absorbed; what is gone, and why."""
    kind = BY_TABLE[table.name]
    writer = _Writer(kind)
    columns = [*writer.columns, "status", "status_reason", "absorbed_into"]
    query = f"SELECT {_select(table, columns)}, row.id FROM {table.name} AS row ORDER BY row.id"
    states_status = any(field.name == "status" and field.always for field in kind.fields)
    for *row, status, status_reason, into, row_id in _rows(connection, query):
        gone = fates.reason_gone(row_id)
        line: Line = {"kind": kind.name, "id": row[0]}
        if gone is not None:
            line["removed"] = gone
        elif into is not None:
            line = {"kind": "absorbed", "of": kind.name, "id": row[0]}
        if into is not None:
            line["into"] = into
        writer.show(line, row)
        if table is LINK:
            _show_target(line)
        by_default = "archived" if gone is not None else "active"
        if into is None and (status != by_default or (states_status and gone is None)):
            line["status"] = status
        if status_reason != (gone if status == "archived" else ""):
            line["status_reason"] = status_reason
        if into is None and gone is None and (members := fates.absorbed(row_id)):
            line["absorbed"] = members
        yield line


def _show_target(line: Line) -> None:
    """A dangling edge shows what it points at where others show whom."""
    if line["target_id"] is None:
        line["target_id"] = line.pop("target_ref", None)


# ---------------------------------------------------------------------- the events


def _event_lines(connection: sqlite3.Connection) -> Iterator[Line]:
    """Sessions that the agent lived through; those in which it dreamed tell of passes, and stay with the journal."""
    session, summary = _Writer(BY_NAME["session"]), _Writer(BY_NAME["session_summary"])
    turn, observation = _Writer(BY_NAME["turn"]), _Writer(BY_NAME["observation"])
    header = ", ".join(session.columns)
    for session_id, *row in _rows(connection, f"SELECT id, {header} FROM {_LIVED} ORDER BY id"):
        key, started_at, ended_at, recorded_at, metadata = row
        summaries = [
            summary.show({"kind": "session_summary"}, (key, started_at, ended_at, content, told_at))
            for content, told_at in _rows(
                connection,
                # A summary is recorded with its session unless the line says otherwise.
                "SELECT content, nullif(recorded_at, ?) FROM summary WHERE session_id = ? ORDER BY id",
                recorded_at,
                session_id,
            )
        ]
        if not summaries or metadata != "{}" or recorded_at != (ended_at or started_at):
            yield session.show({"kind": "session"}, row)
        yield from summaries
        for writer, table in ((turn, "turn"), (observation, "observation")):
            columns = ", ".join(writer.columns[1:])
            query = f"SELECT {columns} FROM {table} WHERE session_id = ? ORDER BY position, id"
            for told in _rows(connection, query, session_id):
                yield writer.show({"kind": table}, (key, *told))
