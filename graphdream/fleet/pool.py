"""Processes of this machine as an executor in which each process fails alone.

A `ProcessPoolExecutor` whose worker was killed gives up on everything it was handed, and ends the workers that had
nothing to do with it. So each worker here is a pool of one: a kill costs what that one worker was doing, the others do
not notice, and the pool of one is made anew.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any, NamedTuple, ParamSpec, TypeVar

from graphdream.errors import UsageError

P = ParamSpec("P")
T = TypeVar("T")

# Several processes share the cores already; threads of the numeric libraries would only fight for them.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
MOST_JOBS = 1024


class _Order(NamedTuple):
    future: Future[Any]
    call: Callable[[], Any]


def usable_cores() -> int:
    """How many cores this process may use."""
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_jobs(jobs: int) -> None:
    """Raises UsageError where a number of processes is none."""
    if not 1 <= jobs <= MOST_JOBS:
        raise UsageError(f"--jobs is a number of processes from 1 to {MOST_JOBS:,}, not {jobs}")


class LocalPool(Executor):
    """Runs each call in one of several processes.

    A call whose process was killed ends with `BrokenProcessPool`; all others go on. Calls are begun in the order in
    which they were handed in. Where this process ends, however it does, its workers end at once.

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
        check_jobs(jobs)
        self._prepare, self._with = prepare, prepared_with
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._pids: set[int] = set()
        self._lanes = [threading.Thread(target=self._serve, name=f"fleet-{n}", daemon=True) for n in range(jobs)]
        for lane in self._lanes:
            lane.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Hand in a call; it must be one that can be pickled. Raises RuntimeError after `shutdown`."""
        if self._closed.is_set():
            raise RuntimeError("the pool is shut down")
        future: Future[T] = Future()
        self._orders.put(_Order(future, _Call(fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no further calls; with `cancel_futures` those that are not begun are cancelled."""
        self._closed.set()
        if cancel_futures:
            with suppress(queue.Empty):
                while order := self._orders.get_nowait():
                    order.future.cancel()
        for _ in self._lanes:
            self._orders.put(None)
        if wait:
            for lane in self._lanes:
                lane.join()

    def kill(self) -> None:
        """End every process now, whatever it does. A pass is seen whole or not at all, so nothing is left by halves."""
        self.shutdown(wait=False, cancel_futures=True)
        for pid in tuple(self._pids):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        for lane in self._lanes:
            lane.join()

    def _serve(self) -> None:
        """One lane: takes calls one after another, and has them run in its own process."""
        pool: ProcessPoolExecutor | None = None
        pid = 0
        while (order := self._orders.get()) is not None:
            if not order.future.set_running_or_notify_cancel():
                continue
            try:
                if pool is None:
                    pool = self._opened()
                    pid = pool.submit(os.getpid).result()
                    self._pids.add(pid)
                result = pool.submit(order.call).result()
            except BrokenProcessPool as fault:
                if pool is not None:
                    pool.shutdown(wait=True)
                self._pids.discard(pid)
                pool = None
                order.future.set_exception(fault)
            except BaseException as fault:
                order.future.set_exception(fault)
            else:
                order.future.set_result(result)
        if pool is not None:
            pool.shutdown(wait=True)
            self._pids.discard(pid)

    def _opened(self) -> ProcessPoolExecutor:
        # A fresh interpreter, because a copy of this process would have its threads' locks and open files in it.
        return ProcessPoolExecutor(
            1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(self._prepare, self._with)
        )


class _Call:
    """A call with its arguments, as it goes to a process."""

    __slots__ = ("_args", "_fn", "_kwargs")

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._fn, self._args, self._kwargs = fn, args, kwargs

    def __call__(self) -> Any:
        return self._fn(*self._args, **self._kwargs)


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
