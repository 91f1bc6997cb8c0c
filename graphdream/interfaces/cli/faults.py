"""What went wrong beneath a command, told in words: the file system, the database, memory. Loaded only then."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from errno import ENOSPC
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from graphdream.errors import (
    BusyError,
    GraphdreamError,
    IntegrityError,
    SchemaError,
    UnwritableError,
    UsageError,
    quoted,
)
from graphdream.graph.sqlitefaults import LOCKED_OUT, says_damaged, says_unwritable
from graphdream.interfaces.cli import DEBUG_VARIABLE, OUTPUT_LOST

_ROOM = "see that there is room on the disk, and that you may write to the file"
_LOOK = "graphdream doctor tells more; graphdream verify, what of it still holds"
_OF_AN_INDEX = ("vtable constructor failed", "invalid fts5 file format", "no such fts5 table")
_TOO_MANY_DIGITS = "for integer string conversion"  # how Python says that a text is too long to be made a number of
_QUICKLY_VERIFIED = 64 * 1024 * 1024  # bytes of a file that is compared with its journal within seconds


class FaultInWords(NamedTuple):
    """What is printed of a fault, and the exit code (docs/exit-codes.md)."""

    message: str
    code: int
    hint: str = ""


def explained(fault: Exception, words: Sequence[str] = ()) -> FaultInWords:
    """A fault that is none of our own errors. What a person can mend is told as that; all else is ours to mend.

    Args:
        words: of the command line; where the fault may come of a damaged file, that is looked at.
    """
    told = _of_an_index(fault, words) or _in_words(fault) or _of_a_number(fault, words)
    if told is not None:
        return told
    found = _wrong_with_the_file(words)
    said = f"internal error: {type(fault).__name__}: {' '.join(str(fault).split())[:1_000]}"
    where = f"{DEBUG_VARIABLE}=1 shows where it happened"
    if found:  # which may be why, or not: both are told
        return FaultInWords(
            said, SchemaError.exit_code, f"the database is damaged besides: {found}\n  {_LOOK}; {where}"
        )
    return FaultInWords(said, GraphdreamError.exit_code, where)


def _of_an_index(fault: Exception, words: Sequence[str]) -> FaultInWords | None:
    """Of a full-text index that is damaged, which can be made anew: the way to do that; None of all else."""
    if not isinstance(fault, sqlite3.Error):
        return None
    if not (says_damaged(fault) or any(sign in str(fault) for sign in _OF_AN_INDEX)):
        return None
    from graphdream.graph.objects import MENDED_BY
    from graphdream.graph.textindexes import damaged_indexes
    from graphdream.paths import database_path

    try:
        path = database_path(_value("--db", words), _value("--agent", words))
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            damaged = damaged_indexes(connection)
    except (sqlite3.Error, OSError, GraphdreamError):
        return None
    if not damaged:
        return None
    said = f"the full-text index {damaged[0]} of {path} is damaged: {fault}"
    return FaultInWords(said, SchemaError.exit_code, f"{MENDED_BY} makes it anew, after a backup")


def _in_words(fault: Exception) -> FaultInWords | None:
    if isinstance(fault, sqlite3.Error):
        return _of_sqlite(fault)
    if isinstance(fault, OSError):
        return _of_the_system(fault)
    if isinstance(fault, MemoryError):
        why = "there is not enough memory for this; what was not finished is as it was"
        return FaultInWords(why, SchemaError.exit_code, "give the program more (ulimit -v), or try a smaller part")
    if isinstance(fault, RecursionError):
        return FaultInWords(
            "the input is nested too deeply to be read", SchemaError.exit_code, "is this the right file?"
        )
    if isinstance(fault, UnicodeEncodeError):
        broken = quoted(fault.object[max(fault.start - 20, 0) : fault.end + 20])
        return FaultInWords(
            f"{broken} is no text: it holds half of a character", UsageError.exit_code, "write it in UTF-8"
        )
    return None


def _of_a_number(fault: Exception, words: Sequence[str]) -> FaultInWords | None:
    """Of a word with more digits than Python makes a number of, told as that, by its option where it has one."""
    if not (isinstance(fault, ValueError) and _TOO_MANY_DIGITS in str(fault)):
        return None
    for before, word in pairwise(("", *words)):
        digits = max(map(len, re.findall(r"\d+", word)), default=0)
        if digits > sys.get_int_max_str_digits():
            option = word.partition("=")[0] if word.startswith("-") else before if before.startswith("-") else ""
            named = f"{option}: " if option else ""
            why = (
                f"{named}{quoted(word.removeprefix(f'{option}='))} has a number of {digits:,} digits; nothing here has"
            )
            return FaultInWords(f"{why} such a number", UsageError.exit_code, f"graphdream {words[0]} --help")
    return None


def _wrong_with_the_file(words: Sequence[str]) -> str:
    """What is measured to be wrong with the file that a command worked on, which any part of the program may have
    stumbled over; "" where nothing is, or where the look itself fails for another reason than that."""
    from graphdream.paths import database_path

    try:
        path = database_path(_value("--db", words), _value("--agent", words))
        return _damage(path) if path.is_file() else ""
    except UnwritableError:
        return ""
    except Exception as fault:
        # All text of a sound file is UTF-8; a schema that is none ends in Python's own fault, and none of SQLite's.
        measured = isinstance(fault, SchemaError | IntegrityError | UnicodeDecodeError) or says_damaged(fault)
        return " ".join(str(fault).split())[:200] if measured else ""


def _value(option: str, words: Sequence[str]) -> str | None:
    """What a command line says for an option, the last time that it says so."""
    values = [after for word, after in pairwise(words) if word == option]
    values += [word.removeprefix(f"{option}=") for word in words if word.startswith(f"{option}=")]
    return values[-1] if values else None


def _damage(path: Path) -> str:
    """What is wrong with a file, "" where its pages are right and it is what its journal says. Raises where not even
    that can be found out."""
    with closing(sqlite3.connect(path)) as connection:
        pages = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if pages != "ok":
        return " ".join(pages.split())
    if path.stat().st_size > _QUICKLY_VERIFIED:
        return ""
    from graphdream.graph.store import Store
    from graphdream.journal.verify import verify

    with Store.open(path, create=False) as store:
        report = verify(store)
    return str(report.faults[0]) if report.faults else ""


def _damaged(how: str) -> FaultInWords:
    return FaultInWords(f"the database is damaged, or not one of graphdream: {how}", SchemaError.exit_code, _LOOK)


def _of_sqlite(fault: sqlite3.Error) -> FaultInWords | None:
    said = str(fault)
    if "locked" in said:
        return FaultInWords(LOCKED_OUT, BusyError.exit_code, "wait for it to end, or stop it")
    if says_unwritable(fault):
        store = sys.modules.get("graphdream.graph.store")
        kept = "; what was done before is kept" if getattr(store, "passes_committed", 0) else ", and is as it was"
        return FaultInWords(f"the database cannot be written{kept}: {said}", SchemaError.exit_code, _ROOM)
    if says_damaged(fault):
        return _damaged(said)
    return None


def _of_the_system(fault: OSError) -> FaultInWords:
    why = fault.strerror or str(fault)
    if fault.filename is None and _output_is_stuck():
        return FaultInWords(f"the output cannot be written: {why}; what the command did is done", OUTPUT_LOST)
    hint = _ROOM if fault.errno == ENOSPC else ""
    named = f"{quoted(str(fault.filename))} cannot be used: " if fault.filename is not None else ""
    return FaultInWords(named + why, SchemaError.exit_code, hint)


def _output_is_stuck() -> bool:
    try:
        sys.stdout.write("\n")  # what failed may be gone from the buffer
        sys.stdout.flush()
    except (OSError, ValueError):
        return True
    return False
