"""Processes of this machine as an executor in which each process fails alone.

A `ProcessPoolExecutor` whose worker was killed gives up on everything it was handed, and ends the workers that had
nothing to do with it. So each worker here is a pool of one: a kill costs what that one worker was doing, the others do
not notice, and the pool of one is made anew.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Any

from graphdream.fleet.lanes import Lanes, Run

# Several processes share the cores already; threads of the numeric libraries would only fight for them.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def usable_cores() -> int:
    """How many cores this process may use."""
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalPool(Lanes):
    """Runs each call in one of several processes. Where this process ends, however it does, its workers end at once.

    Args:
        jobs: processes.
        prepare: called in each new process before anything else; of a module's top level, as every call is.
        prepared_with: its arguments.

    Raises:
        UsageError: the number of processes is none.
    """

    def __init__(
        self, jobs: int, prepare: Callable[..., object] | None = None, prepared_with: tuple[Any, ...] = ()
    ) -> None:
        self._prepare, self._with = prepare, prepared_with
        self._pids: set[int] = set()
        super().__init__(jobs)

    @contextmanager
    def _lane(self) -> Iterator[Run]:
        worker = _Worker(self._opened, self._pids, self._killed)
        try:
            yield worker.run
        finally:
            worker.close()

    def _end_processes(self) -> None:
        for pid in tuple(self._pids):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    def _opened(self) -> ProcessPoolExecutor:
        # A fresh interpreter, because a copy of this process would have its threads' locks and open files in it.
        return ProcessPoolExecutor(
            1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(self._prepare, self._with)
        )


class _Worker:
    """The process of one lane; there is a new one for the call that follows its death.

    Args:
        opened: makes a pool of one.
        pids: in which it is for as long as it lives.
        killed: set before all in there are ended.
    """

    def __init__(self, opened: Callable[[], ProcessPoolExecutor], pids: set[int], killed: threading.Event) -> None:
        self._opened, self._pids, self._killed = opened, pids, killed
        self._pool: ProcessPoolExecutor | None = None
        self._pid = 0

    def run(self, call: Callable[[], Any]) -> Any:
        """Run a call in it. Raises BrokenProcessPool where it was killed meanwhile."""
        try:
            if self._pool is None:
                self._pool = self._opened()
                self._pid = self._pool.submit(os.getpid).result()
                self._pids.add(self._pid)
            if self._killed.is_set():
                raise BrokenProcessPool("the pool was ended")
            return self._pool.submit(call).result()
        except BrokenProcessPool:
            self.close()
            raise

    def close(self) -> None:
        """End it."""
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None
        self._pids.discard(self._pid)


def _begin(prepare: Callable[..., object] | None, prepared_with: tuple[Any, ...]) -> None:
    """What a worker does first."""
    os.environ.update({name: value for name, value in ONE_THREAD.items() if name not in os.environ})
    with suppress(ValueError):  # Ctrl-C reaches the whole terminal; who handed in the work decides what becomes of it
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    if prepare is not None:
        prepare(*prepared_with)


def _end_with_parent() -> None:
    """End this process as soon as the one that started it has ended: nobody is there any more to note what it did."""
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
