"""The rows that differ between two points of the journal, and which pass a point is.

What was done and undone in between does not show. `graphdream.journal.diff` puts it in words, entity by entity.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from itertools import islice
from typing import Any

from graphdream.clock import seconds_between, stamp
from graphdream.errors import NotFoundError, UsageError
from graphdream.graph.rowtext import row_from
from graphdream.graph.store import Store
from graphdream.graph.tables import BY_KIND, Table
from graphdream.journal.changes import changes_between
from graphdream.journal.erasure import ERASED
from graphdream.journal.fold import newest_pass

Row = dict[str, Any]
_TOGETHER = 10_000
"""Changes whose texts are read as one, in a third of the time; all of a pass over a large graph would take more memory
than the pass."""


class GoneError(Exception):
    """A row that another hangs on is not there, and the journal does not say that it went: somebody else took it."""


@dataclass(frozen=True, slots=True)
class RowDiff:
    """One row at both points: column -> value. A row that is there at both shows the columns that differ.

    `before` is None where the row was made, `after` where it is gone.
    """

    table: Table
    id: int
    before: Row | None
    after: Row | None

    @property
    def named(self) -> str:
        """Its handle; of what has none, its table and id: `alias 5`."""
        return f"{self.table.prefix or f'{self.table.name} '}{self.id}"


def resolve_point(store: Store, text: str | int) -> int:
    """The pass that a point of time means: a pass id, or a date or time, which means the last pass finished by then.

    Returns:
        The id; 0, the empty graph, for a time before the first pass.

    Raises:
        NotFoundError: no such pass.
        UsageError: neither a number nor a date.
    """
    connection, word = store.connection, str(text).strip()
    if word.isascii() and word.isdigit():
        newest = newest_pass(connection)
        if int(word) > newest:
            raise NotFoundError(f"there is no pass {word}; the newest is {newest}", "graphdream passes lists them")
        return int(word)
    try:
        moment = stamp(word)
    except ValueError:
        raise UsageError(f"{word!r} is neither a pass nor a date", "for example 12, or 2026-04-01T18:00") from None
    for pass_id, finished_at in connection.execute(
        "SELECT id, finished_at FROM pass WHERE finished_at IS NOT NULL ORDER BY id DESC"
    ):
        if seconds_between(finished_at, moment) >= 0:
            return int(pass_id)
    return 0


def net_changes(connection: sqlite3.Connection, before: int, after: int) -> list[RowDiff]:
    """The rows that differ between two points, by table and id."""
    start, end = min(before, after), max(before, after)
    found: dict[tuple[int, int], tuple[Row | None, Row | None]] = {}
    changes = (change for change in changes_between(connection, start, end) if change.diff != ERASED)
    while part := list(islice(changes, _TOGETHER)):
        written = json.loads(f"[{','.join(change.diff for change in part)}]")
        for change, diff in zip(part, written, strict=True):
            key, table = (change.kind, change.row_id), BY_KIND[change.kind]
            was, is_ = found.get(key, ({}, {}))
            if change.op == "+":
                # A row made anew where one was deleted: the first deletion still says what it was.
                found[key] = (was or None, row_from(table, diff))
            elif change.op == "-":
                found[key] = (None if was is None else {**row_from(table, diff), **was}, None)
            else:
                columns = [table.columns[int(place)] for place in diff]
                old = dict(zip(columns, (pair[0] for pair in diff.values()), strict=True))
                new = dict(zip(columns, (pair[1] for pair in diff.values()), strict=True))
                found[key] = (None if was is None else {**old, **was}, {**(is_ or {}), **new} if is_ else new)
    rows = []
    for kind, row_id in sorted(found):
        was, is_ = found.pop((kind, row_id))
        if was is not None and is_ is not None:
            differing = [column for column in is_ if column in was and was[column] != is_[column]]
            if not differing:
                continue
            was, is_ = {column: was[column] for column in differing}, {column: is_[column] for column in differing}
        elif was is None and is_ is None:
            continue
        rows.append(
            RowDiff(BY_KIND[kind], row_id, was, is_) if before <= after else RowDiff(BY_KIND[kind], row_id, is_, was)
        )
    return rows
