"""Lines of a file as they come: plain or gzip, UTF-8 or UTF-16 with its mark, from disk or a pipe, each bounded, each
decoded strictly."""

from __future__ import annotations

import codecs
import errno
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, cast

from graphdream.bounded import MAX_PASSED_OVER, named_file, whole_file
from graphdream.errors import ImportRefusedError, NotFoundError
from graphdream.interfaces.importers.faults import Faults
from graphdream.paths import expanded

LINE_LIMIT = 16 * 1024 * 1024  # bytes; the longest true line is one session's summary, some 100 kB
_GZIP_MAGIC = b"\x1f\x8b"  # RFC 1952, section 2.3.1
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CHUNK = 1024 * 1024
WHOLE_LIMIT = 256 * _CHUNK  # bytes of a file that has to be read as a whole
HEAD = 8_192  # bytes by which a text is told from what is none


def is_no_text(head: bytes) -> bool:
    """Whether a file is a picture, a program or the like, by its first bytes: most of their lines are no text.

    A line is none where it has a NUL or is not UTF-8; one of them in a text is a fault of that line.
    """
    if b"\0" not in head or head.startswith(_UTF16_MARKS):
        return False
    lines = head.split(b"\n")
    return 2 * sum(map(_is_no_text, lines[:-1] or lines)) > len(lines[:-1] or lines)


def _is_no_text(line: bytes) -> bool:
    try:
        return "\0" in line.decode("utf-8")
    except UnicodeDecodeError:
        return True


def no_text(name: str) -> ImportRefusedError:
    """The error for such a file."""
    return ImportRefusedError(f"{name} is no text; the database is as it was", hint="is this the right file?")


def read_whole(path: Path, *, named: bool = False) -> bytes:
    """A file that cannot be read in parts.

    Args:
        named: a person has named it, so it may be a pipe. In a folder, one may have been put there by anybody.

    Raises:
        ImportRefusedError: it is beyond `WHOLE_LIMIT`.
        OSError: it cannot be read.
    """
    try:
        return named_file(path, WHOLE_LIMIT) if named else whole_file(path, WHOLE_LIMIT)
    except OSError as fault:
        if fault.errno != errno.EFBIG:
            raise
        raise ImportRefusedError(
            f"{path} has more than {WHOLE_LIMIT // _CHUNK} MiB; the database is as it was", hint="import it in parts"
        ) from None


def decoded(raw: bytes) -> str:
    """The text of a file in UTF-8, with or without its mark, or in UTF-16 with its mark. Raises UnicodeDecodeError."""
    return raw.decode("utf-16" if raw.startswith(_UTF16_MARKS) else "utf-8-sig")


class _AsUtf8(io.RawIOBase):
    """A stream in UTF-16, with its mark, as one in UTF-8."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._decoder, self._ready = stream, codecs.getincrementaldecoder("utf-16")(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        ended = False
        while not self._ready and not ended:
            raw = self._stream.read(_CHUNK)
            ended = not raw
            try:
                self._ready = self._decoder.decode(raw, final=ended).encode("utf-8")
            except UnicodeError as fault:
                raise OSError(f"is not UTF-16: {fault}") from None
        part, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


class Lines:
    """The lines of one input.

    Attributes:
        name: of the file, without its folder; "-" for standard input.
        count: lines read so far.
    """

    def __init__(self, stream: BinaryIO, name: str, faults: Faults) -> None:
        self.name, self.count = name, 0
        self._stream, self._faults, self._seal = stream, faults, blake2b(digest_size=32)

    @property
    def digest(self) -> str:
        """Hash of the lines read so far, uncompressed: 64 hexadecimal digits."""
        return self._seal.hexdigest()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Line number, from 1, and text of each line that is not blank; a line that cannot be read becomes a fault.

        A line beyond `LINE_LIMIT` is passed over without being held in memory.
        """
        while raw := self._read(LINE_LIMIT + 1):
            self.count += 1
            if len(raw) > LINE_LIMIT and not raw.endswith(b"\n"):
                self._faults.add(self.count, f"is longer than {LINE_LIMIT // _CHUNK} MiB")
                passed = 0
                while passed < MAX_PASSED_OVER and (rest := self._read(_CHUNK)) and not rest.endswith(b"\n"):
                    passed += len(rest)
                if passed >= MAX_PASSED_OVER:
                    self._faults.add(self.count, "has no end; what comes after it is not read")
                    return
                continue
            if self.count == 1:
                raw = raw.removeprefix(_UTF8_MARK)
            try:
                text = raw.decode("utf-8").strip()
            except UnicodeDecodeError as fault:
                self._faults.add(self.count, f"is not UTF-8: byte {fault.start + 1} is 0x{raw[fault.start]:02x}")
                continue
            if text:
                yield self.count, text

    def _read(self, most: int) -> bytes:
        try:
            raw = self._stream.readline(most)
        except (EOFError, OSError, zlib.error) as fault:
            self._faults.add(self.count + 1, f"the data break off here: {fault}")
            return b""
        self._seal.update(raw)
        return raw


@contextmanager
def open_lines(source: str | os.PathLike[str], faults: Faults) -> Iterator[Lines]:
    """Open a file, or standard input for "-"; gzip is recognised by its first bytes, whatever the name.

    Raises:
        NotFoundError: there is no such file.
        ImportRefusedError: it is a folder, or may not be read.
    """
    with ExitStack() as stack:
        if os.fspath(source) == "-":
            name, stream = "-", io.BufferedReader(cast(io.RawIOBase, sys.stdin.buffer), _CHUNK)
            stack.callback(stream.detach)  # else standard input would be closed with it
        else:
            path = expanded(source)
            try:
                raw = stack.enter_context(path.open("rb", buffering=0))
            except FileNotFoundError:
                raise NotFoundError(f"there is no file {path}") from None
            except OSError as fault:
                raise ImportRefusedError(f"{path} cannot be read: {fault.strerror}") from fault
            name, stream = path.name, io.BufferedReader(raw, _CHUNK)
        head = stream.peek(HEAD)[:HEAD]
        if head[:2] == _GZIP_MAGIC:
            stream = io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=stream)), _CHUNK)
        elif head.startswith(_UTF16_MARKS):
            stream = io.BufferedReader(_AsUtf8(stream), _CHUNK)
        elif is_no_text(head):
            raise no_text(name)
        yield Lines(cast(BinaryIO, stream), name, faults)
