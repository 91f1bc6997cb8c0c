"""What every request needs: the memory, on threads that are few and stay; the jobs; and whether one may start."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import TypeVar

from graphdream.clock import utc_now
from graphdream.dream.lease import busy, is_alive, read_holder
from graphdream.errors import GraphdreamError, IntegrityError
from graphdream.interfaces.damage import measured
from graphdream.interfaces.http.jobs import Job, Jobs
from graphdream.library import Graph

T = TypeVar("T")
# What pages need and the library loads when it is first asked for it: here nobody waits for it yet.
_SLOW_TO_LOAD = (
    "graphdream.config",
    "graphdream.journal.overview",
    "graphdream.recall.search",
    "graphdream.dream.plan",
)
_READERS = 4  # each holds a connection to the file


class DisabledError(GraphdreamError):
    """Dreaming is switched off in the settings."""

    exit_code = 4


class Service:
    """One agent's memory as requests see it."""

    def __init__(self, graph: Graph, jobs: Jobs) -> None:
        self.graph, self.jobs = graph, jobs
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="write")
        self.ending = False
        """Set when the server is told to end: streams that would go on for ever end then."""
        for name in _SLOW_TO_LOAD:
            import_module(name)

    async def read(self, function: Callable[[], T]) -> T:
        """Run what only reads; several run at once."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._run, function)

    async def write(self, function: Callable[[], T]) -> T:
        """Run what may write; one after another."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._run, function)

    def _run(self, function: Callable[[], T]) -> T:
        """A row that somebody else has written need not even be readable: where the memory is found not to be as it was
        sealed, what nobody foresaw is told with that; the log has where it happened."""
        try:
            return function()
        except GraphdreamError:
            raise
        except Exception as fault:
            is_locked = isinstance(fault, sqlite3.OperationalError) and "locked" in str(fault)
            damage = None if is_locked else measured(self.graph.store)
            if damage is None:
                raise
            met = f"internal error: {type(fault).__name__}"
            logging.getLogger(__name__).warning("%s, in a memory that is not as it was sealed", met, exc_info=fault)
            raise IntegrityError(f"{damage}; met while answering: {met}", damage.faults, damage.hint) from fault

    def may_start(self, *, dreaming: bool = True) -> None:
        """Whether a pass may start now.

        Raises:
            DisabledError: dreaming is switched off, and a dream was asked for.
            BusyError: another pass runs, here or in another process.
        """
        if dreaming and not self.graph.settings().dreaming.enabled:
            raise DisabledError("dreaming is switched off: memory.dreaming.enabled", "set it to true in agent.yaml")
        holder = read_holder(self.graph.store.connection)
        if holder is not None and is_alive(holder, utc_now()):
            raise busy(holder)

    def start(self, what: str, words: Sequence[str], *, trigger: str = "http") -> Job:
        """Start a pass. Raises as `may_start`."""
        self.may_start(dreaming=what == "dream")
        return self.jobs.start(what, words, trigger=trigger)

    def close(self) -> None:
        """End the threads."""
        self.ending = True
        self._readers.shutdown(wait=True)
        self._writer.shutdown(wait=True)
