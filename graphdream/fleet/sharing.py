"""One turnstile for all processes of a fleet: it stands in the coordinator, and workers ask over a local connection.

Workers on other machines cannot; the executor whose workers they are brings a turnstile of its own (`Sharing`).
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import AbstractContextManager, suppress
from multiprocessing.connection import Client, Connection, Listener
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from graphdream.dreamers.client.limits import Queue, Rates, Turnstile

_ASKED = ("ask", "settle", "leave", "hold_off")


@runtime_checkable
class Sharing(Protocol):
    """An executor whose processes may be on other machines, and which knows how these share what a provider allows."""

    def shared(self, rates: Rates) -> AbstractContextManager[Queue]:
        """Where the calls of all its processes wait for their turn, as long as the `with` block lasts."""


class SharedQueue:
    """The turnstile as a worker asks it; goes to the worker with its task.

    Args:
        address: where the coordinator listens.
        key: by which both know each other.
    """

    def __init__(self, address: Any, key: bytes) -> None:
        self._address, self._key = address, key
        self._lock = threading.Lock()
        self._connection: Connection[Any, Any] | None = None

    def __getstate__(self) -> tuple[Any, bytes]:
        return self._address, self._key

    def __setstate__(self, state: tuple[Any, bytes]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def ask(self, ticket: str, agent: str, tokens: int) -> float:
        """As `Turnstile.ask`."""
        return float(self._call("ask", ticket, agent, tokens))

    def settle(self, ticket: str, tokens: int) -> None:
        """As `Turnstile.settle`."""
        self._call("settle", ticket, tokens)

    def leave(self, ticket: str) -> None:
        """As `Turnstile.leave`."""
        self._call("leave", ticket)

    def hold_off(self, seconds: float) -> None:
        """As `Turnstile.hold_off`."""
        self._call("hold_off", seconds)

    def _call(self, *words: Any) -> Any:
        with self._lock:
            if self._connection is None:
                self._connection = Client(self._address, authkey=self._key)
            self._connection.send_bytes(json.dumps(words).encode())
            return json.loads(self._connection.recv_bytes())


class QueueServer:
    """Answers for a turnstile, one thread a connection, as long as the `with` block lasts.

    Attributes:
        queue: what workers are given.
    """

    def __init__(self, turnstile: Turnstile) -> None:
        self._turnstile, key = turnstile, os.urandom(32)
        self._listener = Listener(authkey=key)
        self._closed = False
        self.queue: Queue = SharedQueue(self._listener.address, key)
        threading.Thread(target=self._accept, name="turnstile", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, where: TracebackType | None
    ) -> None:
        self._closed = True
        with suppress(OSError):
            self._listener.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection = self._listener.accept()
            except Exception:  # who hangs up or has another key is no worker; a closed listener ends this
                continue
            threading.Thread(target=self._answer, args=(connection,), name="turnstile-worker", daemon=True).start()

    def _answer(self, connection: Connection[Any, Any]) -> None:
        with connection, suppress(EOFError, OSError):  # a worker that was killed asks no more
            while True:
                what, *told = json.loads(connection.recv_bytes())
                answer = getattr(self._turnstile, what)(*told) if what in _ASKED else None
                connection.send_bytes(json.dumps(answer).encode())
