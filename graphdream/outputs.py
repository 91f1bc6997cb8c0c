"""Files that a command writes for somebody: over what is graphdream's own never, over other files on request, and
always whole.

Graphdream's own are memories with what lies beside them, the folders of the keys and the anchors, notes of a witness,
and settings.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphdream.bounded import regular_file
from graphdream.errors import UsageError
from graphdream.litter import beside, sweep
from graphdream.paths import SETTINGS, config_home, state_home

TYPE_CHECKING = False  # as a type checker reads it; what only puts a fact aside does without `typing`
if TYPE_CHECKING:
    from typing import BinaryIO

_SQLITE_HEAD, _MARK_AT = b"SQLite format 3\0", 68  # where a database says whose it is (SQLite file format, 1.3)
_OUR_MARK = b"gdre"
_SPOOL = ".spool"
_COMPANIONS = ("-wal", "-shm", "-journal", ".anchor", _SPOOL, ".http-token")  # what SQLite and we keep beside a memory

_NOTES = re.compile(r"[0-9a-f]{32}\.notes")  # of a witness that is a folder (`graphdream.sealing.witnesskinds`)


def is_memory(path: Path) -> bool:
    """Whether a file is one of our databases, or bears the name of what is kept beside one."""
    owner = next((path.name.removesuffix(end) for end in _COMPANIONS if path.name.endswith(end)), "")
    return bears_our_mark(path) or (bool(owner) and bears_our_mark(path.with_name(owner)))


def bears_our_mark(path: Path) -> bool:
    """Whether a file is one of our databases. False where it cannot be read."""
    try:
        with regular_file(path) as file:
            head = file.read(_MARK_AT + len(_OUR_MARK))
    except OSError:
        return False
    return head.startswith(_SQLITE_HEAD) and head[_MARK_AT:] == _OUR_MARK


def confirm_not_ours(path: Path) -> None:
    """See to it that a path names nothing of graphdream's own, whether it is there or not.

    Raises:
        UsageError: it does.
    """
    target = path.resolve()
    if is_memory(target) or _waits_for_one(target):
        raise UsageError(f"{target} is a memory, or belongs to one: nothing is written over it", "name another file")
    for folder, what in ((config_home(), "keys"), (state_home(), "anchors")):
        if any(_are_one(parent, folder) for parent in (target, *target.parents)):
            words = f"{target} lies where graphdream has its {what}: nothing is written there"
            raise UsageError(words, "name a file in another folder")
    if _NOTES.fullmatch(target.name.casefold()):
        words = f"{target} is for the notes of a witness of a memory: nothing is written over it"
        raise UsageError(words, "name another file")
    if target.name.casefold() == SETTINGS:
        words = f"{target} is for the settings of an agent: nothing is written over it"
        raise UsageError(words, "name another file")


def _waits_for_one(target: Path) -> bool:
    """Whether a path leads into the spool of a memory, which may be gone, or a log or a spool lies beside it: then it
    is a memory whose head nobody has written yet, or cannot read."""
    beside_it = (target.with_name(target.name + end) for end in ("-wal", _SPOOL))
    if target.name and any(one.exists() for one in beside_it):
        return True
    for folder in target.parents:
        if folder.name.endswith(_SPOOL):
            owner = folder.with_name(folder.name.removesuffix(_SPOOL) or folder.name)
            if bears_our_mark(owner) or not owner.exists():
                return True
    return False


def _are_one(path: Path, folder: Path) -> bool:
    """Whether two paths are one folder, also where it has several names, or names in large and small letters."""
    try:
        return path.samefile(folder)
    except OSError:
        return path == Path(os.path.realpath(folder))


@contextmanager
def written(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[BinaryIO]:
    """Write a file by way of another one beside it, which takes its place at the end; a symbolic link stays one.

    What is no file but can be written to (a terminal, a pipe, `/dev/null`) is written to as it comes.

    Args:
        force: put it in the place of a file that is there. What is graphdream's own is never replaced.

    Raises:
        UsageError: a file is there already, it is graphdream's own, or the path cannot be written.
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
        confirm_not_ours(target)
    if stat.S_ISREG(mode) and not force:
        raise UsageError(f"{target} is there already", "--force replaces it, or name another file")
