"""What a merge added up, taken apart again: counts by subtraction, first and last times as they are without it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphdream.graph.rows import fetch, update
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, ENTITY, EVIDENCE, LINK, MENTION, Table
from graphdream.journal.changes import row_as_of
from graphdream.journal.lineage import part_of

_Row = dict[str, Any]


class Figures:
    """The figures of rows that something was merged into, within an open pass.

    Args:
        before: the newest pass before the merge.
    """

    def __init__(self, store: Store, before: int) -> None:
        self._store, self._connection, self._before = store, store.connection, before

    def lessen(self, number: int, gone: _Row) -> None:
        """Take an entity out of what the merge had added up at one that it was part of: a sum is less by what went;
        the best, the first or the last of several is that of those who stay, where it was this one's.

        Args:
            number: of the entity that it was part of.
            gone: the entity as it was before the merge; in the graph it stands for itself again by now.
        """
        now = dict(fetch(self._connection, ENTITY, number))
        others = [dict(row) for row in part_of(self._connection, number)]
        target = row_as_of(self._connection, ENTITY, number, self._before) or now
        staying = [target, *others]
        values: dict[str, Any] = {"mentions": max(0, now["mentions"] - gone["mentions"])}
        values |= _without(now, gone, staying, ("importance",))
        if now["type"] == gone["type"] != target["type"] and not any(row["type"] == now["type"] for row in others):
            values["type"] = target["type"]
        values["sessions"] = _less(now["sessions"], gone["sessions"], [row["sessions"] for row in staying])
        update(self._store, ENTITY, number, **values)

    def uncount(self, table: Table, gone: _Row, into: int | None) -> None:
        """Take a fact or a link that was folded into another out of that one's figures, and out of those of what that
        one went into itself.

        Args:
            table: of both.
            gone: the row that was folded into the other, as it is now.
            into: id of the other; None: of none.
        """
        while into is not None:
            target = dict(fetch(self._connection, table, into))
            staying = [
                row_as_of(self._connection, table, into, self._before) or target,
                *self._connection.execute(
                    f"SELECT * FROM {table.name} WHERE absorbed_into = ? AND id <> ?", (into, gone["id"])
                ),
            ]
            seen = 0 if gone["derived"] else gone["reinforcement"]
            values: dict[str, Any] = {"reinforcement": max(1, target["reinforcement"] - seen)}
            values |= _without(target, gone, staying, ("confidence", "strength" if table is LINK else "importance"))
            if table is ATTRIBUTE:
                values["tags"] = _less(target["tags"], gone["tags"], [row["tags"] for row in staying])
                self._unshare(gone["id"], into)
            update(self._store, table, into, **values)
            into = target["absorbed_into"]

    def _unshare(self, gone: int, into: int) -> None:
        """Evidence and mentions that a fact got by the folding alone leave it again."""
        for table, columns in ((EVIDENCE, ("session_key", "turn_uid")), (MENTION, ("entity_id",))):
            theirs = {
                tuple(row[column] for column in columns)
                for row in self._connection.execute(f"SELECT * FROM {table.name} WHERE attribute_id = ?", (gone,))
            }
            for row in self._connection.execute(
                f"SELECT * FROM {table.name} WHERE attribute_id = ?", (into,)
            ).fetchall():
                shared = tuple(row[column] for column in columns) in theirs
                if shared and row_as_of(self._connection, table, row["id"], self._before) is None:
                    self._connection.execute(f"DELETE FROM {table.name} WHERE id = ?", (row["id"],))


def _without(
    now: Mapping[str, Any], gone: Mapping[str, Any], staying: Iterable[Any], best: Iterable[str]
) -> dict[str, Any]:
    """The best, first and last of several once one is gone: those that were its own are looked for anew."""
    rows = list(staying)
    values: dict[str, Any] = {name: max(row[name] for row in rows) for name in best if now[name] == gone[name]}
    if now["first_seen"] == gone["first_seen"]:
        values["first_seen"] = min((row["first_seen"] for row in rows if row["first_seen"]), default=None)
    if now["last_seen"] == gone["last_seen"]:
        values["last_seen"] = max((row["last_seen"] for row in rows if row["last_seen"]), default=None)
    return values


def _less(now: str, gone: str, staying: Sequence[str]) -> str:
    """A list of words in JSON, without those that only the one had which is gone; in the order of the first that stays,
    where it is that list again."""
    own = set(json.loads(gone)).difference(*map(json.loads, staying))
    left = [word for word in json.loads(now) if word not in own]
    if set(left) == set(json.loads(staying[0])):
        return staying[0]
    return json.dumps(left, ensure_ascii=False, separators=(",", ":"))
