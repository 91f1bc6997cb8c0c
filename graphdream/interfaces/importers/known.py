"""What earlier imports of a source left in the graph: rows are known by ids that are made of where they stand."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

from graphdream.clock import stamp
from graphdream.graph.names import canonical, canonical_text
from graphdream.interfaces.importers.heirs import Line, Place
from graphdream.recall.replaced import standing


def uid_of(kind: str, *parts: str) -> str:
    """The id of a row, from what tells it from all others: the same at every import."""
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"{kind}_{blake2b(joined, digest_size=9).hexdigest()}"


class Owner(NamedTuple):
    """The entity that a fact hangs on: its id, its row (None where it is yet to be made), whether it was archived."""

    uid: str
    row: int | None
    archived: bool


class AspectOf(NamedTuple):
    """The aspect that a fact hangs on, and whether it is yet to be made."""

    uid: str
    name: str
    new: bool


class Heir(NamedTuple):
    """What stands for a fact that was replaced: its id, and its aspect and text, both folded."""

    uid: str
    said: tuple[str, str]


class Known:
    """What earlier imports of the same files left in the graph, and which time they stood for: the one that was given
    with them (`--at`), else that at which they ran.

    Args:
        at: the time that this import stands for, a stamp; "" is now.

    Attributes:
        met: statements that an earlier import brought.
        left_out: new statements about what a person has archived since.
        struck_out: new statements that are struck out, and end none that was told before.
        overtaken: new statements that were not told at `at`, as an earlier import that stood for a later time did not
            have them.
    """

    def __init__(self, connection: sqlite3.Connection, paths: Iterable[str], *, at: str = "") -> None:
        self._connection, self._at = connection, at
        self.met = self.left_out = self.struck_out = self.overtaken = 0
        self._stood: dict[str, str] = dict(
            connection.execute(
                "SELECT file.key, max(coalesce(json_extract(pass.inputs, '$.at'), pass.started_at))"
                " FROM pass, json_each(pass.inputs, '$.files') AS file"
                " WHERE pass.kind = 'import' AND pass.status = 'applied' AND pass.undone_by IS NULL"
                " AND file.key IN (SELECT value FROM json_each(?)) GROUP BY file.key",
                (json.dumps(list(paths)),),
            ).fetchall()
        )

    def told(self, path: str, day: str, now: str) -> str:
        """When a statement was told that this import is the first to bring: on its own day, else at the time that the
        import stands for; but not before an earlier import stood that did not have it."""
        stood = self._stood.get(path, "")
        times = [stamp(time) for time in (day, self._at) if time]
        told = next((time for time in times if stood <= time < now), now)
        self.overtaken += told == now and "" < self._at < stood
        return told

    def fact(self, uid: str) -> bool:
        """Whether a fact of this id was ever there, whatever became of it; it is counted as met."""
        found = self.has(uid)
        self.met += found
        return found

    def has(self, uid: str) -> bool:
        """Whether a fact of this id was ever there, whatever became of it."""
        return self._connection.execute("SELECT 1 FROM attribute WHERE uid = ?", (uid,)).fetchone() is not None

    def replaced_by(self, uid: str, source: str) -> Heir | None:
        """What stands now for a fact that was replaced, where it comes from the same source; else None."""
        found = self._connection.execute(
            "SELECT id FROM attribute WHERE uid = ? AND status = 'superseded'", (uid,)
        ).fetchone()
        last = standing(self._connection, found).get(found[0]) if found else None
        if last is None:
            return None
        row = self._connection.execute(
            "SELECT attribute.uid, aspect.canonical, attribute.content FROM attribute"
            " JOIN aspect ON aspect.id = attribute.aspect_id WHERE attribute.id = ? AND source = ?",
            (last, source),
        ).fetchone()
        return Heir(row[0], (row[1], canonical_text(row[2]))) if row else None

    def standing(self, source: str, place: Place) -> list[Line]:
        """The active facts of a source in one aspect of one entity."""
        rows = self._connection.execute(
            "SELECT attribute.uid, content FROM aspect JOIN attribute ON attribute.aspect_id = aspect.id"
            " WHERE entity_id = ? AND canonical = ? AND attribute.status = 'active' AND source = ?"
            " ORDER BY attribute.id",
            (*place, source),
        )
        return [Line(uid, place, content) for uid, content in rows]

    def link(self, uid: str) -> bool:
        """Whether a link of this id was ever there, whatever became of it."""
        return self._connection.execute("SELECT 1 FROM link WHERE uid = ?", (uid,)).fetchone() is not None

    def entity(self, uid: str) -> Owner:
        """The entity that the one of this id is by now."""
        found = self._connection.execute("SELECT * FROM entity WHERE uid = ?", (uid,)).fetchone()
        while found is not None and found["absorbed_into"] is not None:
            found = self._connection.execute("SELECT * FROM entity WHERE id = ?", (found["absorbed_into"],)).fetchone()
        if found is None:
            return Owner(uid, None, False)
        return Owner(found["uid"], found["id"], found["status"] != "active")

    def aspect(self, owner: Owner, name: str, now: str) -> AspectOf:
        """The active aspect of that name; where there is none, the id of the one to make."""
        found = self._connection.execute(
            "SELECT uid FROM aspect WHERE entity_id = ? AND canonical = ? AND status = 'active'",
            (owner.row, canonical(name)),
        ).fetchone()
        if found:
            return AspectOf(found["uid"], name, False)
        uid = uid_of("asp", owner.uid, canonical(name))
        gone = self._connection.execute("SELECT 1 FROM aspect WHERE uid = ?", (uid,)).fetchone()
        return AspectOf(uid_of("asp", owner.uid, canonical(name), now) if gone else uid, name, True)

    def bears(self, name: str) -> bool:
        """Whether an active entity of notes has this name."""
        found = self._connection.execute(
            "SELECT 1 FROM entity WHERE canonical = ? AND status = 'active' AND json_extract(metadata, '$.source')"
            " LIKE 'file:%'",
            (canonical(name),),
        ).fetchone()
        return found is not None
