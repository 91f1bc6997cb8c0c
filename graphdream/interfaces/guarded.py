"""Standard output and error, behind which nothing gets that would steer a terminal, whoever wrote it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from graphdream.shown import shown

TYPE_CHECKING = False  # as a type checker reads it; every command loads this, and to load `typing` takes it long
if TYPE_CHECKING:
    from typing import Any, TextIO

_EMPHASIS = r"(\x1b\[(?:0|1|22)m)"  # bold and plain again, as graphdream/interfaces/terminal.py has them


def harmless(text: str) -> str:
    """Text for a terminal as `shown`, with the emphasis that our own headings have."""
    if "\x1b" not in text:
        return shown(text)
    return "".join(part if re.fullmatch(_EMPHASIS, part) else shown(part) for part in re.split(_EMPHASIS, text))


class _Guarded:
    """A text stream that writes what it is given as `shown`; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write, and return how many characters of the text that was given are written, as any stream does."""
        watched = self.stream.isatty()
        self.stream.write(harmless(text) if watched else shown(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.stream)


@contextmanager
def guarded_output() -> Iterator[None]:
    """Whatever is printed within the block is shown so that it steers nothing. Writers that lay text out escape it
    themselves (`graphdream.shown`), because an escaped text is wider; this is for all that nobody thought of."""
    before = sys.stdout, sys.stderr
    ours: tuple[Any, Any] = _Guarded(sys.stdout), _Guarded(sys.stderr)
    sys.stdout, sys.stderr = ours
    try:
        yield
    finally:
        if (sys.stdout, sys.stderr) == ours:
            sys.stdout, sys.stderr = before


def unguarded(stream: TextIO) -> TextIO:
    """The stream behind the guard, for whoever steers the terminal on purpose: a progress bar."""
    return stream.stream if isinstance(stream, _Guarded) else stream
