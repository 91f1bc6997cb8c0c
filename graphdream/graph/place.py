"""Which file a path stood for when it was opened, and whether it still does, alone."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from graphdream.errors import SchemaError, UnwritableError

_LINKED = "copy the file to where it is to be, and remove its other names: find FOLDER -samefile FILE lists them"


def make_private(path: Path) -> Path:
    """Make an empty file that only its owner can read or write, and what SQLite lays beside it likewise; one that is
    there stays as it is. Returns the path. Raises OSError where it cannot be made."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def refusal_of_no_file(path: Path) -> SchemaError | None:
    """The error for a path, or what SQLite keeps beside it, that is no file or may not be read; of each of these SQLite
    says no more than that it cannot be opened, or that the disk has a fault. None where that is not what is wrong."""
    cannot = f"{path} cannot be opened as a graphdream database"
    if what := _instead_of_a_file(path):
        return SchemaError(f"{cannot}: it is {what}", "a memory is a file; name one, for example --db memory.db")
    for end in ("-wal", "-shm", "-journal"):
        beside = path.with_name(path.name + end)
        if what := _instead_of_a_file(beside):
            return SchemaError(f"{cannot}: {beside.name} beside it is {what}", "SQLite keeps a file there")
    if path.exists() and not os.access(path, os.R_OK):
        return SchemaError(f"{cannot}: you may not read it", "see whose it is: ls -l")
    return None


def missing_bytes(path: Path) -> int:
    """How long a database says that it is where its file is shorter; 0 where it is not, or nothing says so.

    Source: SQLite file format, 1.3: the size of a page at byte 16, 1 for 65,536; the number of pages at byte 28.
    """
    try:
        with path.open("rb") as file:
            head, length = file.read(32), os.fstat(file.fileno()).st_size
    except OSError:
        return 0
    if len(head) < 32 or not head.startswith(b"SQLite format 3\0"):
        return 0
    page = int.from_bytes(head[16:18], "big")
    whole = (65_536 if page == 1 else page) * int.from_bytes(head[28:32], "big")
    return whole if whole > length else 0


def _instead_of_a_file(path: Path) -> str:
    """What is at a path that is no file; "" where it is one, and where nothing is."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return ""
    if stat.S_ISREG(mode):
        return ""
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


class Place(NamedTuple):
    """A file by its device and number on it; (0, 0) is none."""

    device: int
    number: int

    @classmethod
    def of(cls, path: Path) -> Place:
        """The file that a path stands for now."""
        try:
            found = os.stat(path)
        except OSError:
            return cls(0, 0)
        return cls(found.st_dev, found.st_ino)

    def confirm(self, path: Path) -> None:
        """See to it that what is written gets to where a reader of the path looks for it.

        A write-ahead log lies beside the name of its file. Of a file with two names, what is written by one of them is
        not seen by the other, and is lost when the other is written. What is written to a file that was removed, or
        whose name another one bears by now, nobody reads.

        Raises:
            UnwritableError: it would not.
        """
        try:
            found = os.stat(path)
        except OSError:
            raise UnwritableError(
                f"{path} was moved or removed while it was open: nothing can be written to it", "open it again"
            ) from None
        if not stat.S_ISREG(found.st_mode) and (no_file := refusal_of_no_file(path)) is not None:
            raise UnwritableError(str(no_file), no_file.hint)
        if (found.st_dev, found.st_ino) != self:
            raise UnwritableError(
                f"another file took the place of {path} while it was open: nothing is written to it", "open it again"
            )
        if found.st_nlink > 1:
            raise UnwritableError(
                f"{path} has {found.st_nlink} names (hard links): what is written by one would be lost by the other,"
                " so it is only read",
                _LINKED,
            )
