"""Processes of a Ray cluster as an executor: of a cluster of this machine alone, or of the one that is named.

Ray says where a call runs; how many run at a time, in which order, and what becomes of one whose process died is said
here, as it is for the processes of this machine. What Ray would do again by itself is switched off: who hands a call in
decides that.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphdream.dreamers.client.limits import Queue, Rates, Turnstile
from graphdream.errors import GraphdreamError, UsageError
from graphdream.fleet.lanes import MOST_JOBS, Lanes, Run, check_jobs
from graphdream.fleet.pool import usable_cores

if TYPE_CHECKING:
    from types import ModuleType

ADDRESS = "RAY_ADDRESS"
_LOCAL = "local"  # as Ray names a cluster that is to be started here
_INSTALL = "pip install 'graphdream[cluster]'"
_OBJECT_STORE_BYTES = 80 * 1024**2  # the least that Ray takes, nearly; what goes to and fro here are a few kilobytes
_ANSWERED_SECONDS = 10.0  # in which the head of a cluster takes a connection
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
# Of a cluster that is started here: it listens on the loopback interface alone, which Ray does where it takes it that
# there are no clusters, and whoever speaks with it needs a secret, which else Ray would write into the user's home.
_CLOSED = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
_SECRET = "RAY_AUTH_TOKEN"


class WorkerLostError(BrokenExecutor):
    """The process or the machine that ran a call is gone."""


class TurnstileLostError(GraphdreamError):
    """What lets calls of a model through is gone with the machine that it was on, so none is made."""

    exit_code = 5


class RayExecutor(Lanes):
    """Runs each call in a process of a Ray cluster; at most as many at a time as `jobs`, each on a CPU of its own.

    The cluster is that of `RAY_ADDRESS`, or one that this process is connected to already; where there is neither, one
    is started on this machine with the first call, and ended with the executor. A call whose process was killed, or
    whose machine failed, ends with `WorkerLostError`. Where this process ends, Ray ends what it was running for it.

    Args:
        jobs: calls at a time; None: as many as the cluster has CPUs, or this machine where it is started here.

    Raises:
        UsageError: Ray is not installed, the number is none, or there is no cluster at the address.
    """

    def __init__(self, jobs: int | None = None) -> None:
        if jobs is not None:
            check_jobs(jobs)
        self._address = os.environ.get(ADDRESS) or _LOCAL
        self._ray = _imported(self._address)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._perform: Any = None
        self._ours = False
        self._refs: set[Any] = set()
        self._lock = threading.Lock()
        if jobs is None and (self._address != _LOCAL or self._ray.is_initialized()):
            self._connect(MOST_JOBS)
            jobs = min(max(int(self._ray.cluster_resources().get("CPU", 1)), 1), MOST_JOBS)
        super().__init__(jobs or usable_cores())

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Hand in a call, as `Lanes.submit`. Raises UsageError where the cluster cannot be reached or started."""
        self._connect(self.jobs)
        return super().submit(fn, *args, **kwargs)

    @contextmanager
    def shared(self, rates: Rates) -> Iterator[Queue]:
        """A turnstile that workers of every machine ask, as long as the `with` block lasts: an actor of the cluster.

        Should its machine fail, what was let through in the last minute would be forgotten, so it is not begun anew:
        who asks from then on meets `TurnstileLostError`.
        """
        self._connect(self.jobs)
        actor = self._ray.remote(num_cpus=0, max_restarts=0)(Turnstile).remote(rates)
        try:
            yield _ActorQueue(actor)
        finally:
            self._ray.kill(actor)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no further calls. Where the executor has started or reached the cluster, and waits, it leaves that."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        if wait and self._ours:
            self._ours = False
            self._ray.shutdown()
            if self._folder is not None:
                self._folder.cleanup()

    @contextmanager
    def _lane(self) -> Iterator[Run]:
        yield self._run

    def _run(self, call: Callable[[], Any]) -> Any:
        """Have the cluster run a call, and wait for what comes of it."""
        gone = self._ray.exceptions
        ref = self._perform.remote(call)
        with self._lock:
            self._refs.add(ref)
        try:
            if self._killed.is_set():
                self._ray.cancel(ref, force=True)
            return self._ray.get(ref)
        except gone.RayTaskError as fault:
            raise fault.cause if isinstance(fault.cause, Exception) else fault from None
        except (
            gone.WorkerCrashedError, gone.NodeDiedError, gone.LocalRayletDiedError, gone.OutOfMemoryError,
            gone.ObjectLostError, gone.TaskCancelledError,
        ) as fault:  # fmt: skip
            raise WorkerLostError(" ".join(str(fault).split())) from None
        finally:
            with self._lock:
                self._refs.discard(ref)

    def _end_processes(self) -> None:
        with self._lock:
            running = tuple(self._refs)
        for ref in running:
            self._ray.cancel(ref, force=True)

    def _connect(self, cpus: int) -> None:
        """Reach the cluster, or start one of this machine; done once."""
        if self._perform is not None:
            return
        if not self._ray.is_initialized():
            with _termination_as_it_was():
                try:
                    self._start(cpus) if self._address == _LOCAL else self._reach()
                except Exception as fault:
                    raise _unreachable(self._address, fault) from fault
            self._ours = True
        self._perform = self._ray.remote(num_cpus=1, max_retries=0)(_perform)

    def _start(self, cpus: int) -> None:
        # A folder of our own, so that no other program takes this for a cluster that it may use; its path is short,
        # because it is part of those of sockets.
        place = "/tmp" if Path("/tmp").is_dir() else None
        self._folder = tempfile.TemporaryDirectory(prefix="ray-", dir=place, ignore_cleanup_errors=True)
        self._ray.init(
            address=_LOCAL, num_cpus=cpus, include_dashboard=False, log_to_driver=False, logging_level="error",
            object_store_memory=_OBJECT_STORE_BYTES, _temp_dir=self._folder.name,
        )  # fmt: skip

    def _reach(self) -> None:
        host, _, port = self._address.rpartition("://")[2].rpartition(":")
        if port.isdecimal():  # Ray itself would try for two minutes
            socket.create_connection((host.strip("[]"), int(port)), _ANSWERED_SECONDS).close()
        self._ray.init(address=self._address, log_to_driver=False, logging_level="error")


class _ActorQueue:
    """The turnstile of a cluster as a worker asks it; goes to the worker with its task.

    Args:
        actor: Ray's handle of it.
    """

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def ask(self, ticket: str, agent: str, tokens: int) -> float:
        """As `Turnstile.ask`. Raises TurnstileLostError."""
        import ray

        try:
            return float(ray.get(self._actor.ask.remote(ticket, agent, tokens)))
        except ray.exceptions.RayActorError:
            raise TurnstileLostError(
                "the cluster has lost the process that keeps the provider's limits, so no model is asked any more",
                "see that the cluster is sound, then: graphdream fleet dream LOCATION --executor ray --resume",
            ) from None

    # Nobody waits for the answers to these, and they arrive before what the same process asks next.

    def settle(self, ticket: str, tokens: int) -> None:
        """As `Turnstile.settle`."""
        self._actor.settle.remote(ticket, tokens)

    def leave(self, ticket: str) -> None:
        """As `Turnstile.leave`."""
        self._actor.leave.remote(ticket)

    def hold_off(self, seconds: float) -> None:
        """As `Turnstile.hold_off`."""
        self._actor.hold_off.remote(seconds)


def _perform(call: Callable[[], Any]) -> Any:
    """What a process of the cluster does with a call."""
    return call()


def _imported(address: str) -> ModuleType:
    """Ray, told before it looks at the environment that it is to send nothing and let nobody in."""
    os.environ.update(_QUIET)
    known = sys.modules.get("ray")
    if address == _LOCAL and not (known and known.is_initialized()):
        for name, value in (_CLOSED | {_SECRET: secrets.token_hex(32)}).items():
            os.environ.setdefault(name, value)
    try:
        import ray
        import ray.exceptions
    except ImportError as fault:
        raise UsageError(f"the executor ray needs a library that is not installed: {fault}", _INSTALL) from None
    module: ModuleType = ray
    return module


@contextmanager
def _termination_as_it_was() -> Iterator[None]:
    """Ray puts a handler of its own in the place of whatever answers SIGTERM: what did before does so again. Where
    nothing did, Ray's stays: it raises SystemExit, so that the cluster is ended in order."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    if before is not signal.SIG_DFL:
        with suppress(ValueError):  # of a thread, in which Ray cannot have put one either
            signal.signal(signal.SIGTERM, before)


def _unreachable(address: str, fault: Exception) -> UsageError:
    said = " ".join(str(fault).split()) or type(fault).__name__
    if address == _LOCAL:
        return UsageError(f"Ray cannot be started on this machine: {said}", "or leave out --executor ray")
    return UsageError(
        f"there is no Ray cluster to be used at {ADDRESS}={address}: {said}",
        f"see that it runs, with the same versions of Ray and Python, or unset {ADDRESS}",
    )
