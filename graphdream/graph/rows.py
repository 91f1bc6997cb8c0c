"""Read and write single rows of the graph. What may be written is decided elsewhere."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from typing import Any

from graphdream.errors import NotFoundError, UsageError
from graphdream.graph.rowwords import row_called
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, BY_PREFIX, Table

# More would not survive the text form in the journal: 15 significant digits on every SQLite. A share of 0 to 1 needs
# the finer one: what decays day by day is to end where one long decay ends.
REAL_DECIMALS = 6
SHARE_DECIMALS = 12
_LONGEST_NUMBER = 18  # digits of an id: SQLite has room for no more


def insert(store: Store, table: Table, **values: Any) -> int:
    """Make a row in the open pass and return its id. Tables with a `uid` get one where none is given."""
    row_id = store.next_id(table)
    if "uid" in table.columns and "uid" not in values:
        values["uid"] = store.new_uid(table, row_id)
    columns = ("id", *values, "version")
    store.connection.execute(_insert_sql(table.name, columns), (row_id, *map(stored, values.values()), store.pass_id))
    return row_id


def update(store: Store, table: Table, row_id: int, **values: Any) -> None:
    """Change columns of a row in the open pass. A row that holds these values already keeps its version too: the
    journal has no entry for it, so no pass has changed it."""
    store.connection.execute(
        _update_sql(table.name, tuple(values)), (*map(stored, values.values()), store.pass_id, row_id)
    )


def fetch(connection: sqlite3.Connection, table: Table, row_id: int) -> sqlite3.Row:
    """A row by id.

    Raises:
        NotFoundError: there is none.
    """
    row: sqlite3.Row | None = connection.execute(_select_sql(table.name), (row_id,)).fetchone()
    if row is None:
        raise NotFoundError(f"there is no {row_called(table.name)} {table.prefix}{row_id}")
    return row


def handle(table: Table, row_id: int) -> str:
    """How a row is shown and addressed: `e12`, `a345`."""
    return f"{table.prefix}{row_id}"


def parse_handle(text: str) -> tuple[Table, int] | None:
    """The table and id that a handle names, or None where the text is no handle."""
    table, number = BY_PREFIX.get(text[:1]), row_number(text[1:])
    return None if table is None or number is None else (table, number)


def row_number(text: str) -> int | None:
    """The id of a row that a text is, or None: it is no such number, or one that no row can have. There are signs, such
    as `²`, that Unicode calls digits and nobody can count with."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER else None


def are_facts(first: str, second: str) -> bool:
    """Whether both references are handles of facts.

    Raises:
        UsageError: only one of them is.
    """
    kinds = [parsed is not None and parsed[0] is ATTRIBUTE for parsed in map(parse_handle, (first, second))]
    if kinds[0] != kinds[1]:
        raise UsageError(
            f"{first} and {second} are a fact and an entity", "give two facts (a1 a2), or two entities (e1 e2)"
        )
    return kinds[0]


def stored(value: Any) -> Any:
    """A value as it is written."""
    if not isinstance(value, float):
        return value
    return round(value, SHARE_DECIMALS if -1 <= value <= 1 else REAL_DECIMALS)


@lru_cache(maxsize=256)
def _insert_sql(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


@lru_cache(maxsize=256)
def _update_sql(table: str, columns: tuple[str, ...]) -> str:
    places = {column: f"?{number}" for number, column in enumerate(columns, 1)}
    sets = ", ".join(f"{column} = {place}" for column, place in places.items())
    differs = " OR ".join(f"{column} IS NOT {place}" for column, place in places.items())
    return f"UPDATE {table} SET {sets}, version = ?{len(places) + 1} WHERE id = ?{len(places) + 2} AND ({differs})"


@lru_cache(maxsize=32)
def _select_sql(table: str) -> str:
    return f"SELECT * FROM {table} WHERE id = ?"
