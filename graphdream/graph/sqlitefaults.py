"""What a fault of SQLite says itself of a file."""

from __future__ import annotations

import sqlite3

LOCKED_OUT = "the database stayed locked by another program"
_NO_ROOM = ("readonly database", "is full", "disk I/O error", "unable to open")
_CODES = frozenset({11, 26})  # SQLITE_CORRUPT and SQLITE_NOTADB, whatever their extended codes
_NO_BYTES = "JSON cannot hold BLOB values"  # no column that is made JSON of holds bytes, unless they were put there
# What SQLite says where the file, the disk, the machine or another program is in the way, whatever the statement says:
# PERM, ABORT, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL, SCHEMA, NOLFS, AUTH.
_NOT_THE_STATEMENT = _CODES | {3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 17, 22, 23}


def says_damaged(fault: BaseException) -> bool:
    """Whether SQLite met pages that are none of its own, or text that is none. A statement that names what is not
    there says nothing of the file, nor does JSON that is malformed."""
    if not isinstance(fault, sqlite3.Error):
        return False
    said = str(fault)
    code = getattr(fault, "sqlite_errorcode", None)  # not where Python itself has found the fault
    if code is not None:
        return code & 0xFF in _CODES or _NO_BYTES in said
    return "Could not decode to UTF-8" in said or "disk image is malformed" in said or "not a database" in said


def says_locked(fault: BaseException) -> bool:
    """Whether another program held the file for longer than was waited for it."""
    return isinstance(fault, sqlite3.OperationalError) and "locked" in str(fault)


def says_unwritable(fault: BaseException) -> bool:
    """Whether SQLite could not write, or not open."""
    return isinstance(fault, sqlite3.Error) and any(sign in str(fault) for sign in _NO_ROOM)


def says_file_at_fault(fault: BaseException) -> bool:
    """Whether SQLite would have said the same to any other statement."""
    if not isinstance(fault, sqlite3.Error):
        return False
    code = getattr(fault, "sqlite_errorcode", None)
    if code is None:
        return isinstance(fault, sqlite3.OperationalError) or says_damaged(fault)
    return code & 0xFF in _NOT_THE_STATEMENT
