"""`graphdream observe`: put events on record, from JSON lines."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict
from typing import BinaryIO

from graphdream.errors import NotFoundError, UsageError
from graphdream.events.observed import ObserveReport, observe_into
from graphdream.interfaces.opening import opened
from graphdream.interfaces.output import plural, print_json
from graphdream.shown import printable

_SOME_REFUSED = 1  # the exit code of a check that found something; what was right was taken


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `observe`."""
    parser.add_argument("file", metavar="FILE", help="JSON lines, one event each (docs/formats.md); - reads stdin")


def run(args: Namespace) -> int:
    """Record the events; lines that could not be taken are told on standard error, and make the exit code 1."""
    with ExitStack() as held:
        events = held.enter_context(_events(args.file))
        try:
            # A memory is made only for what was taken: a mistyped path, with a mistyped file, leaves nothing.
            report = observe_into(lambda: held.enter_context(opened(args, create=True)), events)
        except OSError as fault:
            raise UsageError(f"{args.file} cannot be read: {fault.strerror}") from fault
    if args.json:
        print_json(asdict(report))
    else:
        print(_told(report))
    if report.bad_lines and not args.json:
        print(f"{plural(report.bad_lines, 'line')} could not be taken; the others were:", file=sys.stderr)
        for line in report.faults:
            print(f"  {printable(line)}", file=sys.stderr)
    return _SOME_REFUSED if report.bad_lines else 0


def _events(path: str) -> AbstractContextManager[BinaryIO]:
    """The lines."""
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise NotFoundError(f"there is no file at {path}") from None
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror}") from fault


def _told(report: ObserveReport) -> str:
    new = ", ".join(plural(number, kind.replace("-", " ")) for kind, number in sorted(report.added.items()))
    known = f"; {plural(report.known, 'event')} on record already" if report.known else ""
    purged = f"; {plural(report.purged, 'event')} of purged sessions left out" if report.purged else ""
    return f"recorded {new or 'nothing new'}{known}{purged}"
