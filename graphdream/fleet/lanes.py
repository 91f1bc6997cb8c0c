"""What an executor of processes is made of: lanes, each of which has one call after another run by a process."""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

from graphdream.errors import UsageError

P = ParamSpec("P")
T = TypeVar("T")
Run: TypeAlias = Callable[[Callable[[], Any]], Any]

MOST_JOBS = 1024


class _Order(NamedTuple):
    future: Future[Any]
    call: Callable[[], Any]


def check_jobs(jobs: int) -> None:
    """Raises UsageError where a number of processes is none."""
    if not 1 <= jobs <= MOST_JOBS:
        raise UsageError(f"--jobs is a number of processes from 1 to {MOST_JOBS:,}, not {jobs}")


class Lanes(Executor, ABC):
    """Runs as many calls at a time as there are lanes, and begins them in the order in which they were handed in.

    A call whose process was killed ends with a `BrokenExecutor`; all others go on. Left by an exception, the `with`
    block ends every process at once.

    Args:
        jobs: lanes.

    Attributes:
        jobs: lanes.

    Raises:
        UsageError: their number is none.
    """

    def __init__(self, jobs: int) -> None:
        check_jobs(jobs)
        self.jobs = jobs
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._killed = threading.Event()
        self._lanes = [threading.Thread(target=self._serve, name=f"fleet-{n}", daemon=True) for n in range(jobs)]
        for lane in self._lanes:
            lane.start()

    @abstractmethod
    def _lane(self) -> AbstractContextManager[Run]:
        """What has the calls of one lane run; it raises BrokenExecutor where the process was killed meanwhile."""

    @abstractmethod
    def _end_processes(self) -> None:
        """End every process that runs a call now. One that is begun later sees that `_killed` is set."""

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
        self._killed.set()
        self.shutdown(wait=False, cancel_futures=True)
        self._end_processes()
        self.shutdown()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, where: TracebackType | None
    ) -> None:
        self.shutdown() if kind is None else self.kill()

    def _serve(self) -> None:
        """One lane: takes calls one after another."""
        with self._lane() as run:
            while (order := self._orders.get()) is not None:
                if not order.future.set_running_or_notify_cancel():
                    continue
                try:
                    result = run(order.call)
                except BaseException as fault:
                    order.future.set_exception(fault)
                else:
                    order.future.set_result(result)


class _Call:
    """A call with its arguments, as it goes to a process."""

    __slots__ = ("_args", "_fn", "_kwargs")

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._fn, self._args, self._kwargs = fn, args, kwargs

    def __call__(self) -> Any:
        return self._fn(*self._args, **self._kwargs)
