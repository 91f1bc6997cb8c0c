"""`graphdream resolve | explain | calibrate`: who is who, why, and at what risk."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace

from graphdream.errors import ImportRefusedError, UsageError
from graphdream.interfaces.output import print_json, table
from graphdream.outputs import write_text
from graphdream.room import confirm_memory
from graphdream.shown import printable


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of whichever of the commands was asked for."""
    command = parser.get_default("command")
    if command == "explain":
        parser.add_argument("first", metavar="ENTITY|FACT", help="handle (e12) or name; or handle of a fact (a12)")
        parser.add_argument("second", metavar="ENTITY|FACT", help="the other one")
        parser.add_argument("--verbose", action="store_true", help="also every signal with its value")
    if command == "calibrate":
        parser.add_argument("labels", nargs="+", metavar="FILE", help="entities with their `cluster`, JSON lines (.gz)")
        parser.add_argument("--out", metavar="FILE", help="also write the result here, as JSON")
        parser.add_argument("--force", action="store_true", help="replace the file if it is there; never a memory")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument(
        "--max-false-merge-rate", type=float, metavar="RATE",
        help="share of merges that may be wrong; without it 0.005, as of `dream`"
        + (", but of a long list with facts the cut that it shows itself" if command == "resolve" else ""),
    )  # fmt: skip
    if command == "resolve":
        budget.add_argument(
            "--best-f1", action="store_true", help="merge what is likely, right or wrong: no budget, best pairwise F1"
        )


def run(args: Namespace) -> int:
    """Run one of the commands."""
    rate = args.max_false_merge_rate
    if rate is not None and not 0 < rate < 1:
        raise UsageError(f"--max-false-merge-rate is a share between 0 and 1, not {rate}")
    confirm_memory()
    if args.command == "resolve":
        return _resolve(args)
    return _explain(args) if args.command == "explain" else _calibrate(args)


def _resolve(args: Namespace) -> int:
    from graphdream.entities import stream

    try:
        stream.main(sys.stdin, sys.stdout, max_false_merge_rate=args.max_false_merge_rate, best_f1=args.best_f1)
    except ValueError as fault:
        hint = "one JSON object a line: id, name, type?, attributes?, neighbors?"
        raise ImportRefusedError(str(fault), hint=hint) from fault
    return 0


def _explain(args: Namespace) -> int:
    from graphdream.dream.explained import explain_pair
    from graphdream.dream.explained_facts import explain_fact_pair
    from graphdream.graph.rows import are_facts
    from graphdream.interfaces.opening import opened

    with opened(args) as store:
        if are_facts(args.first, args.second):
            if args.max_false_merge_rate is not None:
                raise UsageError("--max-false-merge-rate is about entities", "leave it out for two facts")
            facts = explain_fact_pair(store, args.first, args.second)
            as_json, lines, table_of_signals = facts.as_json, facts.lines(), facts.table()
        else:
            found = explain_pair(store, args.first, args.second, max_false_merge_rate=args.max_false_merge_rate)
            as_json, lines, table_of_signals = found.as_json, found.lines(), found.table()
    if args.json:
        print_json(as_json())
        return 0
    for line in (*lines, *(table_of_signals if args.verbose else [])):
        print(printable(line))
    return 0


def _calibrate(args: Namespace) -> int:
    from graphdream.library.without import DEFAULT_RATE, calibrate

    solved = calibrate(args.labels, max_false_merge_rate=args.max_false_merge_rate or DEFAULT_RATE)
    if args.out:
        write_text(args.out, json.dumps(solved.as_json(), indent=1) + "\n", force=args.force)
    if args.json:
        print_json(solved.as_json())
        return 0
    print(f"merge from probability {solved.threshold:.4f} for at most {solved.max_false_merge_rate:.2%} wrong merges")
    print(
        f"  {solved.merged:,} pairs merged, {solved.wrong:,} wrong:"
        f" {solved.rate:.2%} (95 %: {solved.low:.2%} to {solved.high:.2%})"
    )
    print(f"  {solved.found:.1%} of the true pairs are merged; {solved.blocked:.1%} were compared")
    if solved.seen:
        print(f"  trained on {', '.join(solved.seen)}: expect more wrong merges on other data")
    rows = [(c.name, c.merged, c.wrong, f"{c.rate:.2%}", f"{c.low:.2%} to {c.high:.2%}") for c in solved.classes]
    print(table(rows, ("what tells them apart", "merged", "wrong", "rate", "95 %")), end="")
    return 0
