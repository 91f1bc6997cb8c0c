"""How each row of a table ended: alive, absorbed into another, or gone, and for what reason.

Every row of the graph is exactly one of these, so every id that was ever imported is found exactly once in an export.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict

from graphdream.graph.tables import ENTITY, Table

# Which entity a row would be gone with: of the two of a link, the one that is in `:gone`.
_WITH_ENTITY = {
    "aspect": "row.entity_id",
    "attribute": "(SELECT entity_id FROM aspect WHERE aspect.id = row.aspect_id)",
    "link": "CASE WHEN row.source_id IN (SELECT value FROM json_each(:gone)) THEN row.source_id ELSE row.target_id END",
}
_ARCHIVED = "archived"  # the reason where none was given


class Fates:
    """The ends of the rows of one table; memory follows the rows that are not active, not the table.

    A row is gone where it is archived, or where its entity is: nothing recalls it then, whatever its own status.
    """

    def __init__(self, connection: sqlite3.Connection, table: Table, entities: Fates | None = None) -> None:
        cursor = connection.cursor()
        cursor.row_factory = None
        self._gone = self._find_gone(cursor, table, entities)
        absorbed = cursor.execute(
            f"SELECT id, uid, absorbed_into FROM {table.name} WHERE absorbed_into IS NOT NULL"
        ).fetchall()
        self._into = {row_id: into for row_id, _, into in absorbed}
        self._members: dict[int, list[str]] = defaultdict(list)
        for row_id, uid, _ in absorbed:
            self._members[self.end(row_id)].append(uid)

    def end(self, row_id: int) -> int:
        """The row that a row was absorbed into in the end; itself where it was not."""
        path = []
        while (into := self._into.get(row_id)) is not None:
            path.append(row_id)
            row_id = into
        for passed in path:
            self._into[passed] = row_id
        return row_id

    def reason_gone(self, row_id: int) -> str | None:
        """Why a row, or the one it was absorbed into, is gone; None where it is there."""
        return self._gone.get(self.end(row_id))

    def absorbed(self, row_id: int) -> list[str]:
        """Ids of all rows that ended in this one, sorted."""
        return sorted(self._members.get(row_id, ()))

    def all_gone(self) -> list[int]:
        """Every row that is gone, those absorbed into one that is gone among them."""
        return [*self._gone, *(row_id for row_id in self._into if self.end(row_id) in self._gone)]

    @staticmethod
    def _find_gone(cursor: sqlite3.Cursor, table: Table, entities: Fates | None) -> dict[int, str]:
        archived = f"SELECT id, status_reason FROM {table.name} WHERE status = 'archived'"
        gone = {row_id: reason or _ARCHIVED for row_id, reason in cursor.execute(archived)}
        if entities is None or table is ENTITY:
            return gone
        owner = _WITH_ENTITY[table.name]
        with_entity = cursor.execute(
            f"SELECT id, {owner} AS owner FROM {table.name} AS row"
            " WHERE status <> 'archived' AND absorbed_into IS NULL AND owner IN (SELECT value FROM json_each(:gone))",
            {"gone": json.dumps(entities.all_gone())},
        )
        for row_id, entity_id in with_entity:
            gone[row_id] = entities.reason_gone(entity_id) or _ARCHIVED
        return gone
