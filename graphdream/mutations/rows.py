"""How mutations reach the rows of the graph: a few verbs, so that one handler serves single changes and bulk alike.

`DirectRows` writes each change as it comes; `graphdream.mutations.bulk_rows.WorkingRows` holds them in memory and
writes a whole run at once.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, Protocol

from graphdream.graph.rows import fetch, insert, update
from graphdream.graph.rowtext import key_sql
from graphdream.graph.store import Store
from graphdream.graph.tables import Table


class Row(Protocol):
    """A row as it was when it was read."""

    def __getitem__(self, column: str, /) -> Any:
        """The value of a column."""


class Rows(Protocol):
    """The rows of the graph within an open pass."""

    def get(self, table: Table, row_id: int) -> Row:
        """A row by id. Raises NotFoundError where there is none."""

    def where(self, table: Table, **equal: Any) -> list[Row]:
        """Rows whose columns hold these values, by id; the first column refers to another table."""

    def twins(self, aspect_id: int) -> list[Row]:
        """Active facts of an aspect whose digest another active one there has too, by id."""

    def make(self, table: Table, **values: Any) -> int:
        """Make a row and return its id. Tables with a `uid` get one where none is given."""

    def change(self, table: Table, row_id: int, **values: Any) -> None:
        """Set columns of a row; a row that is so already stays untouched."""

    def repoint(self, table: Table, column: str, old: int, new: int) -> None:
        """Let all rows that refer to one row refer to another one."""

    def drop(self, table: Table, row_id: int) -> None:
        """Delete a row: only what says the same as another one is ever deleted."""

    def came(self, table: Table, row_id: int, column: str) -> bool:
        """Whether the open pass made a row or set this column of it."""

    def part(self) -> AbstractContextManager[None]:
        """Changes that can fail alone: on an exception they are taken back."""


class DirectRows:
    """The rows in the file, changed one by one."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, table: Table, row_id: int) -> Row:
        """As `Rows.get`."""
        return fetch(self._store.connection, table, row_id)

    def where(self, table: Table, **equal: Any) -> list[Row]:
        """As `Rows.where`."""
        # Said in words, not as a value: the index that an active link is unique by holds only active ones.
        is_active = equal.get("status") == "active"
        bound = {column: value for column, value in equal.items() if not (is_active and column == "status")}
        sql = _where_sql(table.name, tuple(bound), is_active)
        return list(self._store.connection.execute(sql, tuple(bound.values())))

    def twins(self, aspect_id: int) -> list[Row]:
        """As `Rows.twins`."""
        found = self._store.connection.execute(
            "SELECT * FROM attribute WHERE aspect_id = ?1 AND status = 'active' AND digest IN (SELECT digest FROM"
            " attribute WHERE aspect_id = ?1 AND status = 'active' GROUP BY digest HAVING count(*) > 1) ORDER BY id",
            (aspect_id,),
        )
        return list(found)

    def make(self, table: Table, **values: Any) -> int:
        """As `Rows.make`."""
        return insert(self._store, table, **values)

    def change(self, table: Table, row_id: int, **values: Any) -> None:
        """As `Rows.change`."""
        update(self._store, table, row_id, **values)

    def repoint(self, table: Table, column: str, old: int, new: int) -> None:
        """As `Rows.repoint`."""
        self._store.connection.execute(
            f"UPDATE {table.name} SET {column} = ?, version = ? WHERE {column} = ?", (new, self._store.pass_id, old)
        )

    def drop(self, table: Table, row_id: int) -> None:
        """As `Rows.drop`."""
        self._store.connection.execute(f"DELETE FROM {table.name} WHERE id = ?", (row_id,))

    def came(self, table: Table, row_id: int, column: str) -> bool:
        """As `Rows.came`."""
        found = self._store.connection.execute(
            "SELECT 1 FROM change INDEXED BY change_by_row WHERE kind = ? AND row_id = ? AND pass_id = ?"
            f" AND (op = '+' OR (op = '~' AND instr(diff, {key_sql(table, column)})))",
            (table.kind, row_id, self._store.pass_id),
        ).fetchone()
        return found is not None

    def part(self) -> AbstractContextManager[None]:
        """As `Rows.part`."""
        return self._store.savepoint()


@lru_cache(maxsize=64)
def _where_sql(table: str, columns: tuple[str, ...], is_active: bool) -> str:
    terms = [f"{column} = ?" for column in columns] + ["status = 'active'"] * is_active
    # The plus: else an index is chosen that gives this order, and finds all links of an entity that has thousands.
    return f"SELECT * FROM {table} WHERE {' AND '.join(terms)} ORDER BY +id"
