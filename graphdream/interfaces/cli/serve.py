"""`graphdream serve`: the dashboard, the HTTP interface, and cycles by themselves."""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from graphdream.clock import utc_now
from graphdream.errors import UsageError
from graphdream.interfaces.opening import may_make, opened
from graphdream.interfaces.output import json_text
from graphdream.interfaces.ports import confirm_port
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream.library import Graph


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `serve`."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; other than loopback needs a token")
    parser.add_argument("--port", type=int, default=8377, metavar="N", help="port; 0 takes any that is free")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a name that the server may be called by"
    )
    parser.add_argument("--token", action="store_true", help="ask for the token on loopback too")
    parser.add_argument("--no-schedule", action="store_true", help="pages and HTTP alone; nothing runs by itself")
    parser.add_argument("--no-http", action="store_true", help="the scheduler alone")
    parser.add_argument("--cycles", type=int, metavar="N", help="with --no-http: end after so many cycles")


def run(args: Namespace) -> int:
    """Run until SIGTERM or Ctrl-C, which end it at once and cleanly: with exit code 0."""
    from graphdream.dream.cron import Cron
    from graphdream.library import Graph

    if args.no_http and args.no_schedule:
        raise UsageError("--no-http and --no-schedule leave nothing to serve", "leave one of them out")
    if args.cycles is not None and not args.no_http:
        raise UsageError("--cycles is for the scheduler alone", "graphdream serve --no-http --cycles N")
    confirm_port(args.port, f"--port {args.port}", any_free=True)

    def tell(line: str) -> None:
        if args.json:
            print(json_text({"at": utc_now(), "said": line}), flush=True)  # one line each
        else:
            print(f"{utc_now()[:19]}  {printable(line)}", flush=True)

    with Graph(opened(args, create=may_make(args)), agent=args.agent) as graph:
        settings = graph.settings().cycle
        if settings.cron is not None:
            Cron.parse(settings.cron)
        if args.no_http:
            return _schedule_alone(args, graph, tell)
        try:
            from graphdream.interfaces.http.serving import Listening, serve
        except ImportError as fault:
            raise UsageError(
                f"the dashboard needs libraries that are not installed ({fault.name})",
                "pip install 'graphdream[web]'; graphdream serve --no-http runs the scheduler alone",
            ) from fault
        listening = Listening(args.host, args.port, tuple(args.allow_host), args.token)
        which = ["--db", str(graph.store.path), *(["--agent", args.agent] if args.agent else [])]
        serve(graph, which, listening, schedule=not args.no_schedule, tell=tell)
    return 0


def _schedule_alone(args: Namespace, graph: Graph, tell: Callable[[str], None]) -> int:
    from graphdream.dream.scheduler import Scheduler, StopServiceError

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is on its way out is not asked twice
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise StopServiceError

    for name in ("SIGTERM", "SIGINT"):
        signal.signal(getattr(signal, name), stop)
    try:
        tell(f"serving {graph.store.path}, pid {os.getpid()}")
        Scheduler(graph, tell=tell).run(most_cycles=args.cycles)
    except StopServiceError:
        tell("stopped")
    return 0
