"""The seal of a file: each row that counts under a message authentication code, and the file's head over all of them.

Whoever can write to the file, and has not got the key, can make no row that fits, nor put an older one back: the trees
(`graphdream.sealing.tree`) hold a seal for each row, the head (`graphdream.graph.sealhead`) their topmost nodes, the
newest pass, and how many sealed writes there were; the anchor outside (`graphdream.sealing.anchor`) holds the newest
head; a witness farther out (`graphdream.graph.sealwitness`), where there is one, that of the newest pass. Rows are
sealed by triggers as they are written, in the same transaction. What is looked at when:

- on every write and on opening, in constant time (`graphdream.graph.sealcheck`): the head against its code, the file's
  id, the newest pass, the last rows and the anchor; the number of rows of small tables;
- a row, when it is read for somebody (`graphdream.graph.sealread`) or written anew (`touch`): its own seal;
- every row (`graphdream.graph.sealwalk`), when all of them are read.

How the file is looked at is `graphdream.graph.sealedfile`; here is how it is written.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from graphdream.errors import IntegrityError
from graphdream.graph.sealedfile import Look, SealedFile
from graphdream.graph.sealedwrite import SealedWrite
from graphdream.graph.sealfault import changed_node, refusal
from graphdream.graph.sealhead import newest_pass
from graphdream.graph.writtenrows import WrittenRows
from graphdream.sealing.keys import KeyUnavailableError, current_key
from graphdream.sealing.tree import BrokenTreeError, Tree

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from graphdream.graph.sealfault import SealFault
    from graphdream.sealing.anchor import Note
    from graphdream.sealing.keys import Key


class Seal(SealedFile):
    """The seal of one connection's file.

    Args:
        off: seal nothing and look at nothing: a scratch copy that nobody keeps.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, *, off: bool = False) -> None:
        super().__init__(connection, path, off=off)
        self._was_unsealed: bool | None = None
        self._met_before: dict[str, None] = {}  # what was read of what is wrong, and accepted, in order
        # Of the write transaction.
        self._begun = 0  # the data version when it began
        self._write: SealedWrite | None = None  # None where it seals nothing
        self._accepted: tuple[str, ...] = ()  # what it has met of what is wrong with the file
        self._fault: SealFault | None = None
        connection.create_function("gd_seal", 4, self._touched)
        connection.create_function("gd_seal", 5, self._touched)

    @property
    def was_unsealed(self) -> bool:
        """Whether nothing of the file was sealed when this was first asked: what a version without keys has left beside
        it is then as good as what is in it."""
        if self._was_unsealed is None:
            fresh = self._write is not None and self._write.fresh
            self._was_unsealed = self.off or fresh or not self.is_sealed()
        return self._was_unsealed

    # ------------------------------------------------------------------ seals, for those who look rows up

    def tree_now(self) -> Tree | None:
        """The trees to look rows up in (`seal_of`) as the open transaction has them; None where nothing could tell."""
        if self.off:
            return None
        if self._write is None:
            return self.tree()
        tree = self._write.rows.tree or self.tree()
        self._write.rows.seal()
        return tree

    def rows_of(self, kind: int) -> int:
        """How many rows of a table were sealed, with those of the open transaction; 0 where no head can be trusted.

        Args:
            kind: of the table (`SealedTable.kind`).
        """
        if self.off:
            return 0
        if self._write is not None:
            state, more = self._write.state, self._write.rows.more.get(kind, 0)
        else:
            opened, more = self._open(), 0
            if opened is None:
                return 0
            state = opened.state
        rows: int = state["trees"].get(str(kind), (0, "", 0, 0))[2]
        return rows + more

    def seal_of(self, tree: Tree, kind: int, place: int) -> bytes | None:
        """The seal of a place as the open transaction has it; None where its node is not what was sealed.

        Args:
            tree: from `tree_now`.
        """
        own = None if self._write is None else self._write.rows.seal_of(kind, place)
        try:
            return tree.get(kind, place) if own is None else own
        except BrokenTreeError:
            return None

    # ------------------------------------------------------------------ rows that are written

    def begin(self) -> None:
        """A write transaction has begun: look at the file, and seal it where nobody has yet.

        Raises:
            IntegrityError: the file is not what was sealed, and that was not accepted.
        """
        self._write, self._fault, self._accepted = None, None, ()
        self._writing = True
        if self.off:
            return
        self._begun = self.version()
        look, opened = self._look, self._opened
        if look is not None and look.version == self._begun:
            note: Note | None = look.note
            # What this connection has written itself is what the file says, as long as nobody else has written to it.
            if opened is None or opened.version != self._begun:
                opened = self._open()
        else:
            self._look = None
            note = self._anchor.note()
            faults, opened = self._examined(note, self._begun)
            if faults and not self.accepting:
                raise refusal(self.path, faults)
            self._accepted = tuple(map(str, faults))
        if self.accepting and (self._accepted or self._met_before):
            self._accepted = tuple(dict.fromkeys((*self._accepted, *self._met_before)))
            self._look = None
            return  # what is written stays unsealed, so that the file is not taken for sound
        if opened is None:  # it has no head, or there would be a fault
            self._seal_first(note)
            return
        # They change with the transaction, and are what the file says again where that is committed.
        self._opened = None
        self._use(opened.key.of_file(opened.state["file"]))
        rows = WrittenRows(opened.tree, self.sealer, self._met)
        self._write = SealedWrite(self.connection, self._anchor, opened.key, opened.state, rows, witness=self.witness)
        if note is None or (not note.writes and opened.state.get("place") != self._anchor.digest):
            # It was not written to here yet; where the anchor says so, a program ended before it had done so.
            self._write.move_here()

    def _seal_first(self, note: Note | None) -> None:
        """Seal every row as it is: with the first write of a file, or with the first after a migration."""
        try:
            key = current_key()
        except KeyUnavailableError:
            return  # there is nothing to keep the file's word with; `doctor` says so
        if self.connection.execute("SELECT 1 FROM meta WHERE key = 'file_id'").fetchone() is None:
            self.connection.execute("INSERT INTO meta VALUES ('file_id', ?)", (os.urandom(16).hex(),))
        file_id = self.connection.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()[0]
        notes = []
        if note is not None and note.writes and note.file != file_id:
            notes.append(f"a file of {note.pass_id} passes that lay here is gone; this one began empty")
        self.reseal(key, file_id, notes=notes, count=0)

    def reseal(self, key: Key, file_id: str, *, notes: Iterable[str] | None, count: int, decided: bool = False) -> None:
        """Seal every row anew, with whatever key; within a write transaction, whose end writes the head and the anchor,
        and outside of any savepoint.

        Args:
            notes: what `verify` says of it from now on; None: what it said before, the file being sound.
            count: sealed writes so far.
            decided: a person has decided it, whatever the anchor says.
        """
        if notes is None:
            before: dict[str, Any] = {} if self._write is None else self._write.state
            since, notes = before.get("since", 1), before.get("notes", ())
        else:
            since = 1 if self.is_empty() else newest_pass(self.connection)[0] + 1
        self._met_before.clear()
        state = {"file": file_id, "count": count, "since": since, "notes": list(notes), "trees": {}}
        self._use(key.of_file(file_id))
        self.connection.execute("DELETE FROM seal_node")
        rows = WrittenRows(Tree(self.connection, self.sealer.file_key, {}), self.sealer, self._met)
        rows.seal_whole_file(self.connection)
        self._write = SealedWrite(
            self.connection, self._anchor, key, state, rows,
            fresh=True, decided=decided, witness=self.witness, former=self._former_key(key),
        )  # fmt: skip

    def _former_key(self, key: Key) -> Key | None:
        """The key that the file says it is sealed with, where that is another one, and here."""
        head = self.head()
        with suppress(KeyUnavailableError):
            return None if head is None or head.key == key.id else self._find(head.key)
        return None

    def _touched(self, kind: int, at: int | str, old: bytes | None, new: bytes | None, session: int = -1) -> None:
        """Called by the triggers: a row was written."""
        if self.off or old == new:
            return
        if not self._writing:
            raise IntegrityError("sealed rows are written within `Store.writing` only")
        if self._write is not None:
            self._write.rows.hold(kind, at, old, new, session)

    def touch(self, kind: int, place: int, old: bytes | None, new: bytes | None) -> None:
        """A row with a place for itself is made (`old` is None), changed or deleted (`new` is None). It must be what
        was sealed before; where it is not, the transaction cannot be committed."""
        if self._write is not None:
            self._write.rows.hold(kind, place, old, new)

    def _met(self, fault: SealFault) -> None:
        """A row that is written is not what was sealed."""
        if not self.accepting:
            self._fault = fault
            raise refusal(self.path, [fault])
        self._accepted = (*self._accepted, str(fault))

    def meet(self, faults: Iterable[SealFault]) -> None:
        """What was read for something that is written, or told whole, is not what was sealed.

        Raises:
            IntegrityError: there is such a fault; the open transaction cannot be committed. Where it was accepted, what
                is written next says so on record, and stays unsealed.
        """
        found = list(faults)
        if not found:
            return
        if not self.accepting:
            self._fault = found[0] if self._writing else None
            raise refusal(self.path, found)
        words = dict.fromkeys(map(str, found))
        self._met_before.update(words)
        if self._write is not None:
            self._accepted, self._look = tuple(dict.fromkeys((*self._accepted, *words))), None
            self._write.rows.seal_nothing_more()

    @property
    def met(self) -> IntegrityError | None:
        """What the transaction came upon in a row that it wrote; None where that row was sound."""
        return None if self._fault is None else refusal(self.path, [self._fault])

    @property
    def accepted(self) -> tuple[str, ...]:
        """What is wrong with the file, as far as the transaction has met it and went on; () where nothing is."""
        if self._write is not None:
            self._write.rows.seal()
        return self._accepted

    def mark(self) -> int:
        """A savepoint begins; returns what `release` needs of it."""
        return 0 if self._write is None else self._write.rows.mark()

    def release(self, mark: int, *, back: bool) -> None:
        """A savepoint ends; `back` where what was written in it is taken back."""
        if self._write is not None:
            self._write.rows.release(mark, back=back)

    def flush(self) -> None:
        """Write the seals of what the transaction has written; before its commit.

        Raises:
            IntegrityError: a row that it wrote was not what had been sealed.
        """
        if self._write is None:
            return
        self._write.rows.seal()
        if self.met is not None:
            raise self.met
        try:
            self._write.flush()
        except BrokenTreeError as broken:
            fault = changed_node(broken)
            if not self.accepting:
                raise refusal(self.path, [fault]) from None
            self._accepted = (*self._accepted, str(fault))

    def end(self, *, committed: bool) -> None:
        """The write transaction has ended; note outside how far the file has come."""
        write = self._write
        if self._accepted:
            self._look = None  # what was written is not sealed, so that the file is not what was looked at
        if committed and write is not None and write.note is not None:
            noted = write.write_anchor(write.note)
            counted = self._look is not None and self._look.counted
            self._look = None
            if noted and not (write.fresh or write.decided or self._accepted):
                self._look = Look(self._begun, write.note, counted=counted)
                self._opened = write.opened(self._begun)
            if write.fresh:
                self._anchor.remove_older()
        self._write, self._fault = None, None
        self._writing = False
        if committed and write is not None:
            write.tell_witness()
