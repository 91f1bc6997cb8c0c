"""What a person calls the rows of a table, where numbers of them are told."""

from __future__ import annotations

_CALLED = {
    "entity": ("entity", "entities"),
    "alias": ("alias", "aliases"),
    "attribute": ("fact", "facts"),
    "summary": ("summary", "summaries"),
    "evidence": ("piece of evidence", "pieces of evidence"),
}
"""Table -> one of its rows, several; where it is missing, the table is named as people name its rows."""


def row_called(table: str) -> str:
    """`fact` of a row of `attribute`."""
    return _CALLED[table][0] if table in _CALLED else table.replace("_", " ")


def rows_called(table: str, count: int) -> str:
    """`1 fact`, `2,000 facts` of rows of `attribute`."""
    named = table.replace("_", " ")
    one, several = _CALLED.get(table, (named, f"{named}s"))
    return f"{count:,} {one if count == 1 else several}"
