"""What long work is doing just now: told by the work, heard by whoever wants to show it.

Nobody has to listen, and what listens never changes what is done: the work tells, and goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Progress(NamedTuple):
    """A moment of long work: what is being done, and how much of how much; `total` 0 where nobody knows."""

    what: str
    done: int = 0
    total: int = 0


Listener = Callable[[Progress], None]
_listener: ContextVar[Listener | None] = ContextVar("graphdream_progress", default=None)


def tell(what: str, done: int = 0, total: int = 0) -> None:
    """Say what is being done, in words that follow "graphdream is"."""
    listener = _listener.get()
    if listener is not None:
        listener(Progress(what, done, total))


@contextmanager
def told_to(listener: Listener) -> Iterator[None]:
    """Hear what the work of a `with` block does, on this thread."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def part_of(what: str, done: int, total: int) -> Iterator[None]:
    """The work of a `with` block is a part of other work: what it tells is told as a step of that."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    heard = listener
    heard(Progress(what, done, total))
    with told_to(lambda inner: heard(Progress(f"{what}: {inner.what}", done, total))):
        yield
