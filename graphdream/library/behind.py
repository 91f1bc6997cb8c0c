"""The process that takes in what waits beside a memory, for a program that only reads it.

To take in is work, and an interpreter lets one thread run at a time: a reader would wait for it, the longer the busier
the machine is. It starts anew each time, and ends when it is done.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from graphdream.dream.later import take_in_waiting
from graphdream.errors import GraphdreamError
from graphdream.events.spool import spool_path
from graphdream.graph.store import Store

_LOCK = "taking.lock"
_MOST_SECONDS = 600.0


def take_in_apart(database: Path) -> None:
    """Have a process take in what waits, where none does already, and wait for its end. Where none can be started, what
    waits is taken in here."""
    with _alone(database) as alone:
        if alone and not _ran(database):
            _take_in(database)


def _ran(database: Path) -> bool:
    # Within another program `sys.executable` may be that program, which nobody wants to start.
    if not Path(sys.executable or "").name.startswith("python") or getattr(sys, "frozen", False):
        return False
    words = [sys.executable, "-P", "-m", "graphdream.library.behind", str(database.absolute())]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_MOST_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _take_in(database: Path) -> None:
    # Where it cannot be done now, it waits until the next look.
    with suppress(GraphdreamError, OSError), Store.open(database, create=False) as store:
        take_in_waiting(store)


@contextmanager
def _alone(database: Path) -> Iterator[bool]:
    """Whether no other program has a process take in just now; meanwhile none does."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # where there are no such locks, each of them does
        yield True
        return
    try:
        descriptor = os.open(spool_path(database) / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield False
        return
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def main(words: Sequence[str]) -> int:
    """Take in what waits beside the file that is named."""
    _take_in(Path(words[0]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
