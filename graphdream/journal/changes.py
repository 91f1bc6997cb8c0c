"""Row changes as the journal keeps them: read in order, carried out forwards or backwards, many at a time.

A change is one row of the table `change`: the operation (`+` made, `~` changed, `-` deleted) and its `diff`, a whole
row, or what a `~` changed, as `graphdream.graph.rowtext` says.

Changes of one row keep their order; those of different tables may pass each other, because nothing but foreign keys
ties tables together, and whoever writes here has put the foreign keys off to the end. Changes of one shape (the same
operation on the same columns) go to SQLite as one statement; those of different rows of one table may pass each other
on the way, and where a unique key does not let them, they are done again in the order in which they were made.

A change that was purged is passed over in either direction: all changes of its row were, and the row is gone.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from graphdream.errors import IntegrityError
from graphdream.graph.rowtext import pairs_of, row_of, whole_row
from graphdream.graph.spans import span_of
from graphdream.graph.staging import delete_rows, insert_rows, update_rows
from graphdream.graph.tables import BY_KIND, TABLES, Table
from graphdream.journal.erasure import ERASED

PAGE = 5_000  # changes held in memory at once: a few megabytes
Op = Literal["+", "~", "-"]
Part = Callable[[], AbstractContextManager[None]]
"""Begins a part of a transaction that can fail alone (`Store.savepoint`)."""
_read = json.JSONDecoder().raw_decode  # what json.loads does, without its look at the type and at what follows

_COLUMNS = {table.kind: {str(place): column for place, column in enumerate(table.columns) if place} for table in TABLES}
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
    order = "DESC" if newest_first else "ASC"
    first, last = span_of(connection, pass_id)
    while first <= last:
        # One bound at either end: of two, SQLite may step over all that was read before to come to the narrower one.
        page = connection.execute(
            "SELECT id, pass_id, kind, row_id, op, diff FROM change WHERE id BETWEEN ? AND ?"
            f" ORDER BY id {order} LIMIT {PAGE}",
            (first, last),
        ).fetchall()
        yield from map(Change._make, page)
        if len(page) < PAGE:
            return
        if newest_first:
            last = page[-1][0] - 1
        else:
            first = page[-1][0] + 1


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
        if change.diff == ERASED:
            continue
        table, diff = _parsed(change)
        if change.op == "+":
            writer.insert(table, change.row_id, diff, change.pass_id)
        elif change.op == "-":
            writer.delete(table, change.row_id)
        else:
            writer.update(table, change.row_id, diff, change.pass_id, _BEFORE)
    writer.flush()
    return count


def take_back(
    connection: sqlite3.Connection, changes: Iterable[Change], version: int, *, part: Part | None = None
) -> int:
    """Do the opposite of the changes, newest first; each row that stays gets `version`.

    Args:
        part: with it, changes are done many at a time, as a part that can fail, and one by one only where they have
            to be; within a savepoint nothing else is fast (`graphdream.graph.staging`).

    Returns:
        Number of changes.

    Raises:
        BlockedChangeError: a row is not as it was after the change, or its key is taken.
        IntegrityError: a change cannot be read.
    """
    writer = _Writer(connection, part)
    count = 0
    for change in changes:
        count += 1
        if change.diff == ERASED:
            continue
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
            named = _COLUMNS[change.kind]
            diff = {named[place]: pair for place, pair in diff.items()}
            sound = bool(diff) and all(len(pair) == 2 for pair in diff.values())
        else:
            diff = whole_row(table, diff)
            sound = diff[0] == change.row_id
    except (ValueError, TypeError, KeyError, AttributeError):
        sound = False
    if not sound:
        raise IntegrityError(f"change {change.id} of pass {change.pass_id} is not what graphdream writes")
    return table, diff


def row_as_of(connection: sqlite3.Connection, table: Table, row_id: int, upto: int) -> dict[str, Any] | None:
    """A row as it was after pass `upto`, column -> value without version; None where it was not there."""
    return rows_as_of(connection, table, (row_id,), upto).get(row_id)


def rows_as_of(
    connection: sqlite3.Connection, table: Table, row_ids: Iterable[int], upto: int
) -> dict[int, dict[str, Any]]:
    """Rows as they were after pass `upto`: id -> column -> value without version, of those that were there."""
    found: dict[int, dict[str, Any] | None] = {}
    wanted = list(row_ids)
    for ids in (wanted[at : at + _AT_ONCE] for at in range(0, len(wanted), _AT_ONCE)):
        places = ", ".join("?" * len(ids))
        present = f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE id IN ({places})"
        found |= {row[0]: dict(zip(table.columns, row, strict=True)) for row in connection.execute(present, ids)}
        later = (
            f"SELECT row_id, op, diff FROM change WHERE kind = ? AND row_id IN ({places}) AND pass_id > ?"
            " ORDER BY id DESC"
        )
        for row_id, op, diff in connection.execute(later, (table.kind, *ids, upto)):
            row = found.get(row_id)
            if op == "+" or diff == ERASED:
                found[row_id] = None
            elif op == "-":
                found[row_id] = row_of(table, diff)
            elif row is not None:
                row.update({column: pair[0] for column, pair in pairs_of(table, diff).items()})
    return {row_id: row for row_id, row in found.items() if row is not None}


_AT_ONCE = 500  # rows that one statement asks for


class _Writer:
    """Collects changes, a pile for each table, and writes a pile when it is full or a row comes up again."""

    def __init__(self, connection: sqlite3.Connection, part: Part | None = None) -> None:
        self._piles = {table.kind: _Pile(connection, table, part) for table in TABLES}

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
            (row_id, *(pair[1 - found] for pair in pairs), version, *(pair[found] for pair in pairs)),
        )

    def flush(self) -> None:
        for pile in self._piles.values():
            pile.flush()


_Shape = tuple[str, ...]  # the operation, and for a `~` the columns


class _Pile:
    """Changes of one table that are not written yet, each of another row."""

    def __init__(self, connection: sqlite3.Connection, table: Table, part: Part | None) -> None:
        self._connection, self._table, self._part = connection, table, part
        self._pending: dict[int, tuple[_Shape, tuple[Any, ...]]] = {}

    def add(self, shape: _Shape, row_id: int, parameters: tuple[Any, ...]) -> None:
        if row_id in self._pending or len(self._pending) >= PAGE:
            self.flush()
        self._pending[row_id] = shape, parameters

    def flush(self) -> None:
        pending, self._pending = self._pending, {}
        if not pending:
            return
        if self._part is not None and self._written_at_once(pending, self._part):
            return
        for shape, group in groupby(pending.items(), key=lambda item: item[1][0]):
            self._write_in_order(shape, {row_id: parameters for row_id, (_, parameters) in group})

    def _written_at_once(self, pending: dict[int, tuple[_Shape, tuple[Any, ...]]], part: Part) -> bool:
        """Write all changes of a shape together; False, and nothing written, where a row or a key stands against it."""
        shapes: dict[_Shape, list[tuple[Any, ...]]] = {}
        for shape, parameters in pending.values():
            shapes.setdefault(shape, []).append(parameters)
        try:
            with part():
                for shape, rows in shapes.items():
                    if self._write_shape(shape, rows) != len(rows):
                        raise _NotAsLeftError
        except (sqlite3.IntegrityError, _NotAsLeftError):
            return False
        return True

    def _write_shape(self, shape: _Shape, rows: list[tuple[Any, ...]]) -> int:
        name, columns = self._table.name, shape[1:]
        if shape[0] == "-":
            return delete_rows(self._connection, name, map(itemgetter(0), rows))
        if shape[0] == "+":
            return insert_rows(self._connection, name, (*self._table.columns, "version"), rows)
        return update_rows(self._connection, name, (*columns, "version"), rows, found=columns)

    def _write_in_order(self, shape: _Shape, rows: dict[int, tuple[Any, ...]]) -> None:
        """Write row by row, so that the one which stands against it is known."""
        reached = 0

        def watched() -> Iterator[tuple[Any, ...]]:
            nonlocal reached
            for reached, parameters in rows.items():
                before = self._connection.total_changes
                yield parameters
                if self._connection.total_changes == before:
                    raise BlockedChangeError(self._table, reached, {}, "it is not as it was left")

        try:
            self._connection.executemany(self._statement(shape), watched())
        except sqlite3.IntegrityError as fault:
            values = self._values(shape, rows[reached])
            raise BlockedChangeError(self._table, reached, values, str(fault)) from fault

    def _statement(self, shape: _Shape) -> str:
        name, columns = self._table.name, self._table.columns
        if shape[0] == "-":
            return f"DELETE FROM {name} WHERE id = ?"
        if shape[0] == "+":
            return f"INSERT INTO {name} ({', '.join(columns)}, version) VALUES ({', '.join('?' * (len(columns) + 1))})"
        changed = shape[1:]
        sets = "".join(f"{column} = ?{number}, " for number, column in enumerate(changed, 2))
        still = "".join(f" AND {column} IS ?{number}" for number, column in enumerate(changed, 3 + len(changed)))
        return f"UPDATE {name} SET {sets}version = ?{2 + len(changed)} WHERE id = ?1{still}"

    def _values(self, shape: _Shape, parameters: Sequence[Any]) -> dict[str, Any]:
        """The column values that a change was to write."""
        if shape[0] == "+":
            return dict(zip(self._table.columns, parameters, strict=False))
        return dict(zip(shape[1:], parameters[1:], strict=False))


class _NotAsLeftError(Exception):
    """A row is not what the journal says it is."""
