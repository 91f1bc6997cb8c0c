"""The connections of one memory, one for each thread that uses it, each closed when its thread has ended."""

from __future__ import annotations

import threading
import weakref
from contextlib import suppress

from graphdream.graph.store import Store


class _Held:
    """A thread's connection. Nothing but the thread holds this, so that it goes when the thread does."""

    def __init__(self, store: Store) -> None:
        self.store = store


class Connections:
    """Those that are open."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._open: list[Store] = []

    def own(self) -> Store | None:
        """The calling thread's, None where it has none yet."""
        held: _Held | None = getattr(self._own, "held", None)
        return held.store if held is not None else None

    def keep(self, store: Store) -> Store:
        """Have the calling thread use a connection from now on. Returns it."""
        self._open.append(store)
        self._own.held = _Held(store)
        weakref.finalize(self._own.held, _end, weakref.ref(self), store).atexit = False
        return store

    def close(self) -> None:
        """Close all of them."""
        for store in list(self._open):
            self.close_once(store)

    def close_once(self, store: Store) -> None:
        """Close a connection that is open still: a memory may be closed just when one of its threads ends."""
        with suppress(ValueError):
            self._open.remove(store)
            store.close()


def _end(connections: weakref.ref[Connections], store: Store) -> None:
    """Close the connection of a thread that has ended. Where the memory itself is gone, nobody but who holds the
    connection knows of it: `graphdream.open(path).store`."""
    known = connections()
    if known is not None:
        known.close_once(store)
