"""The library for programs that run on an event loop: the same methods, each to be awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from graphdream.clock import Clock, utc_now
from graphdream.errors import UsageError
from graphdream.library import Graph, open
from graphdream.library.awaited.cycle import Cycle
from graphdream.library.awaited.experience import Experience
from graphdream.library.awaited.journal import Journal
from graphdream.library.awaited.knowledge import Knowledge

P = ParamSpec("P")
T = TypeVar("T")


class _NotOpenError(UsageError, RuntimeError):
    """The memory was not opened yet, or is closed. A RuntimeError as well, for programs that catch that."""


class AsyncGraph(Experience, Cycle, Journal, Knowledge):
    """One agent's memory on a thread of its own, so that a pass of minutes keeps no loop waiting.

        async with graphdream.AsyncGraph("agent.db") as graph:
            report = await graph.dream()

    Every method of `Graph` is here, with the same arguments, and is awaited. Calls run one after another, in the order
    made, as those on a `Graph` do; use several objects to read while one of them dreams. A call that was begun ends,
    whatever becomes of the task that waits for it: what it writes is written whole or not at all.
    """

    def __init__(
        self, path: str | Path | None = None, *, agent: str | None = None, clock: Clock = utc_now,
        accept_damage: bool = False,
    ) -> None:  # fmt: skip
        self._open = partial(open, path, agent=agent, clock=clock, accept_damage=accept_damage)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="graphdream")
        self._graph: Graph | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        if self._closed:
            raise UsageError("the memory is closed", "make another: graphdream.AsyncGraph(...)")
        if self._graph is not None:
            raise UsageError("the memory is open already", "use it within the block that opened it")
        try:
            self._graph = await self._run(self._open)
        except BaseException:
            self._closed = True
            self._thread.shutdown(wait=False)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the file when the calls made so far are done."""
        graph, self._graph, self._closed = self._graph, None, True
        if graph is not None:
            await self._run(graph.close)
        self._thread.shutdown(wait=False)

    async def call(self, function: Callable[[Graph], T]) -> T:
        """Run a function with the `Graph` on its thread, for what takes several calls."""
        return await self._run(function, self._opened())

    def _opened(self) -> Graph:
        if self._graph is None:
            raise _NotOpenError("the memory is not open; write: async with graphdream.AsyncGraph(...) as graph")
        return self._graph

    async def _run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(function, *args, **kwargs))
