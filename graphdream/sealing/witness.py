"""The witness: notes of how far a file had come, kept where whoever puts back file, state and configuration together
does not reach: on another disk, in a git repository, behind a command of the person's own.

The anchor (`graphdream.sealing.anchor`) tells of a file that was put back alone. Where its state home was put back
along with it, as a restored backup of the whole machine does, the two agree, and only a note from elsewhere tells.

A note is a line of text under a code of the file's key. The one with the most writes that holds is the newest, whatever
stands around it, so that writers who overtake each other leave no older one, and what others write there is nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hmac import compare_digest
from typing import NamedTuple, Protocol

from graphdream.errors import GraphdreamError
from graphdream.sealing.codes import blake2b
from graphdream.sealing.keys import Key

MOST_BYTES = 65_536  # of what is read of notes, from the end; each takes some 350
_AS_TEXT = json.JSONEncoder(separators=(",", ":"))


class WitnessUnreachableError(GraphdreamError):
    """The witness can neither be asked nor told: not mounted, no such program, or it gave no answer in time."""

    exit_code = 1


class WitnessNote(NamedTuple):
    """How far a file had come when a pass ended.

    Attributes:
        memory: what the memory is known by here (`name_of`); nothing else in a note tells whose it is.
        writes: how many sealed writes it had had; 0: the first note, made before there was anything to note.
        head: the seal of the file as it was then, in hexadecimal.
        pass_id: its newest pass then.
        chain: of that pass, which stands for all passes up to it.
        key: id of the key that the note is sealed with.
    """

    memory: str
    writes: int
    head: str
    pass_id: int
    chain: str
    key: str


class Witness(Protocol):
    """Where notes are kept. All that it does may raise WitnessUnreachableError.

    Attributes:
        where: for a person: which one it is.
        quick: whether it may be asked by every command.
    """

    where: str
    quick: bool

    def read(self, name: str) -> str:
        """The notes of a memory, the newest ones at least; "" where there are none."""
        ...

    def write(self, name: str, line: str, covered: Callable[[str], bool]) -> None:
        """Add a note to those of a memory.

        Args:
            name: of the memory.
            line: the note, without what ends it.
            covered: whether some notes, as `read` gives them, go as far already; the line may then be left out.
        """
        ...


def name_of(file: str, path: str) -> str:
    """What a memory is known by to a witness: 32 hexadecimal digits. A copy at another place goes a way of its own, so
    it has another name.

    Args:
        file: the file's id.
        path: of the file, from the root.
    """
    return blake2b(f"{file}\n{path}".encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def as_line(note: WitnessNote, file_key: bytes) -> str:
    """A note as it is written down."""
    text = _AS_TEXT.encode(list(note))
    return f"{text}\t{_code(text, file_key)}"


def newest(text: str, memory: str, file: str, find: Callable[[str], Key | None]) -> WitnessNote | None:
    """The newest note of a memory that holds; None where there is none.

    Args:
        text: lines, of which any may be something else.
        memory: what it is known by.
        file: the id of its file.
        find: the key of an id.

    Raises:
        KeyUnavailableError: as `find`.
    """
    told = [one for line in text.splitlines() if (one := _parsed(line)) is not None]
    for note, body, code in sorted(told, reverse=True, key=lambda one: one[0].writes):
        if note.memory != memory:
            continue
        key = find(note.key)
        if key is not None and compare_digest(_code(body, key.of_file(file)), code):
            return note
    return None


def _parsed(line: str) -> tuple[WitnessNote, str, str] | None:
    """A line as it says of itself: the note, its text, its code."""
    body, tab, code = line.strip().partition("\t")
    if not tab or not line.isascii():
        return None
    try:
        note = WitnessNote(*json.loads(body))
    except (ValueError, TypeError, RecursionError):
        return None
    texts = (note.memory, note.head, note.chain, note.key)
    sound = all(isinstance(one, str) for one in texts) and all(isinstance(n, int) for n in (note.writes, note.pass_id))
    return (note, body, code) if sound else None


def _code(text: str, file_key: bytes) -> str:
    return blake2b(text.encode(), key=file_key, digest_size=32, person=b"gd witness").hexdigest()
