"""A file beside its witness: the notes elsewhere of how far it had come when its passes ended
(`graphdream.sealing.witness`).

The head of the file remembers the witnesses that have notes of it, so that a note that is gone is missed. One that
cannot be reached keeps nobody from anything: it is told, and asked again after a while.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from graphdream.graph.sealfault import SealFault, older_copy
from graphdream.sealing.codes import blake2b
from graphdream.sealing.keys import KeyUnavailableError
from graphdream.sealing.witness import WitnessNote, WitnessUnreachableError, as_line, name_of, newest

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from graphdream.graph.sealhead import Head
    from graphdream.sealing.keys import Key
    from graphdream.sealing.witness import Witness

_AGAIN_SECONDS = 60.0  # after which one that could not be reached is asked again


class FileWitness:
    """What the witness says against one file, as one connection has heard it.

    A note that was heard before a view of the file was fixed is never ahead of that view: a file goes on only.

    Args:
        witness: where the notes are.
        path: of the file.
        find: the key of an id.
        say: is told, once, why the witness cannot be reached.

    Attributes:
        note: the newest note that was heard, or made; None where there is none that holds.
        unreachable: why it could not be reached when that was last tried; "" where it could be.
    """

    def __init__(
        self, witness: Witness, path: Path, find: Callable[[str], Key | None], say: Callable[[str], None]
    ) -> None:
        self.note: WitnessNote | None = None
        self.unreachable = ""
        self.witness = witness
        self._path, self._find, self._say = os.path.realpath(path), find, say
        self._heard = False
        self._tried_at = float("-inf")
        self._said: set[str] = set()

    @property
    def where(self) -> str:
        """Which one it is, for a person."""
        return self.witness.where

    def is_to_be_asked(self) -> bool:
        """Whether it has not answered yet, and is not one that could not be reached a moment ago."""
        return not self._heard and not self._is_left_alone()

    def _is_left_alone(self) -> bool:
        return bool(self.unreachable) and time.monotonic() - self._tried_at < _AGAIN_SECONDS

    def ask(self, file: str) -> None:
        """Hear what is noted of a file. Outside of any transaction: it may take seconds.

        Args:
            file: the file's id.
        """
        try:
            told = self.witness.read(name_of(file, self._path))
        except WitnessUnreachableError as fault:
            self._was_not_reached(fault)
            return
        self._heard, self.unreachable = True, ""
        try:
            self.note = newest(told, name_of(file, self._path), file, self._find)
        except KeyUnavailableError:
            self.note = None  # the head says so, too

    def faults(self, connection: sqlite3.Connection, head: Head) -> Iterator[SealFault]:
        """What the note says against a file with a seal.

        Args:
            head: whose code was found to fit.
        """
        state, note = head.state, self.note
        if note is None:
            if self._is_missed(state):
                words = f"the witness ({self.where}) has no note of the file that holds, though it had one"
                yield SealFault("witness", f"{words}: the file may be an older copy")
        elif note.writes > state["count"]:
            words = older_copy(note.writes, note.pass_id, state["count"], state["pass"][0])
            yield SealFault("witness", f"{self._noted(note)}: {words}")
        elif not _is_part_of(note, connection, head):
            words = "the file was put back to an older copy, and went on from there"
            yield SealFault("witness", f"{self._noted(note)}, which is not in it: {words}")

    def _is_missed(self, state: Mapping[str, Any]) -> bool:
        """Whether the file has had a note, by what its head says, and the witness says that there is none."""
        if not self._heard or self._mark(state["file"]) not in state.get("witnesses", ()):
            return False
        # Another connection may have made the first one since. What it says is for the next look.
        self.ask(state["file"])
        return self._heard and self.note is None

    def missed_seal(self) -> SealFault | None:
        """What the note says against a file that has no seal, but is not empty; None where it says nothing."""
        if self.note is None or not self.note.writes:
            return None
        return SealFault("unsealed", f"{self._noted(self.note)} of a sealed file, and this one has no seal")

    def remember(self, state: dict[str, Any], key: Key, file_key: bytes) -> None:
        """A pass is about to be committed: have the head remember the witness, once there is any note of the file.

        Args:
            state: of the head.
            key: that the file is sealed with.
        """
        file = state["file"]
        mark = self._mark(file)
        if mark in state.get("witnesses", ()):
            return
        if self.note is None:
            first = WitnessNote(name_of(file, self._path), 0, "", 0, "", key.id)
            if not self._write(file, first, file_key):
                return
        state["witnesses"] = [*state.get("witnesses", ()), mark]

    def write_end(self, state: Mapping[str, Any], head: str, keys: Iterable[Key]) -> None:
        """Note how far the file has come, once a pass of it is committed. What cannot be noted stays committed.

        Args:
            state: of the head.
            head: its code.
            keys: that it is sealed with; before that, where there is another one now, that it was sealed with: who puts
                back a file from before puts back keys of which the new one is none.
        """
        file, (pass_id, chain) = state["file"], state["pass"]
        for key in keys:
            note = WitnessNote(name_of(file, self._path), state["count"], head, pass_id, chain, key.id)
            self._write(file, note, key.of_file(file))

    def _write(self, file: str, note: WitnessNote, file_key: bytes) -> bool:
        """Add a note. Returns False where the witness cannot be reached."""
        if self._is_left_alone():
            return False
        told_now = note

        def covered(told: str) -> bool:
            nonlocal told_now
            known = newest(told, note.memory, file, self._find)
            if known is None or known.writes <= note.writes:
                return False
            told_now = known  # of somebody who has overtaken this program
            return True

        try:
            self.witness.write(note.memory, as_line(note, file_key), covered)
        except WitnessUnreachableError as fault:
            self._was_not_reached(fault)
            return False
        except KeyUnavailableError:
            return False
        self._heard, self.note, self.unreachable = True, told_now, ""
        return True

    def _was_not_reached(self, fault: WitnessUnreachableError) -> None:
        self.unreachable, self._tried_at, self._heard = str(fault), time.monotonic(), False
        if str(fault) not in self._said:
            self._said.add(str(fault))
            self._say(f"the witness ({self.where}) cannot be reached, and the memory goes on without: {fault}")

    def _noted(self, note: WitnessNote) -> str:
        return f"the witness ({self.where}) has noted pass {note.pass_id} after {note.writes:,} writes"

    def _mark(self, file: str) -> str:
        """What the head knows it by: this witness, of the file at this place."""
        told = f"{self.where}\n{name_of(file, self._path)}".encode("utf-8", "surrogateescape")
        return blake2b(told, digest_size=8).hexdigest()


def _is_part_of(note: WitnessNote, connection: sqlite3.Connection, head: Head) -> bool:
    """Whether what was noted is what the file is, or was on its way. The chain of a pass stands for all passes before
    it; of what was recorded between two passes, the file keeps no sum that a note could be compared with."""
    if note.writes == head.state["count"] and note.writes and note.head != head.mac:
        return False
    row = connection.execute("SELECT chain FROM pass WHERE id = ?", (note.pass_id,)).fetchone()
    return note.pass_id == 0 or (row is not None and row[0] == note.chain)
