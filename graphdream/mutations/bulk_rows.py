"""The rows that a run of mutations works on, held in memory; what has changed in the end is written at once.

Row by row, a change costs a statement with its trigger, its index pages and its share of a savepoint; a row that a run
changes three times costs it three times. Here the run reads many rows with one query, changes them in memory, and
each row that differs in the end is written once, all rows of one shape by one statement.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

from graphdream.errors import NotFoundError
from graphdream.graph.rows import handle, stored
from graphdream.graph.rowwords import row_called
from graphdream.graph.staging import delete_rows, insert_rows, update_rows
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, TABLES, Table
from graphdream.mutations.rows import DirectRows, Row

Values = dict[str, Any]
_UPWARDS = frozenset({"absorbed_into", "superseded_by"})  # nobody asks for rows by these
_MANY = 64  # rows found by one column, from which those of another are asked of the file: an entity may have any number
_OUTLINE = ("id", "aspect_id", "status", "digest", "version")
"""What is read of the many facts of which a run wants to know no more than where they hang and whether two are one."""


class _Held:
    """The rows of one table that are in memory, found by id and by what they refer to.

    Attributes:
        rows: id -> the row as it is now. A row is replaced, never changed, so who has read it keeps what they read.
        before: id -> what the file has in the columns that were changed here.
        made: ids of rows that the file does not have yet, in order.
        gone: rows deleted here.
        outlines: ids of rows of which only the `_OUTLINE` is in memory.
        read: column -> the values of which every row is in memory.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows: dict[int, Values] = {}
        self.before: dict[int, Values] = {}
        self.made: dict[int, None] = {}
        self.gone: dict[int, Values] = {}
        self.outlines: set[int] = set()
        self.read: defaultdict[str, set[Any]] = defaultdict(set)
        self.groups: dict[str, defaultdict[Any, dict[int, None]]] = {
            column: defaultdict(dict) for column in table.refers if column not in _UPWARDS
        }

    def put(self, row: Values) -> None:
        """Take a row in, in place of the one of its id."""
        row_id = row["id"]
        old = self.rows.get(row_id)
        self.rows[row_id] = row
        for column, group in self.groups.items():
            value = row[column]
            if old is None:
                group[value][row_id] = None
            elif old[column] != value:
                del group[old[column]][row_id]
                group[value][row_id] = None

    def remove(self, row_id: int) -> Values:
        """Let go of a row and return it."""
        row = self.rows.pop(row_id)
        for column, group in self.groups.items():
            del group[row[column]][row_id]
        return row

    def unmake(self, row_id: int) -> None:
        """Take back that a row was made."""
        self.remove(row_id)
        del self.made[row_id]

    def bring_back(self, row_id: int) -> None:
        """Take back that a row was deleted."""
        self.put(self.gone.pop(row_id))


class WorkingRows:
    """`Rows` in memory. Nothing reaches the file before `flush`; what is not in memory yet is read when asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pass_id = store.pass_id
        self._direct = DirectRows(store)
        self._held = {table.name: _Held(table) for table in TABLES}
        self._defaults: dict[str, Values] = {}
        self._steps: list[tuple[Callable[[Any], object], Any]] = []  # how to take back what was done, oldest first

    # ------------------------------------------------------------------ reading

    def load(self, table: Table, column: str, values: Iterable[Any], *, outline: bool = False) -> list[Values]:
        """Read every row whose column, `id` or one that refers to another table, holds one of these values.

        Args:
            outline: of facts that are not in memory yet, read the outline only; the rest follows when asked for.

        Returns:
            All of them, as they are now, by id.
        """
        held, wanted = self._held[table.name], dict.fromkeys(values)
        self.bring(table, column, wanted, outline=outline)
        if column == "id":
            ids = sorted(value for value in wanted if value in held.rows)
        else:
            group = held.groups[column]
            ids = sorted(row_id for value in wanted for row_id in group.get(value, ()))
        if held.outlines and not outline:
            self._fill(held, ids)
        return [held.rows[row_id] for row_id in ids]

    def bring(self, table: Table, column: str, values: Iterable[Any], *, outline: bool = False) -> None:
        """As `load`, where nobody looks at the rows yet: to list them in order costs as much as to keep them."""
        held = self._held[table.name]
        read = held.read[column]
        new = [value for value in dict.fromkeys(values) if value not in read]
        read.update(new)
        if column == "id":  # a row may have been read for what it refers to
            new = [row_id for row_id in new if row_id not in held.rows and row_id not in held.gone]
        if new:
            self._read(held, column, new, _OUTLINE if outline else ())

    def _read(self, held: _Held, column: str, values: Sequence[Any], columns: Sequence[str]) -> None:
        # To say which rows are known costs as much as there are of them: worth it only where as many are asked for.
        known = held.rows if len(values) >= len(held.rows) else ()
        names, found = self._select(held.table, column, values, columns, known=known)
        fresh = [row for row in found if row[0] not in held.rows and row[0] not in held.gone]
        for row in fresh:
            held.rows[row[0]] = dict(zip(names, row, strict=True))
        if columns:
            held.outlines.update(row[0] for row in fresh)
        for name, group in held.groups.items():
            place = names.index(name)
            for row in fresh:
                group[row[place]][row[0]] = None

    def _fill(self, held: _Held, ids: Iterable[int]) -> None:
        """Read what is missing of outlines. What an outline has may have changed here, the rest not."""
        missing = [row_id for row_id in ids if row_id in held.outlines]
        if missing:
            held.outlines.difference_update(missing)
            names, found = self._select(held.table, "id", missing)
            held.rows.update((row[0], {**dict(zip(names, row, strict=True)), **held.rows[row[0]]}) for row in found)

    def _select(
        self,
        table: Table,
        column: str,
        values: Sequence[Any],
        columns: Sequence[str] = (),
        *,
        known: Collection[int] = (),
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Rows by the value of a column, without those whose ids are known."""
        cursor = self._store.connection.cursor()
        cursor.row_factory = None
        sql = (
            f"SELECT {', '.join(columns) or '*'} FROM {table.name} WHERE {column} IN (SELECT value FROM json_each(?1))"
        )
        if known:
            sql += " AND id NOT IN (SELECT value FROM json_each(?2))"
        cursor.execute(sql, (json.dumps(values), json.dumps(list(known)))[: 2 if known else 1])
        return [described[0] for described in cursor.description], cursor.fetchall()

    def get(self, table: Table, row_id: int) -> Row:
        """As `Rows.get`."""
        held = self._held[table.name]
        if row_id in held.outlines:
            self._fill(held, (row_id,))
        return held.rows.get(row_id) or self._found(table, row_id)

    def _found(self, table: Table, row_id: int) -> Values:
        for row in self.load(table, "id", (row_id,)):
            return row
        raise NotFoundError(f"there is no {row_called(table.name)} {handle(table, row_id)}")

    def where(self, table: Table, **equal: Any) -> list[Row]:
        """As `Rows.where`."""
        held = self._held[table.name]
        ids = self._narrowest(held, equal)
        if not ids:
            return []
        if held.outlines:
            self._fill(held, ids)
        rows: list[Row] = [held.rows[row_id] for row_id in ids]
        if len(equal) > 1:  # else it is what they were found by
            for column, value in equal.items():
                rows = [row for row in rows if row[column] == value]
        return rows

    def _narrowest(self, held: _Held, equal: Values) -> Collection[int]:
        """Ids of the rows that hold one of the values, that of which there are fewest."""
        narrowest: Collection[int] | None = None
        for column, value in equal.items():
            group = held.groups.get(column)
            if group is not None and value in held.read[column]:
                ids: Collection[int] = group.get(value, ())
                if not ids:
                    return ()
                if narrowest is None or len(ids) < len(narrowest):
                    narrowest = ids
        for column, value in equal.items():
            if narrowest is not None and (len(narrowest) <= _MANY or value is None):
                continue  # to look through these is quicker than to ask the file
            if column in held.groups and value not in held.read[column]:
                self.load(held.table, column, (value,))
                ids = held.groups[column].get(value, ())
                if narrowest is None or len(ids) < len(narrowest):
                    narrowest = ids
        assert narrowest is not None, "one of the columns refers to another table"
        return sorted(narrowest) if len(narrowest) > 1 else narrowest

    def twins(self, aspect_id: int) -> list[Row]:
        """As `Rows.twins`."""
        held = self._held[ATTRIBUTE.name]
        said: dict[str, list[int]] = {}
        for row_id in self._narrowest(held, {"aspect_id": aspect_id}):
            fact = held.rows[row_id]
            if fact["status"] == "active":
                said.setdefault(fact["digest"], []).append(row_id)
        twins = sorted([row_id for same in said.values() if len(same) > 1 for row_id in same])
        if held.outlines and twins:
            self._fill(held, twins)
        return [held.rows[row_id] for row_id in twins]

    def came(self, table: Table, row_id: int, column: str) -> bool:
        """As `Rows.came`."""
        held = self._held[table.name]
        if row_id in held.made:
            return True
        before = held.before.get(row_id, {})
        if column in before and before[column] != held.rows[row_id][column]:
            return True
        return self._direct.came(table, row_id, column)

    # ------------------------------------------------------------------ changing

    def make(self, table: Table, **values: Any) -> int:
        """As `Rows.make`."""
        held, row_id = self._held[table.name], self._store.next_id(table)
        written = {column: stored(value) for column, value in values.items()}
        row = {**self._default(table), **written, "id": row_id, "version": self._pass_id}
        if "uid" in table.columns and "uid" not in values:
            row["uid"] = self._store.new_uid(table, row_id)
        held.put(row)
        held.made[row_id] = None
        self._steps.append((held.unmake, row_id))
        return row_id

    def change(self, table: Table, row_id: int, **values: Any) -> None:
        """As `Rows.change`."""
        held = self._held[table.name]
        old = held.rows.get(row_id) or self._found(table, row_id)
        if row_id in held.outlines and not values.keys() <= old.keys():
            self._fill(held, (row_id,))
            old = held.rows[row_id]
        changed = {column: value for column, value in values.items() if old[column] != value}
        if not changed:
            return
        for column, value in changed.items():
            if type(value) is float:
                changed[column] = stored(value)
            elif column in held.groups:
                del held.groups[column][old[column]][row_id]
                held.groups[column][value][row_id] = None
        self._set(held, row_id, old, changed)

    def _set(self, held: _Held, row_id: int, old: Values, changed: Values) -> None:
        """Put a changed row in place of the old one, and keep what the file has in these columns."""
        if row_id not in held.made:
            before = held.before.get(row_id)
            if before is None:
                held.before[row_id] = {column: old[column] for column in changed}
            else:
                for column in changed:
                    before.setdefault(column, old[column])
        held.rows[row_id] = row = old | changed
        row["version"] = self._pass_id
        self._steps.append((held.put, old))

    def repoint(self, table: Table, column: str, old: int, new: int) -> None:
        """As `Rows.repoint`."""
        held = self._held[table.name]
        ids = list(self._narrowest(held, {column: old}))
        if not ids or old == new:
            return
        left, group = held.groups[column][old], held.groups[column][new]
        changed = {column: new}
        for row_id in ids:
            del left[row_id]
            group[row_id] = None
            self._set(held, row_id, held.rows[row_id], changed)

    def drop(self, table: Table, row_id: int) -> None:
        """As `Rows.drop`."""
        self.get(table, row_id)
        held = self._held[table.name]
        held.gone[row_id] = held.remove(row_id)
        self._steps.append((held.bring_back, row_id))

    @contextmanager
    def part(self) -> Iterator[None]:
        """As `Rows.part`."""
        done, ids = len(self._steps), self._store.ids_given
        try:
            yield
        except BaseException:
            while len(self._steps) > done:
                take_back, argument = self._steps.pop()
                take_back(argument)
            self._store.ids_given = ids
            raise
        if not done:  # nobody will take it back, and the rows as they were make room for others
            self._steps.clear()

    def _default(self, table: Table) -> Values:
        """What the columns hold that a new row does not name."""
        known = self._defaults.get(table.name)
        if known is None:
            columns = self._store.connection.execute(f"PRAGMA table_info({table.name})").fetchall()
            values = ", ".join(f"{column['dflt_value'] or 'NULL'} AS {column['name']}" for column in columns)
            known = self._defaults[table.name] = dict(self._store.connection.execute(f"SELECT {values}").fetchone())
        return known

    # ------------------------------------------------------------------ writing

    def flush(self) -> None:
        """Write what differs from the file, and forget everything.

        Raises:
            sqlite3.IntegrityError: a key is taken, or only free in another order; then nothing is written.
        """
        held, self._held = self._held, {table.name: _Held(table) for table in TABLES}
        self._steps.clear()
        with self._store.savepoint():
            for table in TABLES:  # parents first
                _write(self._store.connection, held[table.name])


def _write(connection: sqlite3.Connection, held: _Held) -> None:
    """Deletes make room; a row that stops being active gives up its key before another one takes it."""
    name = held.table.name
    if held.gone:
        delete_rows(connection, name, [row_id for row_id in held.gone if row_id not in held.made])
    shapes: dict[tuple[int, tuple[str, ...]], list[Values]] = {}
    for row_id, before in held.before.items():
        row = held.rows.get(row_id)
        if row is not None:
            changed = tuple([column for column, value in before.items() if row[column] != value])
            if changed:
                shapes.setdefault((_turn(row, changed), changed), []).append(row)
    for turn, columns in sorted(shapes):
        values = itemgetter("id", *columns, "version")
        update_rows(connection, name, (*columns, "version"), map(values, shapes[turn, columns]))
    if held.made:
        columns = (*held.table.columns, "version")
        made = [held.rows.get(row_id) or held.gone[row_id] for row_id in held.made]
        insert_rows(connection, name, columns, [tuple(row[column] for column in columns) for row in made])
        passing = [row_id for row_id in held.made if row_id in held.gone]
        if passing:  # their ids are used up, and the journal knows of them
            delete_rows(connection, name, passing)


def _turn(row: Values, changed: tuple[str, ...]) -> int:
    """When a change is written: what leaves its place first, what takes one last."""
    if "status" not in changed:
        return 1
    return 2 if row["status"] == "active" else 0
