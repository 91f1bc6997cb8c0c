"""The anchor: a note outside an agent's folder of how far its file had come, sealed with the key.

What lies in a file cannot tell that the whole file was put back to an older copy. The note can: a file is at the point
that was noted or beyond it, never before. It is written after each commit, so whatever ends a program in between leaves
it behind the file, and the next one who writes brings it up to date.

Two records take turns in one file of fixed length, each written in place: a crash amid one of them leaves the other.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from graphdream.bounded import whole_file
from graphdream.paths import config_home
from graphdream.sealing.codes import blake2b
from graphdream.sealing.places import anchors_home, place_digest

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphdream.sealing.keys import Key

RECORD_BYTES = 1024
_AS_TEXT = json.JSONEncoder(separators=(",", ":"))


class Note(NamedTuple):
    """How far a file had come.

    Attributes:
        file: the file's id.
        writes: how many sealed writes it had had; 0: the first one was about to be made.
        head: the seal of the file as it was then, in hexadecimal.
        pass_id: its newest pass then.
        key: id of the key that the note is sealed with.
    """

    file: str
    writes: int
    head: str
    pass_id: int
    key: str


def anchor_path(place: str) -> Path:
    """Where the anchor of a place lies."""
    return anchors_home() / place_digest(place)


def read(place: str, find: Callable[[str], Key | None]) -> Note | None:
    """The newest note that holds; None where there is none, or none that can be read.

    Args:
        find: the key of an id.

    Raises:
        KeyUnavailableError: as `find`.
    """
    try:
        data = whole_file(anchor_path(place))
    except OSError:
        return None
    told = [_parsed(data[start : start + RECORD_BYTES], place) for start in (0, RECORD_BYTES)]
    for note, text, seal in sorted(
        (one for one in told if one is not None), reverse=True, key=lambda one: one[0].writes
    ):
        key = find(note.key)
        if key is not None and _seal(text, key.of_file(note.file)) == seal:
            return note
    return None


def write(place: str, path: str, note: Note, file_key: bytes, *, create: bool = False) -> bool:
    """Note how far a file has come. Returns False where it cannot be noted: what was committed stays committed.

    Args:
        path: of the anchor of that place (`anchor_path`), which takes longer to find out than to write to.
        create: make the file, and forget what it said before; else one that is missing stays missing.
    """
    text = _AS_TEXT.encode([*note, place])
    record = f"{text}\n{_seal(text, file_key)}\n".encode().ljust(RECORD_BYTES)
    if len(record) > RECORD_BYTES:  # the path of the file is very long, and only there for a person to read
        text = _AS_TEXT.encode([*note, place_digest(place)])
        record = f"{text}\n{_seal(text, file_key)}\n".encode().ljust(RECORD_BYTES)
    try:
        if create:
            made = Path(path)
            made.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = made.with_name(f".{made.name}.{os.getpid()}.tmp")
            fresh.write_bytes(record * 2)
            fresh.replace(made)
        else:
            descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))  # where a pipe lies, it is missing
            try:
                os.lseek(descriptor, (note.writes % 2) * RECORD_BYTES, os.SEEK_SET)
                os.write(descriptor, record)
            finally:
                os.close(descriptor)
    except OSError:
        return False
    return True


def _parsed(record: bytes, place: str) -> tuple[Note, str, str] | None:
    """A record as it says of itself: the note, its text, its seal."""
    try:
        text, seal, *_ = record.decode("ascii").split("\n")
        *told, where = json.loads(text)
        note = Note(*told)
    except (ValueError, TypeError, KeyError):
        return None
    return (note, text, seal) if where in (place, place_digest(place)) and isinstance(note.writes, int) else None


def _seal(text: str, file_key: bytes) -> str:
    return blake2b(text.encode(), key=file_key, digest_size=32, person=b"gd anchor").hexdigest()


# ---------------------------------------------------------------------- which places have a sealed file at all


def is_known(place: str) -> bool:
    """Whether a sealed file lay at a place, by what is kept beside the key."""
    return _known_path(place).exists()


def make_known(place: str) -> None:
    """Remember beside the key that the file of a place is sealed, so that one without any seal is missed."""
    path = _known_path(place)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(place + "\n", encoding="utf-8", errors="surrogateescape")
    except OSError:
        pass  # the anchor still tells


def known_places() -> Iterator[str]:
    """Every place where a sealed file lay, by what is kept beside the key."""
    with suppress(OSError):
        for name in os.listdir(_known_folder()):
            if place := place_known_by(name):
                yield place


def place_known_by(digest: str) -> str:
    """The place of a digest, where a sealed file lay there; else ""."""
    try:
        told = whole_file(_known_folder() / digest).decode("utf-8", "surrogateescape").removesuffix("\n")
    except OSError:
        return ""
    return told if place_digest(told) == digest else ""


def forget(place: str) -> None:
    """Remove what is kept of a place: the file there was made by us for a moment, and is gone."""
    for path in (anchor_path(place), _known_path(place)):
        with suppress(OSError):
            path.unlink()


def _known_path(place: str) -> Path:
    return _known_folder() / place_digest(place)


def _known_folder() -> Path:
    return config_home() / "sealed"
