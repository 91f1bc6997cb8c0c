"""A file beside its anchor: the note outside of it of how far it had come (`graphdream.sealing.anchor`)."""

from __future__ import annotations

import json
from contextlib import suppress

from graphdream.graph.sealfault import SealFault, older_copy
from graphdream.sealing import anchor
from graphdream.sealing.anchor import Note
from graphdream.sealing.keys import KeyUnavailableError
from graphdream.sealing.places import path_of, place_digest, place_of, places_of_links

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from graphdream.graph.sealhead import Head
    from graphdream.sealing.keys import Key

NOT_COMPARED = Note("", 0, "", 0, "")
"""In place of an anchor's note: the file is not to be compared with it."""


def _by_a_link(place: str) -> str:
    return f"{path_of(place)} is a link by now"


class FileAnchor:
    """The anchor of one file, and what it says against that file.

    Args:
        path: of the file.
        find: the key of an id.
    """

    def __init__(self, path: Path, find: Callable[[str], Key | None]) -> None:
        self._path, self._find = path, find
        self._place = self._digest = self._anchor_file = ""
        self._links: list[str] | None = None
        self._noted: list[tuple[str, Note | None]] = []  # of each place in `_places_left`, as of the last look

    @property
    def place(self) -> str:
        """What the file is known by outside of it."""
        self._place = self._place or place_of(self._path)
        return self._place

    @property
    def digest(self) -> str:
        """The place as a head names it."""
        self._digest = self._digest or place_digest(self.place)
        return self._digest

    def note(self) -> Note | None:
        """What is noted of the file; None where nothing is, or nothing that can be read."""
        try:
            self._noted = [(place, anchor.read(place, self._find)) for place in self._places_left()]
            return anchor.read(self.place, self._find)
        except KeyUnavailableError:
            return None  # the head says so, too

    def _places_left(self) -> list[str]:
        """The places at which a sealed file lay and now a link lies by which this one is opened. It may be the same
        file, that was moved and is still used by its former path; or somebody has put another in its place."""
        if self._links is None:
            links = places_of_links(self._path)
            self._links = [place for place in links if place != self.place and anchor.is_known(place)]
        return self._links

    def write(self, note: Note, file_key: bytes, *, create: bool) -> bool:
        """Note how far the file has come. Returns False where it cannot be noted.

        Args:
            create: make the anchor, and remember beside the key that the file is sealed; else a missing one stays so.
        """
        self._anchor_file = self._anchor_file or str(anchor.anchor_path(self.place))
        noted = anchor.write(self.place, self._anchor_file, note, file_key, create=create)
        for place in self._places_left():
            anchor.write(place, str(anchor.anchor_path(place)), note, file_key, create=create)
        if create:
            # After the anchor, as a program may end in between: of a place that is known, a missing one is a fault.
            anchor.make_known(self.place)
        return noted

    def faults(self, head: Head, note: Note | None) -> Iterator[SealFault]:
        """What the note says against a file with a seal.

        Args:
            head: whose code was found to fit.
        """
        state = head.state
        if note is NOT_COMPARED:
            return
        if note is not None or not self._came_here(state):
            yield from self._against(head, self.place, note)
        for place, noted in self._noted:
            for fault in self._against(head, place, noted):
                yield SealFault("anchor", f"{fault}; {_by_a_link(place)}")

    def _against(self, head: Head, place: str, note: Note | None) -> Iterator[SealFault]:
        """What the note of a place says against a file that is, or leads, there."""
        state = head.state
        if note is None:
            path = anchor.anchor_path(place)
            why = "cannot be read, or was made with another key" if path.exists() else "is missing"
            yield SealFault("anchor", f"the anchor of the file {why} ({path}): it may be an older copy")
        elif note.file != state["file"]:
            yield SealFault("anchor", "another file lay here: this one was put in its place")
        elif note.writes > state["count"]:
            yield SealFault("anchor", older_copy(note.writes, note.pass_id, state["count"], state["pass"][0]))
        elif note.writes == state["count"] and note.head != head.mac:
            yield SealFault("anchor", "the file was put back to an older copy, and went on from there")

    def _came_here(self, state: Mapping[str, Any]) -> bool:
        """Whether the file was moved or copied to a place of which nobody remembers a sealed file: its seals hold here
        as they did there. Whether it is the newest copy of it, nobody can know."""
        return state.get("place") != self.digest and not (
            anchor.anchor_path(self.place).exists() or anchor.is_known(self.place)
        )

    def missed_seal(self, note: Note | None) -> SealFault | None:
        """What the note says against a file that has no seal, but is not empty; None where it says nothing."""
        if note is not None and note.writes:
            return SealFault("unsealed", f"a sealed file lay here ({note.writes:,} writes), and this one has no seal")
        if note is None and anchor.is_known(self.place):
            return SealFault("unsealed", "a sealed file lay here, and this one has no seal")
        for place, noted in self._noted:
            if noted is None or noted.writes:
                words = "a sealed file lay where a link leads to this one, which has no seal"
                return SealFault("unsealed", f"{words}; {_by_a_link(place)}")
        return None

    # ------------------------------------------------------------------ the note of a version without keys

    def older_fault(self, connection: sqlite3.Connection) -> SealFault | None:
        """How a file without a seal contradicts the note that a version without keys has left beside it; None where it
        does not, or there is none."""
        path = self._older_path()
        if not path.is_file():  # nor is a pipe waited for that somebody has put there
            return None
        try:
            note = json.loads(path.read_text())
            noted = (note["pass"], note["chain"])
        except (OSError, ValueError, TypeError, KeyError):
            return None
        if connection.execute("SELECT 1 FROM pass WHERE id = ? AND chain = ?", noted).fetchone():
            return None
        words = f"the file was put back to an older copy: pass {noted[0]}, which was written here, is not in it"
        return SealFault("anchor", words)

    def remove_older(self) -> None:
        """Remove that note: the file has an anchor now."""
        with suppress(OSError):
            self._older_path().unlink()

    def _older_path(self) -> Path:
        return self._path.with_name(self._path.name + ".anchor")
