"""Row changes as the journal keeps them: read in order, carried out forwards or backwards, many at a time.

A change is one row of the table `change`: the operation (`+` made, `~` changed, `-` deleted) and its `diff`, a whole
row as a JSON array in the column order of `graphdream.graph.tables`, or {"column": [before, after]} for a `~`.

Changes of one table keep their order; those of different tables may pass each other, because nothing but foreign
keys ties tables together, and whoever writes here has put the foreign keys off to the end. Neighbours of one shape
(the same operation on the same columns) go to SQLite as one statement.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from graphdream.errors import IntegrityError
from graphdream.graph.tables import BY_KIND, TABLES, Table

PAGE = 5_000  # changes held in memory at once: a few megabytes
Op = Literal["+", "~", "-"]
_read = json.JSONDecoder().raw_decode  # what json.loads does, without its look at the type and at what follows

_COLUMNS = {table.kind: frozenset(table.columns[1:]) for table in TABLES}
_BEFORE, _AFTER = 0, 1  # the two places of a pair in the diff of a `~`


class Change(NamedTuple):
    """One row of the journal, as it was written. `diff` is JSON text."""

    id: int
    pass_id: int
    kind: int
    row_id: int
    op: Op
    diff: str


class BlockedChangeError(IntegrityError):
    """A change cannot be carried out where it stands: the row is not as the journal says, or its place is taken.

    `table` and `row_id` name the row; `values` are the column values that were to be written; `place` holds the
    columns of a unique key that another row occupies, () where something else is wrong.
    """

    def __init__(self, table: Table, row_id: int, values: Mapping[str, Any], why: str) -> None:
        super().__init__(f"{row_name(table, row_id)} cannot be changed as the journal says: {why}")
        self.table, self.row_id, self.values = table, row_id, dict(values)
        head, _, columns = why.partition("UNIQUE constraint failed: ")
        self.place = () if head else tuple(column.rpartition(".")[2] for column in columns.split(", ") if column)


def row_name(table: Table, row_id: int) -> str:
    """How a row is named to a person: `entity e12`, `alias 5`."""
    return f"{table.name} {table.prefix}{row_id}"


def changes_of(connection: sqlite3.Connection, pass_id: int, *, newest_first: bool = False) -> Iterator[Change]:
    """The changes of one pass in the order they were made, or the other way round.

    They are read page by page, so the journal may be written to meanwhile.
    """
    beyond, order, edge = (">", "ASC", 0) if not newest_first else ("<", "DESC", 1 << 62)
    while True:
        page = connection.execute(
            f"SELECT id, pass_id, kind, row_id, op, diff FROM change WHERE pass_id = ? AND id {beyond} ?"
            f" ORDER BY id {order} LIMIT {PAGE}",
            (pass_id, edge),
        ).fetchall()
        yield from map(Change._make, page)
        if len(page) < PAGE:
            return
        edge = page[-1][0]


def changes_between(connection: sqlite3.Connection, after: int, upto: int) -> Iterator[Change]:
    """The changes of the passes `after` < pass <= `upto`, oldest first."""
    passes = connection.execute("SELECT id FROM pass WHERE id > ? AND id <= ? ORDER BY id", (after, upto)).fetchall()
    for (pass_id,) in passes:
        yield from changes_of(connection, pass_id)


def carry_out(connection: sqlite3.Connection, changes: Iterable[Change]) -> int:
    """Do again what the changes say, oldest first; each row gets the id of the change's pass as its version.

    Returns:
        Number of changes.

    Raises:
        BlockedChangeError: a row is not as it was before the change, or its key is taken.
        IntegrityError: a change cannot be read.
    """
    writer = _Writer(connection)
    count = 0
    for change in changes:
        count += 1
        table, diff = _parsed(change)
        if change.op == "+":
            writer.insert(table, change.row_id, diff, change.pass_id)
        elif change.op == "-":
            writer.delete(table, change.row_id)
        else:
            writer.update(table, change.row_id, diff, change.pass_id, _BEFORE)
    writer.flush()
    return count


def take_back(connection: sqlite3.Connection, changes: Iterable[Change], version: int) -> int:
    """Do the opposite of the changes, newest first; each row that stays gets `version`.

    Returns:
        Number of changes.

    Raises:
        BlockedChangeError: a row is not as it was after the change, or its key is taken.
        IntegrityError: a change cannot be read.
    """
    writer = _Writer(connection)
    count = 0
    for change in changes:
        count += 1
        table, diff = _parsed(change)
        if change.op == "+":
            writer.delete(table, change.row_id)
        elif change.op == "-":
            writer.insert(table, change.row_id, diff, version)
        else:
            writer.update(table, change.row_id, diff, version, _AFTER)
    writer.flush()
    return count


def _parsed(change: Change) -> tuple[Table, Any]:
    """The table and the diff of a change. The file may have been tampered with, and column names go into SQL."""
    try:
        table, diff = BY_KIND[change.kind], _read(change.diff)[0]
        if change.op == "~":
            sound = (
                bool(diff) and _COLUMNS[change.kind] >= diff.keys() and all(len(pair) == 2 for pair in diff.values())
            )
        else:
            sound = len(diff) == len(table.columns) and diff[0] == change.row_id
    except (ValueError, TypeError, KeyError, AttributeError):
        sound = False
    if not sound:
        raise IntegrityError(f"change {change.id} of pass {change.pass_id} is not what graphdream writes")
    return table, diff


def row_as_of(connection: sqlite3.Connection, table: Table, row_id: int, upto: int) -> dict[str, Any] | None:
    """A row as it was after pass `upto`, column -> value without version; None where it was not there."""
    present = connection.execute(
        f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE id = ?", (row_id,)
    ).fetchone()
    row = dict(zip(table.columns, present, strict=True)) if present else None
    for op, diff in connection.execute(
        "SELECT op, diff FROM change WHERE kind = ? AND row_id = ? AND pass_id > ? ORDER BY id DESC",
        (table.kind, row_id, upto),
    ):
        if op == "+":
            row = None
        elif op == "-":
            row = dict(zip(table.columns, json.loads(diff), strict=True))
        elif row is not None:
            row.update({column: pair[0] for column, pair in json.loads(diff).items()})
    return row


class _Writer:
    """Collects neighbours of one shape, a pile for each table, and writes a pile when its shape changes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._piles = {table.kind: _Pile(connection, table) for table in TABLES}

    def insert(self, table: Table, row_id: int, values: list[Any], version: int) -> None:
        self._piles[table.kind].add(("+",), row_id, (*values, version))

    def delete(self, table: Table, row_id: int) -> None:
        self._piles[table.kind].add(("-",), row_id, (row_id,))

    def update(self, table: Table, row_id: int, diff: dict[str, list[Any]], version: int, found: int) -> None:
        """`found` says which of each pair is in the row now; the other one is written."""
        pairs = diff.values()
        self._piles[table.kind].add(
            ("~", *diff),
            row_id,
            (*(pair[1 - found] for pair in pairs), version, row_id, *(pair[found] for pair in pairs)),
        )

    def flush(self) -> None:
        for pile in self._piles.values():
            pile.flush()


class _Pile:
    """Rows of one table that one statement writes."""

    def __init__(self, connection: sqlite3.Connection, table: Table) -> None:
        self._connection, self._table = connection, table
        self._shape: tuple[str, ...] = ()
        self._ids: list[int] = []
        self._parameters: list[tuple[Any, ...]] = []

    def add(self, shape: tuple[str, ...], row_id: int, parameters: tuple[Any, ...]) -> None:
        if shape != self._shape or len(self._ids) >= PAGE:
            self.flush()
            self._shape = shape
        self._ids.append(row_id)
        self._parameters.append(parameters)

    def flush(self) -> None:
        if not self._ids:
            return
        ids, parameters = self._ids, self._parameters
        self._ids, self._parameters = [], []
        reached = 0

        def watched() -> Iterator[tuple[Any, ...]]:
            nonlocal reached
            for reached, row in enumerate(parameters):
                before = self._connection.total_changes
                yield row
                if self._connection.total_changes == before:
                    raise BlockedChangeError(self._table, ids[reached], {}, "it is not as it was left")

        try:
            self._connection.executemany(self._statement(), watched())
        except sqlite3.IntegrityError as fault:
            raise BlockedChangeError(
                self._table, ids[reached], self._written(parameters[reached]), str(fault)
            ) from fault

    def _statement(self) -> str:
        name, columns = self._table.name, self._table.columns
        if self._shape[0] == "-":
            return f"DELETE FROM {name} WHERE id = ?"
        if self._shape[0] == "+":
            return f"INSERT INTO {name} ({', '.join(columns)}, version) VALUES ({', '.join('?' * (len(columns) + 1))})"
        sets = "".join(f"{column} = ?, " for column in self._shape[1:])
        return f"UPDATE {name} SET {sets}version = ? WHERE id = ?" + "".join(
            f" AND {column} IS ?" for column in self._shape[1:]
        )

    def _written(self, parameters: Sequence[Any]) -> dict[str, Any]:
        columns = self._table.columns if self._shape[0] == "+" else self._shape[1:]
        return dict(zip(columns, parameters, strict=False))
