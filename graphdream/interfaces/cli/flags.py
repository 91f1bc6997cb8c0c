"""`graphdream review`: facts that do not agree with the project that they are about."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from graphdream.interfaces.opening import opened_graph, warn_of_left_out
from graphdream.interfaces.output import plural, print_json
from graphdream.shown import printable


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `review`."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--root", metavar="DIR",
        help="hold every fact against the project in DIR first: paths below it that are not there, and versions that"
        " its pyproject.toml, package.json or requirements.txt states otherwise. Facts are only flagged; URLs are not"
        " looked up, nor is anything outside of DIR",
    )  # fmt: skip
    what.add_argument(
        "--holds", nargs="+", default=[], metavar="FACT",
        help="say that flagged facts (a12) were looked at and hold all the same: they are flagged again only where the"
        " project, or the fact, says something else",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Check, or put a person's word on record, where that is asked for; then list what is flagged."""
    with opened_graph(args) as graph:
        report = graph.check_project(args.root) if args.root is not None else None
        held = graph.facts_hold(*args.holds)
        flags = report.flags if report else tuple(graph.flagged_facts())
        warn_of_left_out(graph.store)
    if args.json:
        print_json(report.as_json() if report else [flag.as_json() for flag in flags])
        return 0
    if report:
        print(f"{plural(report.facts, 'fact')} held against {printable(report.root)}: ", end="")
        print(f"{report.flagged:,} newly flagged, {report.settled:,} settled")
        if report.truncated:
            print("it has more files than are looked at, so no path was flagged")
    if held:
        print(f"pass {held}: {printable(', '.join(args.holds))} looked at; graphdream undo {held} flags again")
    if not flags:
        none = "nothing is flagged for review" if report else "no fact is flagged against a project"
        print(none if report or held else f"{none}; graphdream review --root DIR checks")
        return 0
    for flag in flags:
        print(f"{flag.fact}  {printable(' '.join(flag.text.split()))}")
        print(f"      {printable(flag.entity)}: {printable(flag.why)}")
    print("right all the same: graphdream review --holds FACT")
    print("wrong: graphdream replace FACT TEXT, or graphdream forget FACT")
    return 0
