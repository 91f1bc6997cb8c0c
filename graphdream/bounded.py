"""Text from files and pipes that may never end: no more of it is read than anybody could have meant."""

from __future__ import annotations

import sys

from graphdream.errors import UsageError

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, BinaryIO

MAX_TEXT = 16 * 1024 * 1024  # characters of one text, and bytes of one line: nothing that anybody said is longer
MAX_PASSED_OVER = 64 * MAX_TEXT  # of a line that is too long anyway; then it is taken to have no end
MAX_LINES_BYTES = 256 * MAX_TEXT  # of all lines of an input that is not bound by what is in it


def stdin_text() -> str:
    """All of standard input. Raises UsageError where it has over `MAX_TEXT` characters."""
    text = sys.stdin.read(MAX_TEXT + 1)
    if len(text) > MAX_TEXT:
        raise UsageError(f"standard input has more than {MAX_TEXT:,} characters", "give the part that matters")
    return text


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
