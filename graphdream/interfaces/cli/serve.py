"""`graphdream serve`: cycles by themselves, as a service."""

from __future__ import annotations

import json
import os
import signal
from argparse import ArgumentParser, Namespace
from types import FrameType

from graphdream.clock import utc_now
from graphdream.errors import UsageError
from graphdream.interfaces.opening import may_make, opened
from graphdream.interfaces.output import printable


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `serve`."""
    parser.add_argument("--no-http", action="store_true", help="the scheduler alone; needed: there is nothing else yet")
    parser.add_argument("--cycles", type=int, metavar="N", help="end after so many cycles; default: never")


def run(args: Namespace) -> int:
    """Run until SIGTERM or Ctrl-C, which end it at once and cleanly: with exit code 0."""
    from graphdream.dream.cron import Cron
    from graphdream.dream.scheduler import Scheduler, StopServiceError
    from graphdream.library import Graph

    if not args.no_http:
        raise UsageError("there is no HTTP service yet", "graphdream serve --no-http runs the scheduler alone")

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is on its way out is not asked twice
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise StopServiceError

    def tell(line: str) -> None:
        if args.json:
            print(json.dumps({"at": utc_now(), "said": line}, ensure_ascii=False), flush=True)  # one line each
        else:
            print(f"{utc_now()[:19]}  {printable(line)}", flush=True)

    for name in ("SIGTERM", "SIGINT"):
        signal.signal(getattr(signal, name), stop)
    try:
        with Graph(opened(args, create=may_make(args)), agent=args.agent) as graph:
            settings = graph.settings().cycle
            if settings.cron is not None:
                Cron.parse(settings.cron)
            tell(f"serving {graph.store.path}, pid {os.getpid()}")
            Scheduler(graph, tell=tell).run(most_cycles=args.cycles)
    except StopServiceError:
        tell("stopped")
    return 0
