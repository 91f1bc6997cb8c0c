"""`graphdream resolve | explain | calibrate`: who is who, why, and at what risk."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from graphdream.errors import ImportRefusedError, UsageError


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of whichever of the commands was asked for."""
    command = parser.get_default("command")
    if command == "explain":
        parser.add_argument("first", metavar="ENTITY", help="handle (e12) or name")
        parser.add_argument("second", metavar="ENTITY", help="handle (e12) or name")
    if command == "calibrate":
        parser.add_argument(
            "labels", nargs="+", metavar="FILE", help="entities with a `cluster` each, JSON lines (.gz)"
        )
        parser.add_argument("--out", metavar="FILE", help="write the calibration here")
    parser.add_argument(
        "--max-false-merge-rate",
        type=float,
        metavar="RATE",
        help="share of merged pairs that may be wrong, such as 0.005",
    )


def run(args: Namespace) -> int:
    """Run one of the commands."""
    rate = args.max_false_merge_rate
    if rate is not None and not 0 < rate < 1:
        raise UsageError(f"--max-false-merge-rate is a share between 0 and 1, not {rate}")
    if args.command == "resolve":
        return _resolve(args)
    return _explain(args) if args.command == "explain" else _calibrate(args)


def _resolve(args: Namespace) -> int:
    from graphdream.resolve import stream

    try:
        stream.main(sys.stdin, sys.stdout, max_false_merge_rate=args.max_false_merge_rate)
    except ValueError as fault:
        raise ImportRefusedError(
            str(fault), hint="one JSON object a line: id, name, type?, attributes?, neighbors?"
        ) from fault
    return 0
