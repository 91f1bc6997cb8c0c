"""What was purged, as far as it has to be known when it comes again: digests, never the texts.

A purge leaves a tombstone for each fact, each name of an entity, each id that imports know a row by, each session, and
each text of an event of which something was cut out. Whoever brings in something asks here first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from hashlib import blake2b
from typing import Literal

from graphdream.graph.names import canonical, canonical_text

Kind = Literal["fact", "entity", "uid", "session", "words"]


class Tombstones:
    """The tombstones of a file, read once. False where there is none, which is the usual case."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._found: dict[tuple[str, str], str] = {
            (kind, digest): becomes
            for kind, digest, becomes in connection.execute("SELECT kind, digest, becomes FROM tombstone")
        }

    def __bool__(self) -> bool:
        return bool(self._found)

    def holds(self, kind: Kind, text: str) -> bool:
        """Whether this very thing was purged. Facts and names are compared by their canonical form."""
        return bool(self._found) and (kind, _digest(kind, text)) in self._found

    def left_of(self, text: str) -> str:
        """What is on record of an event's text: the text itself, but where something was cut out of it."""
        return self._found.get(("words", _digest("words", text)), text) if self._found else text


def bury(connection: sqlite3.Connection, kind: Kind, texts: Iterable[str], purged_by: int) -> None:
    """Leave tombstones for what the pass `purged_by` purges."""
    connection.executemany(
        "INSERT OR IGNORE INTO tombstone (kind, digest, purged_by) VALUES (?, ?, ?)",
        [(kind, _digest(kind, text), purged_by) for text in texts],
    )


def bury_words(connection: sqlite3.Connection, text: str, becomes: str, purged_by: int) -> None:
    """Remember that an event's text has become another one. What that was may be cut further, later on."""
    connection.execute("UPDATE tombstone SET becomes = ? WHERE kind = 'words' AND becomes = ?", (becomes, text))
    connection.execute(
        "INSERT OR IGNORE INTO tombstone VALUES ('words', ?, ?, ?)", (_digest("words", text), becomes, purged_by)
    )


def _digest(kind: Kind, text: str) -> str:
    folded = {"fact": canonical_text, "entity": canonical}.get(kind, str)(text)
    return blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16, person=kind.encode()).hexdigest()
