"""`graphdream review`: facts that do not agree with the project that they are about."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from graphdream.interfaces.opening import opened_graph, warn_of_left_out
from graphdream.interfaces.output import plural, print_json
from graphdream.shown import printable


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `review`."""
    parser.add_argument(
        "--root", metavar="DIR",
        help="hold every fact against the project in DIR first: paths below it that are not there, and versions that"
        " its pyproject.toml, package.json or requirements.txt states otherwise. Facts are only flagged; URLs are not"
        " looked up, nor is anything outside of DIR",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Check where that is asked for, then list what is flagged."""
    with opened_graph(args) as graph:
        report = graph.check_project(args.root) if args.root else None
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
    if not flags:
        print(
            "nothing is flagged for review"
            if report
            else "no fact is flagged against a project; graphdream review --root DIR checks"
        )
        return 0
    for flag in flags:
        print(f"{flag.fact}  {printable(' '.join(flag.text.split()))}")
        print(f"      {printable(flag.entity)}: {printable(flag.why)}")
    print("right all the same: leave it; wrong: graphdream replace FACT TEXT, or graphdream forget FACT")
    return 0
