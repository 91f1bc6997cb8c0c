"""`graphdream purge`: erase a fact, an entity or a session for good, for privacy."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from graphdream.errors import UsageError
from graphdream.graph.rowwords import rows_called
from graphdream.interfaces.opening import add_accept_damage, opened
from graphdream.interfaces.output import plural, print_json
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream.journal.purge import PurgeReport

_MOST_SHOWN = 20


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `purge`."""
    parser.add_argument("target", nargs="?", metavar="HANDLE|SESSION", help="a12, e3, or the id of a session")
    parser.add_argument("--finish", action="store_true", help="only clear what a purge that was ended has left")
    parser.add_argument(
        "--session", action="store_true", help="it is the id of a session, even if it looks like a handle"
    )
    parser.add_argument("--yes", action="store_true", help="really: it cannot be undone")
    add_accept_damage(parser)


def run(args: Namespace) -> int:
    """Purge, and say what is left to do by hand."""
    if args.finish:
        return _finish(args)
    if not args.target:
        raise UsageError("what is to be purged?", "graphdream purge a12 --yes, or the id of a session")
    if not args.yes:
        raise UsageError(
            f"a purge of {args.target!r} cannot be undone",
            "say --yes if that is meant; graphdream forget puts aside and can be taken back",
        )
    from graphdream.dream.purge import purge

    with opened(args) as store:
        report = purge(store, args.target, session=args.session)
    if args.json:
        print_json(asdict(report))
        return 0
    for line in _told(report):
        print(printable(line))
    return 0


def _finish(args: Namespace) -> int:
    from graphdream.dream.purge import finish

    with opened(args) as store:
        finished = finish(store)
    if args.json:
        print_json({"finished": finished})
    else:
        print("the old pages are cleared" if finished else "no purge is unfinished")
    return 0


def _told(report: PurgeReport) -> list[str]:
    rows = ", ".join(rows_called(table, count) for table, count in report.rows.items())
    lines = [f"pass {report.pass_id}: erased {rows or 'no row of the graph'}"]
    events = ", ".join(f"{count:,} {kind}" for kind, count in report.events.items())
    lines += [f"  of the events, erased or rewritten: {events}"] if events else []
    lines.append(f"  {plural(sum(report.journal.values()), 'entry', 'entries')} of the journal; its chain still holds")
    if report.still_told:
        listed = ", ".join(report.still_told[:_MOST_SHOWN])
        more = len(report.still_told) - _MOST_SHOWN
        lines.append(f"  names or words of it stand yet in {listed}" + (f" and {more:,} more" if more > 0 else ""))
    if report.why_not_cleared:
        lines.append(f"  it is done, but old pages of the file still hold it: {report.why_not_cleared}")
        lines.append("  they go with the next pass, or: graphdream purge --finish")
    elif not report.cleared:
        lines.append("  another program has the file open: old pages go when the last one closes it")
    if report.backups_purged:
        lines.append(f"  erased as well in {', '.join(report.backups_purged)}")
    if report.backups:
        lines.append(f"  not touched: {', '.join(report.backups)}, and whatever was exported or copied")
    return lines
