"""A provider's limits of requests and tokens a minute, kept by all who ask it together, and shared fairly.

Whoever wants to ask takes a place in the queue under its agent's name, and asks for its turn until it is let through.
The turn goes round the agents, so that one with many calls keeps none waiting that has a single one. Nothing here waits
or starts a thread: who is not let through is told when to ask again, so the same object serves the threads of one
process and, behind a server, many processes; one that was killed while it waited is forgotten after a while.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from graphdream.errors import UsageError

WINDOW_SECONDS = 60.0
_ASKED_AGAIN_SECONDS = 0.5  # at the latest, by who waits behind another
_GONE_SECONDS = 10.0  # who waits and has not asked for so long was killed


@dataclass(frozen=True, slots=True)
class Rates:
    """What a provider allows.

    Attributes:
        requests: a minute; None: any number.
        tokens: a minute, in and out; None: any number.

    Raises:
        UsageError: a figure is none.
    """

    requests: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name, figure in (("requests", self.requests), ("tokens", self.tokens)):
            if figure is not None and figure < 1:
                raise UsageError(f"a limit of {figure} {name} a minute lets nothing through", "1 is the least")

    def __bool__(self) -> bool:
        return self.requests is not None or self.tokens is not None


class _Waiting(NamedTuple):
    agent: str
    tokens: int
    came: int
    seen: float


class Queue(Protocol):
    """Where a turn is asked for: a `Turnstile`, or what stands for one in another process."""

    def ask(self, ticket: str, agent: str, tokens: int) -> float:
        """As `Turnstile.ask`."""

    def settle(self, ticket: str, tokens: int) -> None:
        """As `Turnstile.settle`."""

    def leave(self, ticket: str) -> None:
        """As `Turnstile.leave`."""

    def hold_off(self, seconds: float) -> None:
        """As `Turnstile.hold_off`."""


class Turnstile:
    """Lets calls through so that in no 60 seconds there are more requests or tokens than the rates allow.

    A call that is larger than the rate of tokens itself is let through when nothing else was in the last minute: it
    could never be otherwise. Safe to share between threads.

    Args:
        rates: of all callers together.
        clock: seconds that only grow.
    """

    def __init__(self, rates: Rates, clock: Callable[[], float] = time.monotonic) -> None:
        self._rates, self._clock = rates, clock
        self._lock = threading.Lock()
        self._waiting: dict[str, _Waiting] = {}
        self._passed: deque[tuple[float, str]] = deque()  # when, and whose ticket
        self._tokens: dict[str, int] = {}  # of the tickets that passed within the window
        self._turns: dict[str, int] = {}  # agent -> number of the call with which it had its last turn
        self._number = 0
        self._closed_until = 0.0

    def ask(self, ticket: str, agent: str, tokens: int) -> float:
        """Ask for a turn, and take a place in the queue until there is one.

        Args:
            ticket: tells this call from every other.
            agent: in whose name it is.
            tokens: that it may take at most, in and out.

        Returns:
            0.0 where the call is let through, and counts; else after how many seconds to ask again.
        """
        with self._lock:
            now = self._clock()
            self._forget(now)
            self._number += 1
            known = self._waiting.get(ticket)
            self._waiting[ticket] = _Waiting(agent, tokens, known.came if known else self._number, now)
            if min(self._waiting, key=self._place) != ticket:
                return _ASKED_AGAIN_SECONDS / 2
            wait = self._wait(now, tokens)
            if wait > 0:
                return min(wait, _ASKED_AGAIN_SECONDS)
            del self._waiting[ticket]
            self._passed.append((now, ticket))
            self._tokens[ticket] = tokens
            self._turns[agent] = self._number
            return 0.0

    def settle(self, ticket: str, tokens: int) -> None:
        """Say what a call that was let through has really taken."""
        with self._lock:
            if ticket in self._tokens:
                self._tokens[ticket] = tokens

    def leave(self, ticket: str) -> None:
        """Give up a place in the queue."""
        with self._lock:
            self._waiting.pop(ticket, None)

    def hold_off(self, seconds: float) -> None:
        """Let nobody through for so long: the provider has asked for that."""
        with self._lock:
            self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _place(self, ticket: str) -> tuple[int, int]:
        """Who comes first: whose agent had its turn the longest time ago, then who came first."""
        waiting = self._waiting[ticket]
        return self._turns.get(waiting.agent, 0), waiting.came

    def _wait(self, now: float, tokens: int) -> float:
        """Seconds until a call of so many tokens fits, as things stand; 0.0: now."""
        free_at = self._closed_until
        requests, taken = len(self._passed), sum(self._tokens.values())
        for when, ticket in self._passed:
            too_many = self._rates.requests is not None and requests >= self._rates.requests
            too_much = self._rates.tokens is not None and taken and taken + tokens > self._rates.tokens
            if not (too_many or too_much):
                break
            requests -= 1
            taken -= self._tokens[ticket]
            free_at = max(free_at, when + WINDOW_SECONDS)
        return max(free_at - now, 0.0)

    def _forget(self, now: float) -> None:
        while self._passed and self._passed[0][0] + WINDOW_SECONDS <= now:
            del self._tokens[self._passed.popleft()[1]]
        for ticket, waiting in list(self._waiting.items()):
            if waiting.seen + _GONE_SECONDS < now:
                del self._waiting[ticket]


class Gate:
    """A turnstile as one agent goes through it.

    Args:
        queue: shared with all others that ask the provider.
        agent: in whose name.
        sleep: waits so many seconds.
    """

    def __init__(self, queue: Queue, agent: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._queue, self._agent, self._sleep = queue, agent, sleep

    @contextmanager
    def passing(self, tokens: int) -> Iterator[Callable[[int], None]]:
        """Wait for a turn, and hold the `with` block's call in it. What is given is to be told what the call took."""
        ticket = f"{self._agent}/{os.urandom(8).hex()}"
        try:
            while wait := self._queue.ask(ticket, self._agent, tokens):
                self._sleep(wait)
        except BaseException:
            self._queue.leave(ticket)
            raise
        yield lambda taken: self._queue.settle(ticket, taken)

    def hold_off(self, seconds: float) -> None:
        """Keep everybody from asking for so long."""
        self._queue.hold_off(seconds)


# ---------------------------------------------------------------------- the gate of this process

_gate: Gate | None = None
_own: dict[Rates, Turnstile] = {}


def share_gate(gate: Gate | None) -> None:
    """Have every client that is opened in this process from now on go through a gate that others go through as well."""
    global _gate
    _gate = gate


def gate_of(rates: Rates) -> Gate | None:
    """The gate of a client: the one that is shared, else one for all clients of this process with the same rates; None
    where nothing is limited."""
    if _gate is not None:
        return _gate
    if not rates:
        return None
    return Gate(_own.setdefault(rates, Turnstile(rates)), f"process {os.getpid()}")
