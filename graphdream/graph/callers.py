"""The connection of the thread that calls, for an object that a program keeps and uses from several threads."""

from __future__ import annotations

from collections.abc import Callable

from graphdream.graph.store import Store


class CallersStore:
    """What such an object stands on: `self._store` is, at each call, the connection of the thread that makes it."""

    def __init__(self, store: Store | Callable[[], Store]) -> None:
        """Args:
        store: the one connection that there is, or what gives the calling thread its own.
        """
        self._store_of = store

    @property
    def _store(self) -> Store:
        return self._store_of if isinstance(self._store_of, Store) else self._store_of()
