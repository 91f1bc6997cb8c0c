"""What was purged, as far as it has to be known when it comes again: digests, never the texts.

A purge leaves a tombstone for each fact, each name of an entity, each id that imports know a row by, each session, and
each text of an event of which something was cut out. Whoever brings in something asks here first.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, get_args

from graphdream.graph.names import canonical, canonical_text
from graphdream.graph.seal import Seal
from graphdream.graph.sealed import BY_NAME, place_in_tree
from graphdream.graph.sealfault import SealFault
from graphdream.sealing.codes import blake2b
from graphdream.sealing.tree import NOTHING, added, number

Kind = Literal["fact", "entity", "uid", "session", "words"]
KINDS: tuple[Kind, ...] = get_args(Kind)


_TABLE = BY_NAME["tombstone"]


class Tombstones:
    """The tombstones of a file, read once. False where there is none, which is the usual case.

    One that was taken away or altered would let in again what a person has purged. So with each that is looked for, its
    place is looked at, which takes the same short time however many there are.
    """

    def __init__(self, seal: Seal) -> None:
        self._seal = seal
        self._found: dict[tuple[str, str], str] = {
            (kind, digest): becomes
            for kind, digest, becomes in seal.connection.execute("SELECT kind, digest, becomes FROM tombstone")
        }
        self._any = bool(self._found) or were_left(seal)
        self._tree = seal.tree_now() if self._any else None
        self._sound: set[int] = set()
        self._texts: dict[int, list[bytes]] | None = None

    def __bool__(self) -> bool:
        return self._any

    def holds(self, kind: Kind, text: str) -> bool:
        """Whether this very thing was purged. Facts and names are compared by their canonical form.

        Raises:
            IntegrityError: what is on record of it is not what was sealed.
        """
        return self._any and (kind, self._confirmed(_digest(kind, text))) in self._found

    def left_of(self, text: str) -> str:
        """What is on record of an event's text: the text itself, but where something was cut out of it. Raises as
        `holds`."""
        return self._found.get(("words", self._confirmed(_digest("words", text))), text) if self._any else text

    def _confirmed(self, digest: str) -> str:
        place = place_in_tree(digest)
        if self._tree is None or place in self._sound:
            return digest
        sealed, seal = self._seal.seal_of(self._tree, _TABLE.kind, place), NOTHING
        if sealed != NOTHING or any((kind, digest) in self._found for kind in KINDS):
            for text in self._texts_at(place):
                seal = added(seal, number(self._seal.sealer.seal(_TABLE.kind, text)))
        if seal != sealed:
            self._seal.meet([SealFault("row", "a tombstone was changed behind graphdream's back", ("tombstone",))])
        self._sound.add(place)
        return digest

    def _texts_at(self, place: int) -> list[bytes]:
        """What is sealed of the tombstones that share a place."""
        if self._texts is None:
            self._texts = defaultdict(list)
            for digest, text in self._seal.connection.execute(f"SELECT digest, {_TABLE.text_sql()} FROM tombstone"):
                self._texts[place_in_tree(digest)].append(text)
        return self._texts.get(place, [])


def were_left(seal: Seal) -> bool:
    """Whether the file was sealed with tombstones in it, be they there or not. In constant time."""
    return seal.rows_of(_TABLE.kind) > 0


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
