"""A file with a seal, as one connection looks at it: is it what was sealed, and what are the seals of its rows.

What was found is remembered for as long as no other connection writes, which `PRAGMA data_version` tells in a hundredth
of the time of a look. How the file is written to is `graphdream.graph.seal`.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from graphdream.graph import sealcheck
from graphdream.graph.rowseal import RowSealer
from graphdream.graph.sealanchor import NOT_COMPARED, FileAnchor
from graphdream.graph.sealfault import refusal
from graphdream.graph.sealhead import head_row, open_head, read_head
from graphdream.sealing.keys import find_key

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Callable

    from graphdream.graph.sealfault import SealFault
    from graphdream.graph.sealhead import Head, OpenedHead
    from graphdream.graph.sealwitness import FileWitness
    from graphdream.sealing.anchor import Note
    from graphdream.sealing.keys import Key
    from graphdream.sealing.tree import Tree
    from graphdream.sealing.witness import Witness


class Look:
    """What a file was when it was found sound: what this connection has looked at, or written, is as it was for as long
    as no other connection writes.

    Attributes:
        version: the data version.
        note: of the anchor.
        counted: the rows of small tables were counted as well.
    """

    __slots__ = ("counted", "note", "version")

    def __init__(self, version: int, note: Note, *, counted: bool) -> None:
        self.version, self.note, self.counted = version, note, counted


class SealedFile:
    """One connection's file, and whether it is what was sealed.

    Args:
        off: look at nothing: a scratch copy that nobody keeps.

    Attributes:
        accepting: what is wrong with the file is known, and accepted for what is written next.
        indexes_made_anew: the full-text indexes are not what was sealed, because they were made anew just now.
        journal_seen: data version and newest pass when the journal was last found to be as it was sealed.
        passes_seen: data version, and the passes that were found to be as they were sealed then.
        tables_seen: tables that were found to be as they were sealed -> the data version then.
        left_out: handles of what was not told, because it is not what was sealed.
        sealer: makes the seals of rows, once a tree was opened.
        witness: what a witness says of the file; None where there is none (`watch`).
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, *, off: bool = False) -> None:
        self.connection, self.path, self.off = connection, path, off
        self.accepting = False
        self.indexes_made_anew = False
        self.journal_seen = (-1, 0)
        self.passes_seen: tuple[int, set[int]] = (-1, set())
        self.tables_seen: dict[str, int] = {}
        self.left_out: set[str] = set()
        self.sealer = RowSealer(b"")
        self.witness: FileWitness | None = None
        self._keys: dict[str, Key | None] = {}
        self._anchor = FileAnchor(path, self._find)
        self._look: Look | None = None
        self._opened: OpenedHead | None = None
        self._writing = False  # a write transaction is open

    def _find(self, key_id: str) -> Key | None:
        if self._keys.get(key_id) is None:
            self._keys[key_id] = find_key(key_id)
        return self._keys[key_id]

    def version(self) -> int:
        """What another number stands for once another connection has written to the file."""
        found: int = self.connection.execute("PRAGMA data_version").fetchone()[0]
        return found

    # ------------------------------------------------------------------ the file as a whole

    def faults(self, *, anew: bool = False) -> list[SealFault]:
        """What is wrong with the file, as far as one look in constant time can tell; [] where nothing is.

        A file that no write has sealed yet has no fault, unless one at its place had been sealed.

        Args:
            anew: look at everything, the anchor too, though nobody has written to the file since the last look. A
                witness that takes time is asked for this only, and before the first write.
        """
        if self.off:
            return []
        inside = self.connection.in_transaction
        look = self._look
        if not anew and look is not None and look.counted and look.version == self.version():
            return []
        if self.witness is not None and not inside and (anew or self.witness.witness.quick):
            self.ask_witness(anew=anew)
        # Before the head is read: a writer may add to the file in between, never take. Where a view of the file is
        # fixed already, the anchor may well be ahead of it.
        note = self._anchor.note() if self._writing or not inside else NOT_COMPARED
        if not inside:
            self.connection.execute("BEGIN")
        try:
            version = self.version()
            faults, opened = self._examined(note, version)
            self._look = None
            if opened is not None and not self._writing:
                if self._opened is None or self._opened.row != opened.row:
                    self._opened = opened
                if not faults and note is not None and note is not NOT_COMPARED:
                    self._look = Look(version, note, counted=True)
            return faults
        finally:
            if not inside:
                self.connection.execute("ROLLBACK")

    def _examined(self, note: Note | None, version: int) -> tuple[list[SealFault], OpenedHead | None]:
        # A row more or less in a table is not in the way of a write, which looks at the rows that it changes.
        counted = not self._writing
        faults, opened = sealcheck.look(
            self.connection, self._anchor, note, self._find,
            version=version, count_rows=counted, witness=self.witness,
        )  # fmt: skip
        if self.indexes_made_anew:
            faults = [fault for fault in faults if fault.code != "index"]
        return faults, opened

    def require_sound(self) -> None:
        """Before what looks at no row that is not there: one look, in which the rows of small tables are counted too.

        Raises:
            IntegrityError: the file is not what was sealed, and that was not accepted.
        """
        if not self.accepting and (faults := self.faults()):
            raise refusal(self.path, faults)

    def watch(self, witness: Witness, say: Callable[[str], None]) -> None:
        """Compare the file with what a witness has noted from now on, and have passes noted there.

        Args:
            say: is told why the witness cannot be reached.
        """
        from graphdream.graph.sealwitness import FileWitness  # what a hook does not load

        self.witness, self._look = FileWitness(witness, self.path, self._find, say), None

    def ask_witness(self, *, anew: bool = False) -> None:
        """Hear what the witness has noted, where there is one that has not answered yet. Outside of any transaction:
        it may take seconds.

        Args:
            anew: also one that has answered.
        """
        if self.witness is None or not (anew or self.witness.is_to_be_asked()):
            return
        row = self.connection.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()
        if row is not None:  # nothing can be noted of a file that has no name yet
            self.witness.ask(str(row[0]))
            self._look = None

    def head(self) -> Head | None:
        """The head of the file; None where it has none, or none that can be read."""
        return read_head(self.connection)

    @property
    def place(self) -> str:
        """What the file is known by outside of it."""
        return self._anchor.place

    def places(self) -> set[str]:
        """Digests of the places where the file lies and has lain, as far as it was moved or copied with its seal."""
        here = self._anchor.digest
        head = self.head()
        if head is None:
            return {here}
        # The last one that its head tells is another than this until what is written first here is sealed.
        return {here, str(head.state.get("place", here)), *map(str, head.state.get("places", ()))}

    def is_sealed(self) -> bool:
        """Whether the file has a head at all."""
        return bool(self.connection.execute("SELECT EXISTS (SELECT 1 FROM seal)").fetchone()[0])

    def is_empty(self) -> bool:
        """Whether nothing was ever told to the file."""
        return sealcheck.is_empty(self.connection)

    def last_count(self) -> int:
        """How many sealed writes the file, or the one that lay here before it, is known to have had."""
        note, head = self._anchor.note(), self.head()
        told = head.state.get("count") if head is not None else None
        noted = self.witness.note if self.witness is not None else None
        return max(note.writes if note else 0, noted.writes if noted else 0, told if isinstance(told, int) else 0)

    # ------------------------------------------------------------------ its seals

    def tree(self, *, anew: bool = False) -> Tree | None:
        """The trees as the file has them; None where no head can be trusted. Within one transaction.

        Args:
            anew: read every node from the file, also one that was read before.
        """
        opened = self._open(anew=anew)
        if opened is None:
            return None
        self._use(opened.key.of_file(opened.state["file"]))
        return opened.tree

    def _use(self, file_key: bytes) -> None:
        if self.sealer.file_key != file_key:
            self.sealer = RowSealer(file_key)

    def _open(self, *, anew: bool = False) -> OpenedHead | None:
        """What the head of the file says; None where it cannot be trusted. Nodes that were read before are kept for as
        long as nobody else has written to the file."""
        row = head_row(self.connection)
        if row is None:
            return None
        version, opened = self.version(), self._opened
        if not anew and opened is not None and opened.row == row:
            if opened.version != version:
                opened.tree.forget()
                opened.version = version
            return opened
        opened = open_head(self.connection, row, version, self._find)
        if opened is not None and not anew:
            self._opened = opened
        return opened
