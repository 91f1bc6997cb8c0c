"""The file behind a memory: a connection for each thread, the settings, and the end."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import graphdream
from graphdream.clock import Clock, utc_now
from graphdream.errors import ReadOnlyError
from graphdream.graph.store import Store
from graphdream.library.taking import TakingIn

if TYPE_CHECKING:
    from graphdream.dream.vectors import Vectors

T = TypeVar("T")


class _Connected:
    """A thread's connection; only the thread holds this, so that it goes when the thread does."""

    def __init__(self, store: Store) -> None:
        self.store = store


def warned(words: str) -> None:
    """Say by a warning what keeps nobody from going on."""
    warnings.warn(words, stacklevel=2)


def _closed_once(opened: list[Store], store: Store) -> None:
    """Close a connection that is open still: a memory may be closed just when one of its threads ends."""
    with suppress(ValueError):
        opened.remove(store)
        store.close()


class Memory:
    """One agent's file, as each thread sees it."""

    def __init__(self, store: Store, *, agent: str | None = None, clock: Clock = utc_now) -> None:
        self.agent = agent
        self.clock = clock
        self._own = threading.local()
        self._path = store.path
        self._accepting = store.seal.accepting  # a decision on the whole memory, whichever thread writes
        self._witness = store.seal.witness
        self._opened: list[Store] = []
        self._billed: list[Vectors] = []
        self._taking_in = TakingIn(store.path)
        self._keep(store)

    def _keep(self, store: Store) -> Store:
        """The calling thread's own from now on, closed when the thread has ended."""
        self._opened.append(store)
        self._own.connected = _Connected(store)
        weakref.finalize(self._own.connected, _closed_once, self._opened, store).atexit = False
        return store

    @property
    def store(self) -> graphdream.Store:
        """The calling thread's own view of the file, with what commands have put beside it for the next reader."""
        store = self._connected()
        self._taking_in.before_a_call(store)
        return store

    def _connected(self) -> Store:
        """The calling thread's own connection, as it is."""
        held: _Connected | None = getattr(self._own, "connected", None)
        return held.store if held is not None else self._keep(self._another())

    def _another(self) -> Store:
        """A further view of the file, watched over as the first one is."""
        store = Store.open(self._path, create=False)
        if self._witness is not None:
            store.seal.watch(self._witness.witness, warned)
        store.seal.accepting = self._accepting
        return store

    def settings(self) -> graphdream.Settings:
        """The agent's settings: defaults, agent.yaml, environment. Raises ConfigError, naming every wrong key."""
        from graphdream.config import load_settings
        from graphdream.paths import settings_path

        return load_settings(settings_path(self.agent))

    def _foreseen(self, run: Callable[[Store], T]) -> T:
        """What a pass that changes nothing comes to: it makes its changes and takes them back, which in a file that may
        only be read is done in a copy of it. Raises as `run`."""
        try:
            return run(self.store)
        except ReadOnlyError:
            self.store.schema.confirm()
            self.store.seal.require_sound()
        with Store.copied(self._path) as copy:
            return run(copy)

    def close(self) -> None:
        """Close the file; what questions by meaning have cost goes on record before."""
        self._taking_in.end()
        for vectors in self._billed:
            vectors.bill()
        for store in list(self._opened):
            _closed_once(self._opened, store)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()
