"""Where the file lies: may it be written, is there room, who else may read it, what was left beside it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from graphdream.errors import UnwritableError
from graphdream.graph.place import Place
from graphdream.interfaces.checks.base import FAULT, NOTE, OK, Finding, Scene
from graphdream.litter import left_in
from graphdream.room import confirm_disk
from graphdream.sealing.places import folders_of_seals

_LARGE_LOG_BYTES = 64_000_000


def look(scene: Scene) -> Iterator[Finding]:
    """All of it, of a file that is there."""
    path = scene.database
    if not path.is_file():
        return
    yield from _writable(path)
    try:
        Place.of(path).confirm(path)
    except UnwritableError as fault:
        yield Finding("links", FAULT, str(fault), fault.hint)
    try:
        confirm_disk(path)
    except UnwritableError as fault:
        yield Finding("disk", FAULT, str(fault), fault.hint)
    yield from _read_by_others(path)
    yield from _log(path)
    if left := left_in(path.parent):
        yield Finding(
            "litter", NOTE, f"{len(left):,} files of writers that were killed, {left[0].name} for one",
            "nothing: they are removed when the memory is next written to",
        )  # fmt: skip
    if left := [file for folder in folders_of_seals() for file in left_in(folder)]:
        words = (
            f"{len(left):,} files of programs that were killed while they wrote a key or an anchor, such as {left[0]}"
        )
        fix = "nothing: the next pass over any memory, or graphdream trust removes them"
        yield Finding("litter", NOTE, words, fix)


def _writable(path: Path) -> Iterator[Finding]:
    for what in (path, path.parent):
        if not os.access(what, os.W_OK):
            yield Finding(
                "place", FAULT, f"{what} may not be written to: the memory can be read, and nothing is remembered",
                f"chmod u+w {what}",
            )  # fmt: skip
            return
    yield Finding("place", OK, "it can be written to")


def _read_by_others(path: Path) -> Iterator[Finding]:
    mode = path.stat().st_mode
    if os.name == "posix" and mode & (stat.S_IROTH | stat.S_IWOTH):
        who = "changed" if mode & stat.S_IWOTH else "read"
        yield Finding("permissions", NOTE, f"every user of this machine may have {path} {who}", f"chmod 600 {path}")


def _log(path: Path) -> Iterator[Finding]:
    log = path.with_name(f"{path.name}-wal")
    size = log.stat().st_size if log.exists() else 0
    if size > _LARGE_LOG_BYTES:
        yield Finding(
            "log", NOTE, f"{log.name} has grown to {size / 1e6:,.0f} MB because some program has been reading for long",
            "end that program; the next write makes it small",
        )  # fmt: skip
