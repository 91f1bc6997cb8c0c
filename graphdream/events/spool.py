"""What could not be recorded because another program was writing: kept beside the database, one file a call.

A file appears whole or not at all, and is removed only when what it says is committed. Recording twice is recording
once, so whatever ends a program in between, nothing is lost and nothing is doubled.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_READY, REFUSED = ".json", ".refused"
FACTS = ".fact"  # calls that told a fact and did not wait for it to be written (graphdream/dream/later.py)


def spool_path(database: Path) -> Path:
    """The folder beside a database in which calls wait."""
    return database.with_name(database.name + ".spool")


def put_aside(database: Path, text: str, told_at: str, kind: str = _READY, key: str = "") -> Path:
    """Keep a call for later, on disk when this returns.

    Args:
        text: what was told; the same text told at the same time is one file, where no key is given.
        told_at: a stamp; calls are taken in by it, oldest first.
        kind: of the call, the ending of its file: a session's by default, or `FACTS`.
        key: tells the call from others of the same time.
    """
    folder = spool_path(database)
    folder.mkdir(exist_ok=True)
    path = folder / f"{told_at.replace(':', '')}-{key or _digest(text)}{kind}"
    fresh = path.with_suffix(f".{os.getpid()}")
    with fresh.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(path)
    _sync(folder)
    return path


def waiting(database: Path, kind: str = _READY) -> list[Path]:
    """The calls of a kind that wait, oldest first; [] where nothing ever had to."""
    try:
        return sorted(path for path in spool_path(database).iterdir() if path.suffix == kind)
    except OSError:
        return []


def discard(calls: Iterable[Path]) -> None:
    """Remove calls that are committed; another program may have done so."""
    for path in calls:
        path.unlink(missing_ok=True)


def refuse(call: Path) -> None:
    """Keep a call that can never be taken in, without trying again."""
    call.replace(call.with_suffix(REFUSED))


def refused(database: Path) -> list[Path]:
    """The calls that could not be taken in; a person looks at them."""
    try:
        return sorted(path for path in spool_path(database).iterdir() if path.suffix == REFUSED)
    except OSError:
        return []


def _digest(text: str) -> str:
    from hashlib import blake2b  # not above: it takes as long to load as all else here

    return blake2b(text.encode(), digest_size=16).hexdigest()


def _sync(folder: Path) -> None:
    """Write the folder's own entry to disk, where the system has a way to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
