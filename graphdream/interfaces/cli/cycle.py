"""`graphdream cycle` and `graphdream log`: the passes over memory, skills and self."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from graphdream.errors import UsageError
from graphdream.interfaces.opening import add_accept_damage, opened_graph, warn_of_left_out
from graphdream.interfaces.output import plural, print_json, shortened, table
from graphdream.interfaces.overview_text import WIDTH, examples
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream.dream.cycle import CycleReport, PassReport

_SOME_FAILED = 1  # the exit code of a check that found something; the other passes ran
_REASON = 96  # columns
_EXAMPLES = 5  # of each kind of change, of a dry run


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of the command that was named."""
    if parser.get_default("command") == "log":
        parser.add_argument("-n", type=int, default=20, metavar="N", help="so many cycles (default: 20)")
        return
    parser.add_argument("--only", metavar="NAMES", help="these passes, separated by commas, whatever their hours say")
    parser.add_argument("--list", action="store_true", help="every pass: what it reads, when it ran, due or why not")
    parser.add_argument("--schema", metavar="NAME", help="the JSON Schema of the answers that a pass accepts")
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
    parser.add_argument("--model", metavar="NAME", help="provider/model; default: memory.dreaming.model; none: local")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="tokens that the whole cycle may spend")
    parser.add_argument("--again", action="store_true", help="also what is not new, and what a person took back")
    parser.add_argument(
        "--started-by", default="", metavar="NAME", help="what the record says started it; a program names itself"
    )
    add_accept_damage(parser)


def run(args: Namespace) -> int:
    """Run the command; the exit code is 1 where a pass failed."""
    if args.command == "log":
        return _log(args)
    if args.schema:
        from graphdream.passes.registry import kind_named, schema_of

        print_json(schema_of(kind_named(args.schema)))
        return 0
    if args.list:
        return _list(args)
    only = None if args.only is None else [name.strip() for name in args.only.split(",") if name.strip()]
    if only == []:
        raise UsageError("--only names no pass", "graphdream cycle --list names them")
    with opened_graph(args) as graph:
        report = graph.cycle(
            only=only, dry_run=args.dry_run, model=args.model, budget=args.budget, again=args.again,
            trigger=args.started_by or "manual",
        )  # fmt: skip
    if args.json:
        print_json(report.as_json())
    else:
        print(_told(report), end="")
    return _SOME_FAILED if report.failed else 0


def _told(report: CycleReport) -> str:
    rows = [(one.name, one.part, one.status, one.pass_id or "", _what(one)) for one in report.passes]
    text = table(rows, ("pass", "part", "came to", "as", "what"))
    for one in report.passes:
        for note in one.notes if one.ran else ():
            text += f"  {one.name}: {printable(note)}\n"
        if one.overview is not None and one.overview.kinds:
            lines = examples(one.overview, most=_EXAMPLES, width=WIDTH - 4)
            text += "".join(f"  {line}\n" for line in (f"{one.name} would change:", *(f"  {line}" for line in lines)))
    tokens = f", {plural(report.tokens, 'token')}" if report.tokens else ""
    text += f"{report.summary} ({report.seconds:g} s{tokens})\n"
    written = [one.pass_id for one in report.passes if one.status == "applied" and one.pass_id is not None]
    if written:
        text += f"what a pass did: graphdream show {written[0]}; take it back: graphdream undo {written[0]}\n"
    return text


def _what(one: PassReport) -> str:
    if one.status == "dry-run":
        return f"would make {plural(one.counts.get('applied', 0), 'change')}"
    if one.status != "applied":
        return shortened(printable(one.reason), _REASON)
    said = plural(one.counts.get("applied", 0), "change")
    left = {code: number for code, number in one.counts.get("not_applied", {}).items() if number}
    if left:
        said += "; not applied: " + ", ".join(f"{number} {code}" for code, number in left.items())
    if one.tokens_in:
        said += f"; {one.tokens_in + one.tokens_out:,} tokens"
    return said


def _list(args: Namespace) -> int:
    with opened_graph(args) as graph:
        standings = graph.cycle_passes()
        warn_of_left_out(graph.store)
    if args.json:
        print_json([asdict(one) | {"due": one.due} for one in standings])
        return 0
    rows = [
        (
            one.name, one.view, part.part, ", ".join(one.events), part.last_run_at[:16] or "never",
            "due" if part.due else shortened(printable(part.last_error or part.why_not), 60),
        )
        for one in standings
        for part in one.parts
    ]  # fmt: skip
    print(table(rows, ("pass", "view", "part", "reads", "last run", "now")), end="")
    return 0


def _log(args: Namespace) -> int:
    with opened_graph(args) as graph:
        logged = graph.dream_log(most=args.n)
        warn_of_left_out(graph.store)
    if args.json:
        print_json([one.as_json() for one in logged])
        return 0
    rows = [(one.id, one.started_at[:16], one.trigger, one.processed, one.summary) for one in logged]
    print(
        table(rows, ("cycle", "started", "by", "read", "did")) if rows else "no cycle has done anything yet\n", end=""
    )
    return 0
