"""The server and the scheduler as one process, until it is told to end."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import uvicorn

from graphdream.dream.scheduler import Scheduler
from graphdream.errors import BusyError, GraphdreamError, UsageError, quoted
from graphdream.graph.store import Store
from graphdream.interfaces.http.app import make_app
from graphdream.interfaces.http.guard import is_loopback
from graphdream.interfaces.http.jobs import Job, Jobs
from graphdream.interfaces.http.service import Service
from graphdream.interfaces.http.token import token_of, token_path
from graphdream.library import Graph

_BACKLOG = 512  # connections that may wait
_ANSWER_SECONDS = 3  # that requests which are on their way may take when the server ends


@dataclass(frozen=True, slots=True)
class Listening:
    """Where to listen, and by which names."""

    host: str = "127.0.0.1"
    port: int = 8377
    names: Collection[str] = ()
    token: bool = False
    """Ask for the token on loopback too; elsewhere it always is."""


@dataclass(frozen=True, slots=True)
class _Dreamt:
    status: str


@dataclass(frozen=True, slots=True)
class _Cycled:
    failed: list[Any]
    summary: str
    seconds: float
    tokens: int


class _Server(uvicorn.Server):
    """Ends streams that would go on for ever as soon as it is told to end."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take note that the end was asked for; a second time ends at once."""
        self._service.ending = True
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True  # and nothing more: the signal is not raised again at the end, which is a clean one


class _Scheduled:
    """The memory as the scheduler runs it: each dream and each cycle is a job like those that are asked for."""

    def __init__(self, service: Service) -> None:
        self._service, self._graph = service, service.graph

    @property
    def store(self) -> Store:
        """The file."""
        return self._graph.store

    def settings(self) -> Any:
        """The settings, read anew."""
        return self._graph.settings()

    def dream_due(self) -> bool:
        """Whether a dream would fire now."""
        return self._graph.dream_due()

    def dream(self, *, trigger: str) -> _Dreamt:
        """Run a dream."""
        return _Dreamt(str(self._run("dream", ["--if-due"], trigger)["status"]))

    def cycle(self, *, trigger: str, stop: Callable[[], bool]) -> _Cycled:
        """Run the passes that are due."""
        told = self._run("cycle", [], trigger)
        failed = [one for one in told["passes"] if one.get("status") == "failed"]
        return _Cycled(failed, str(told["summary"]), float(told["seconds"]), int(told["tokens"]))

    def _run(self, what: str, words: Sequence[str], trigger: str) -> dict[str, Any]:
        job: Job = self._service.jobs.wait(self._service.start(what, words, trigger=trigger))
        if job.report is None:
            raise (BusyError if job.exit_code == BusyError.exit_code else GraphdreamError)(job.error)
        return job.report


def serve(
    graph: Graph,
    which: Sequence[str],
    listening: Listening,
    *,
    schedule: bool = True,
    tell: Callable[[str], None],
) -> None:
    """Serve until SIGTERM or Ctrl-C. A pass that is running then is interrupted, and rolled back.

    Args:
        which: the words that name the memory to a command (`--db`, `--agent`).
        schedule: whether cycles run by themselves.

    Raises:
        UsageError: the address cannot be listened on, or the token is unfit.
    """
    open_to_others = not is_loopback(listening.host)
    token = token_of(graph.store.path) if open_to_others or listening.token else None
    jobs = Jobs(which)
    service = Service(graph, jobs)
    names = {listening.host, *listening.names, *([socket.gethostname()] if open_to_others else [])}
    bound = _listen(listening)
    address = f"http://{_shown(listening.host)}:{bound.getsockname()[1]}/"
    tell(f"serving {graph.store.path} at {address}")
    if token is not None:
        tell(f"a token is asked for; it is in {token_path(graph.store.path)}")
    scheduler = Scheduler(_Scheduled(service), tell=tell) if schedule else None
    if scheduler is not None:
        threading.Thread(target=_scheduled, args=(scheduler, tell), name="scheduler", daemon=True).start()
    config = uvicorn.Config(
        make_app(service, hosts=names, token=token),
        log_level="warning",
        access_log=False,
        use_colors=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=_ANSWER_SECONDS,
        h11_max_incomplete_event_size=64 * 1024,
    )
    server = _Server(config, service)
    try:
        server.run(sockets=[bound])
    finally:
        if scheduler is not None:
            scheduler.stop()
        jobs.stop()
        service.close()
        tell("stopped")


def _scheduled(scheduler: Scheduler, tell: Callable[[str], None]) -> None:
    try:
        scheduler.run()
    except Exception as fault:  # the pages go on without it, and say so
        tell(f"the scheduler stopped: {type(fault).__name__}: {fault}")


def _listen(listening: Listening) -> socket.socket:
    """A socket that listens. Raises UsageError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            listening.host, listening.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, ValueError) as fault:  # ValueError: a name that nothing can bear, such as `a..b`
        raise UsageError(
            f"{quoted(listening.host)} is no address of this machine: {fault}", "for example --host 127.0.0.1"
        ) from fault
    try:
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_BACKLOG)  # from here on who comes is answered, if not at once
    except OSError as fault:
        raise UsageError(
            f"{listening.host}:{listening.port} cannot be listened on: {fault}",
            "is another `graphdream serve` running? --port 0 takes any that is free",
        ) from fault
    return bound


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
