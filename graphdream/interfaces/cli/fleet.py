"""`graphdream fleet`: dream many agents' memories, each once."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from graphdream.errors import UsageError
from graphdream.interfaces.output import plural, print_json, shortened, table
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream.dreamers.client.limits import Rates
    from graphdream.fleet.ray_executor import RayExecutor
    from graphdream.fleet.run import FleetReport
    from graphdream.fleet.work import AgentReport, FleetOptions

_SOME_FAILED = 1  # the exit code of a check that found something; the other agents were dreamed
_SUMMARY = 72  # columns
_HOW = ("compact", "incremental", "if_due", "dry_run", "review", "again", "model", "budget", "max_false_merge_rate",
        "loss_cap")  # fmt: skip


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `fleet`."""
    parser.add_argument("action", choices=("dream",), help="what to do with every memory")
    parser.add_argument(
        "location",
        metavar="LOCATION",
        help="a folder: each memory in it and below it is an agent's; or s3://BUCKET/PREFIX",
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="processes at the same time (default: one a core)")
    parser.add_argument(
        "--executor", choices=("local", "ray"), default="local",
        help="whose processes: of this machine, or of the Ray cluster that RAY_ADDRESS names (default: local)",
    )  # fmt: skip
    parser.add_argument(
        "--resume", nargs="?", const="", metavar="RUN",
        help="go on with a run that was broken off, or had failures (default: the newest of the location)",
    )  # fmt: skip
    parser.add_argument("--requests-per-minute", type=int, metavar="N", help="to the model, of all agents together")
    parser.add_argument("--tokens-per-minute", type=int, metavar="N", help="of these requests and their answers")
    how = parser.add_argument_group("how each memory is dreamed, as of `graphdream dream`")
    what = how.add_mutually_exclusive_group()
    what.add_argument("--compact", action="store_true", help="go through the whole graph, not only what is new")
    what.add_argument("--incremental", action="store_true", help="only what is new, even where a compaction is due")
    what.add_argument("--if-due", action="store_true", help="only the memories whose pass is due")
    how.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
    how.add_argument("--review", action="store_true", help="change nothing; keep a plan in each for `graphdream plan`")
    how.add_argument("--again", action="store_true", help="also do anew what was taken back from earlier passes")
    how.add_argument("--model", metavar="NAME", help="ask this model, `provider/model` as litellm names it")
    how.add_argument("--budget", type=int, metavar="TOKENS", help="most tokens that each pass may spend, in and out")
    how.add_argument("--max-false-merge-rate", type=float, metavar="RATE", help="share of merges that may be wrong")
    how.add_argument(
        "--loss-cap", type=float, metavar="SHARE", help="share of its active facts that a pass may archive"
    )


def run(args: Namespace) -> int:
    """Dream the fleet; the exit code is 1 where some of it failed."""
    from graphdream.fleet.run import dream_fleet

    if args.db:
        raise UsageError("--db names one memory", "name the folder of all: graphdream fleet dream LOCATION")
    if args.resume is not None and (given := [name for name in _HOW if getattr(args, name) not in (None, False)]):
        raise UsageError(
            f"--{given[0].replace('_', '-')} cannot be given with --resume: a run goes on as it was begun",
            "begin a new run without --resume",
        )
    with _executor(args) as executor:
        report = dream_fleet(
            args.location, _options(args), jobs=executor.jobs if executor else args.jobs, resume=args.resume,
            agent=args.agent, rates=_rates(args), executor=executor, each=_tell_failure,
        )  # fmt: skip
    if args.json:
        print_json(report.as_json())
    else:
        print(_told(report), end="")
    return _SOME_FAILED if report.failed else 0


@contextmanager
def _executor(args: Namespace) -> Iterator[RayExecutor | None]:
    if args.executor == "local":
        yield None
        return
    from graphdream.fleet.ray_executor import RayExecutor

    # Ray prints what befalls a worker, and standard output is the report's.
    with redirect_stdout(sys.stderr), RayExecutor(args.jobs) as executor:
        yield executor


def _options(args: Namespace) -> FleetOptions:
    from graphdream.fleet.work import FleetOptions

    return FleetOptions(
        compact=True if args.compact else False if args.incremental else None, if_due=args.if_due,
        dry_run=args.dry_run, review=args.review, again=args.again, model=args.model, budget=args.budget,
        max_false_merge_rate=args.max_false_merge_rate, loss_cap=args.loss_cap,
    )  # fmt: skip


def _rates(args: Namespace) -> Rates | None:
    if args.requests_per_minute is None and args.tokens_per_minute is None:
        return None
    from graphdream.dreamers.client.limits import Rates

    return Rates(args.requests_per_minute, args.tokens_per_minute)


def _tell_failure(report: AgentReport) -> None:
    if not report.is_done:
        print(f"graphdream: {printable(report.memory)}: {printable(report.error)}", file=sys.stderr, flush=True)


def _told(report: FleetReport) -> str:
    rows = [
        (one.memory, one.status, one.pass_id, one.changes, f"{one.seconds:.1f}", one.tokens or None,
         shortened(printable(one.summary or one.error), _SUMMARY))
        for one in report.agents
    ]  # fmt: skip
    text = table(rows, ("memory", "came to", "pass", "changes", "seconds", "tokens", "what"))
    counts = ", ".join(f"{number:,} {status}" for status, number in report.counts.items())
    text += f"{plural(len(report.agents), 'agent')}: {counts} ({report.seconds:.1f} s, {_processes(report.jobs)})\n"
    if report.resumed:
        text += f"  {plural(report.resumed, 'agent')} of these on record from before\n"
    if report.others:
        named = ", ".join(map(printable, report.others[:5])) + (", …" if len(report.others) > 5 else "")
        text += f"  left alone, named like a memory and none: {named}\n"
    if report.failed:
        text += f"  try again what failed: graphdream fleet dream {printable(report.location)} --resume {report.run}\n"
    return text


def _processes(number: int) -> str:
    return plural(number, "process", "processes")
