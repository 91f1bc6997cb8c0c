"""The file behind a memory: a connection for each thread, the settings, and the end."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import graphdream
from graphdream.checked import checks_arguments
from graphdream.clock import Clock, utc_now
from graphdream.errors import ReadOnlyError, UsageError
from graphdream.graph.store import Store
from graphdream.library.connections import Connections
from graphdream.library.taking import TakingIn

if TYPE_CHECKING:
    from graphdream.dream.vectors import Vectors

T = TypeVar("T")


def warned(words: str) -> None:
    """Say by a warning what keeps nobody from going on."""
    warnings.warn(words, stacklevel=2)


class Memory:
    """One agent's file, as each thread sees it. What its methods are given is held against what they declare."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        checks_arguments(cls)

    def __init__(self, store: Store, *, agent: str | None = None, clock: Clock = utc_now) -> None:
        self.agent = agent
        self.clock = clock
        self._own = threading.local()
        self._path = store.path
        self._accepting = store.seal.accepting  # a decision on the whole memory, whichever thread writes
        self._witness = store.seal.witness
        self._connections = Connections()
        self._billed: list[Vectors] = []
        self._closed = False
        self._taking_in = TakingIn(store.path)
        self._connections.keep(store)

    @property
    def store(self) -> graphdream.Store:
        """The calling thread's own view of the file, with what commands have put beside it for the next reader. Raises
        UsageError once the memory is closed."""
        store = self._connected()
        self._taking_in.before_a_call(store)
        return store

    def _connected(self) -> Store:
        """The calling thread's own connection, as it is. Raises UsageError once the memory is closed."""
        if self._closed:
            raise UsageError("the memory is closed", "open it again: graphdream.open")
        return self._connections.own() or self._connections.keep(self._another())

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
        """Close the file; what questions by meaning have cost goes on record before. Once is enough."""
        if self._closed:
            return
        self._taking_in.end()
        for vectors in self._billed:
            vectors.bill()
        self._closed = True
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()
