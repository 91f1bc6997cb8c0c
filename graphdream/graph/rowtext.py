"""How the journal writes rows: as JSON text, without what goes without saying.

A row is an array of its columns in order, which ends with the last column that does not hold what a bare row holds
(`Table.tail`): most rows say little beyond their first columns. A change is an object of the changed columns, each
named by its place: {"2": [before, after]}.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from graphdream.graph.tables import BY_KIND, Table


def row_sql(table: Table, prefix: str = "") -> str:
    """SQL of a row as the bytes of a JSON array of all its columns; `prefix` is "new.", "old." or an alias with its
    dot. Bytes go into the hash as they are, where a text would be decoded and encoded again on its way."""
    return "CAST(json_array(" + ", ".join(prefix + column for column in table.columns) + ") AS BLOB)"


def without_tail(kind: int, text: bytes) -> str:
    """The text of a row as the journal keeps it.

    Args:
        kind: number of its table.
        text: JSON array of all columns, as SQLite writes it.
    """
    for tail in _tails(kind):
        if text.endswith(tail):
            return (text[: -len(tail)] + b"]").decode()
    return text.decode()


@cache
def _tails(kind: int) -> tuple[bytes, ...]:
    """The ends of a row's text that go without saying, longest first.

    No text within a row ends like one of them: inside of a JSON string its quotes would be escaped.
    """
    values = [json.dumps(value).encode() for value in BY_KIND[kind].tail]
    return tuple(b"," + b",".join(values[start:]) + b"]" for start in range(len(values)))


def whole_row(table: Table, written: Sequence[Any]) -> list[Any]:
    """The values of all columns, by what the journal wrote of a row.

    Raises:
        ValueError: no row of this table is written so.
    """
    missing = len(table.columns) - len(written)
    if not 0 <= missing <= len(table.tail):
        raise ValueError(f"{len(written)} columns are not a row of {table.name}")
    return [*written, *table.tail[len(table.tail) - missing :]]


def row_of(table: Table, diff: str) -> dict[str, Any]:
    """The columns of a row that was made or deleted, by its `diff`."""
    return row_from(table, json.loads(diff))


def row_from(table: Table, written: Sequence[Any]) -> dict[str, Any]:
    """As `row_of`, by what the JSON text of a `diff` holds."""
    return dict(zip(table.columns, whole_row(table, written), strict=True))


def pairs_of(table: Table, diff: str) -> dict[str, tuple[Any, Any]]:
    """The columns that a change set, each with what it held before and after, by its `diff`."""
    return {table.columns[int(place)]: (before, after) for place, (before, after) in json.loads(diff).items()}


def key_sql(table: Table, column: str, before: str = "") -> str:
    """SQL text literal of what the `diff` of a change has in it where, and only where, it sets this column.

    Inside of a JSON string the quotes would be escaped.

    Args:
        before: JSON of what the column held before; "" where that does not matter.
    """
    return f"""'"{table.place(column)}":{f"[{before}," if before else ""}'"""
