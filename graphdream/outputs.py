"""Files that a command writes for somebody: over a memory never, over other files on request, and always whole."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from graphdream.errors import UsageError
from graphdream.litter import beside, sweep

_SQLITE_HEAD, _MARK_AT = b"SQLite format 3\0", 68  # where a database says whose it is (SQLite file format, 1.3)
_OUR_MARK = b"gdre"
_COMPANIONS = ("-wal", "-shm", "-journal", ".anchor", ".spool")  # what SQLite and we keep beside a memory


def is_memory(path: Path) -> bool:
    """Whether a file is one of our databases, or bears the name of what is kept beside one."""
    owner = next((path.name.removesuffix(end) for end in _COMPANIONS if path.name.endswith(end)), "")
    return _bears_our_mark(path) or (bool(owner) and _bears_our_mark(path.with_name(owner)))


def _bears_our_mark(path: Path) -> bool:
    """Whether a file is one of our databases. False where it cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(_MARK_AT + len(_OUR_MARK))
    except OSError:
        return False
    return head.startswith(_SQLITE_HEAD) and head[_MARK_AT:] == _OUR_MARK


@contextmanager
def written(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[BinaryIO]:
    """Write a file by way of another one beside it, which takes its place at the end; a symbolic link stays one.

    What is no file but can be written to (a terminal, a pipe, `/dev/null`) is written to as it comes.

    Args:
        force: put it in the place of a file that is there. A memory is never replaced.

    Raises:
        UsageError: a file is there already, or the path cannot be written.
    """
    try:
        target = Path(path).expanduser()
        target = target.resolve()
        _refuse_taken(target, force)
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        sweep(target.parent)
        fresh = beside(target)
        try:
            with fresh.open("wb") as stream:
                yield stream
            _refuse_taken(target, force)
            if target.exists():
                os.chmod(fresh, stat.S_IMODE(target.stat().st_mode))
            fresh.replace(target)
        finally:
            with contextlib.suppress(OSError):
                fresh.unlink()
    except BrokenPipeError:
        raise
    except (OSError, RuntimeError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or str(fault)
        raise UsageError(f"{os.fspath(path)} cannot be written: {why}") from fault


def write_text(path: str | os.PathLike[str], text: str, *, force: bool = False) -> None:
    """Write a text as UTF-8. Raises as `written`."""
    data = text.encode("utf-8", errors="replace")
    with written(path, force=force) as stream:
        stream.write(data)


def _refuse_taken(target: Path, force: bool) -> None:
    """Raise UsageError where a path is taken by what must not be replaced."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = 0
    if stat.S_ISDIR(mode):
        raise UsageError(f"{target} is a folder", "name a file in it")
    if stat.S_ISBLK(mode):
        raise UsageError(f"{target} is a disk, not a file", "name a file")
    if not mode or stat.S_ISREG(mode):  # to look into a pipe would take from it
        _refuse_memory(target)
    if stat.S_ISREG(mode) and not force:
        raise UsageError(f"{target} is there already", "--force replaces it, or name another file")


def _refuse_memory(target: Path) -> None:
    if is_memory(target):
        raise UsageError(f"{target} is a memory, or belongs to one: nothing is written over it", "name another file")
