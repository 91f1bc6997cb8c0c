"""What went wrong beneath a command, told in words: the file system, the database, memory. Loaded only then."""

from __future__ import annotations

import sqlite3
import sys
from errno import ENOSPC
from typing import NamedTuple

from graphdream.errors import BusyError, GraphdreamError, SchemaError, UsageError, quoted
from graphdream.interfaces.cli import DEBUG_VARIABLE, OUTPUT_LOST

_ROOM = "see that there is room on the disk, and that you may write to the file"
# What SQLite says where it cannot write, and where a file is not what it should be.
_NO_ROOM = ("readonly database", "is full", "disk I/O error", "unable to open")
_DAMAGED = (
    "malformed", "not a database", "no such table", "no such column", "corrupt", "already exists", "has no column",
)  # fmt: skip


class Told(NamedTuple):
    """What is printed of a fault, and the exit code (docs/exit-codes.md)."""

    message: str
    code: int
    hint: str = ""


def explained(fault: Exception) -> Told:
    """A fault that is none of our own errors. What a person can mend is told as that; all else is ours to mend."""
    if isinstance(fault, sqlite3.Error):
        told = _of_sqlite(str(fault))
    elif isinstance(fault, OSError):
        told = _of_the_system(fault)
    elif isinstance(fault, MemoryError):
        why = "there is not enough memory for this; what was not finished is as it was"
        told = Told(why, SchemaError.exit_code, "give the program more (ulimit -v), or try a smaller part")
    elif isinstance(fault, RecursionError):
        told = Told("the input is nested too deeply to be read", SchemaError.exit_code, "is this the right file?")
    elif isinstance(fault, UnicodeEncodeError):
        broken = quoted(fault.object[max(fault.start - 20, 0) : fault.end + 20])
        told = Told(f"{broken} is no text: it holds half of a character", UsageError.exit_code, "write it in UTF-8")
    else:
        told = None
    if told is not None:
        return told
    said = " ".join(str(fault).split())[:1_000]
    where = f"{DEBUG_VARIABLE}=1 shows where it happened"
    return Told(f"internal error: {type(fault).__name__}: {said}", GraphdreamError.exit_code, where)


def _of_sqlite(said: str) -> Told | None:
    if "locked" in said:
        why = "the database stayed locked by another program"
        return Told(why, BusyError.exit_code, "wait for it to end, or stop it")
    if any(sign in said for sign in _NO_ROOM):
        store = sys.modules.get("graphdream.graph.store")
        kept = "; what was done before is kept" if getattr(store, "passes_committed", 0) else ", and is as it was"
        return Told(f"the database cannot be written{kept}: {said}", SchemaError.exit_code, _ROOM)
    if any(sign in said for sign in _DAMAGED):
        hint = "graphdream doctor tells more; graphdream verify, what of it still holds"
        return Told(f"the database is damaged, or not one of graphdream: {said}", SchemaError.exit_code, hint)
    return None


def _of_the_system(fault: OSError) -> Told:
    why = fault.strerror or str(fault)
    if fault.filename is None and _output_is_stuck():
        return Told(f"the output cannot be written: {why}; what the command did is done", OUTPUT_LOST)
    hint = _ROOM if fault.errno == ENOSPC else ""
    named = f"{quoted(str(fault.filename))} cannot be used: " if fault.filename is not None else ""
    return Told(named + why, SchemaError.exit_code, hint)


def _output_is_stuck() -> bool:
    try:
        sys.stdout.write("\n")  # what failed may be gone from the buffer
        sys.stdout.flush()
    except (OSError, ValueError):
        return True
    return False
