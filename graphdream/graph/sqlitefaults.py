"""What a fault of SQLite says itself of a file."""

from __future__ import annotations

import sqlite3

_NO_ROOM = ("readonly database", "is full", "disk I/O error", "unable to open")
_CODES = frozenset({11, 26})  # SQLITE_CORRUPT and SQLITE_NOTADB, whatever their extended codes


def says_damaged(fault: BaseException) -> bool:
    """Whether SQLite met pages that are none of its own, or text that is none. A statement that names what is not
    there says nothing of the file, nor does JSON that is malformed."""
    if not isinstance(fault, sqlite3.Error):
        return False
    code = getattr(fault, "sqlite_errorcode", None)  # not where Python itself has found the fault
    if code is not None:
        return code & 0xFF in _CODES
    said = str(fault)
    return "Could not decode to UTF-8" in said or "disk image is malformed" in said or "not a database" in said


def says_unwritable(fault: BaseException) -> bool:
    """Whether SQLite could not write, or not open."""
    return isinstance(fault, sqlite3.Error) and any(sign in str(fault) for sign in _NO_ROOM)
