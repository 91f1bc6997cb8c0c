"""Text from files and pipes that may never end: no more of it is read than anybody could have meant."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import contextmanager

from graphdream.errors import UsageError

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, BinaryIO

MAX_TEXT = 16 * 1024 * 1024  # characters of one text, and bytes of one line: nothing that anybody said is longer
_CHUNK = 1024 * 1024  # bytes read in one go
MAX_PASSED_OVER = 64 * MAX_TEXT  # of a line that is too long anyway; then it is taken to have no end
MAX_LINES_BYTES = 256 * MAX_TEXT  # of all lines of an input that is not bound by what is in it


def stdin_text() -> str:
    """All of standard input. Raises UsageError where it has over `MAX_TEXT` characters."""
    text = sys.stdin.read(MAX_TEXT + 1)
    if len(text) > MAX_TEXT:
        raise UsageError(f"standard input has more than {MAX_TEXT:,} characters", "give the part that matters")
    return text


@contextmanager
def regular_file(path: str | os.PathLike[str], *, links: bool = True) -> Iterator[BinaryIO]:
    """A file that lies in some folder, opened to be read. A pipe or a device that somebody has put or linked there is
    not waited for: who reads a folder has not asked for it.

    Args:
        links: follow a link at the end of the path.

    Raises:
        OSError: it is a pipe, a device, a folder or a link that is not followed, or cannot be read.
    """
    if not links and os.path.islink(path):
        raise OSError(errno.ELOOP, "it is a link", os.fspath(path))
    # A pipe would be waited for when it is opened; these flags are not known to Windows, where no folder holds one.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags | (0 if links else getattr(os, "O_NOFOLLOW", 0)))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file, but a folder, a pipe or a device", os.fspath(path))
        with open(descriptor, "rb", closefd=False) as stream:
            yield stream
    finally:
        os.close(descriptor)


def whole_file(path: str | os.PathLike[str], most: int = MAX_TEXT, *, links: bool = True) -> bytes:
    """All of a `regular_file`. Raises OSError as that, and where it has more than `most` bytes."""
    with regular_file(path, links=links) as stream:
        return _within(stream, most, path)


def whole_text(
    path: str | os.PathLike[str], most: int = MAX_TEXT, *, encoding: str = "utf-8", errors: str = "strict"
) -> str:
    """All of a `regular_file` as text, with lines that end as in any text here. Raises OSError as `whole_file`, and
    UnicodeDecodeError."""
    text = whole_file(path, most).decode(encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def named_file(path: str | os.PathLike[str], most: int = MAX_TEXT) -> bytes:
    """All of a file that a person has named, which may be a pipe; then it is waited for.

    Raises:
        OSError: it has more than `most` bytes, or cannot be read.
    """
    with open(path, "rb") as stream:
        return _within(stream, most, path)


def _within(stream: BinaryIO, most: int, path: str | os.PathLike[str]) -> bytes:
    parts, left = list[bytes](), most
    while part := stream.read(min(left + 1, _CHUNK)):  # room for all that may come would be taken at once
        parts.append(part)
        left -= len(part)
        if left < 0:
            raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", os.fspath(path))
    return b"".join(parts)


def lines(file: BinaryIO, most: int = MAX_TEXT) -> Iterator[bytes | None]:
    """Lines of a file; None for one of more than `most` bytes, which is never in memory as a whole. What comes after a
    line without an end, or after `MAX_LINES_BYTES`, is not read: the last one is None then."""
    read = 0
    while line := file.readline(most + 1):
        read += len(line)
        if read > MAX_LINES_BYTES:
            yield None
            return
        if len(line) <= most or line.endswith(b"\n"):
            yield line
            continue
        passed = 0
        while not line.endswith(b"\n") and passed < MAX_PASSED_OVER and (line := file.readline(most)):
            passed += len(line)
        yield None
        if passed >= MAX_PASSED_OVER:
            return


def text_lines(file: IO[str], most: int = MAX_TEXT) -> Iterator[str]:
    """Lines of a text stream.

    Raises:
        ValueError: one has more than `most` characters; the message names it.
    """
    number = 0
    while line := file.readline(most + 1):
        number += 1
        if len(line) > most and not line.endswith("\n"):
            raise ValueError(f"line {number} has more than {most:,} characters")
        yield line
