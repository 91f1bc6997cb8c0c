"""`graphdream import`: read notes or a graph from files, as one pass that can be undone."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, replace

from graphdream.errors import NotFoundError
from graphdream.graph.store import Store
from graphdream.interfaces.importers import ImportReport, import_file, summary_of
from graphdream.interfaces.importers.formats import format_of, formats
from graphdream.interfaces.opening import opened
from graphdream.interfaces.output import plural, print_json
from graphdream.paths import database_path, expanded
from graphdream.shown import printable


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `import`."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="; ".join(f"{one.what} ({one.files})" for one in formats()),
    )
    parser.add_argument(
        "--format", default="", choices=[one.name for one in formats()], help="what it is; default: by its name"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be imported, and change nothing")
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="pass over bad lines and what rests on them, and name them; without it a bad line refuses the whole file",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="where the file says that the user said it, take its word; else only your own exports are taken at it",
    )
    parser.add_argument(
        "--at",
        default="",
        metavar="DAY",
        help="of notes: when that was written which has no day of its own, ISO 8601; default: now",
    )


def run(args: Namespace) -> int:
    """Import the file; bad lines that were passed over are told on standard error."""
    if args.file != "-" and not expanded(args.file).exists():
        raise NotFoundError(f"there is no file {args.file}")  # before a memory is made for it
    with Store.copied(database_path(args.db, args.agent)) if args.dry_run else opened(args, create=True) as store:
        report = import_file(store, args.file, format=args.format, skip_bad=args.skip_bad, trust=args.trust, at=args.at)
    if args.json:
        print_json(asdict(replace(report, pass_id=None) if args.dry_run else report))
        return 0
    for line in _told(report, args.file, args.format, dry_run=args.dry_run):
        print(line)
    for note in _notes(report, args.at):
        print(note, file=sys.stderr)
    return 0


def _told(report: ImportReport, path: str, name: str, *, dry_run: bool = False) -> list[str]:
    source = printable(report.source)
    if report.pass_id is None and report.rows:
        done = "would put" if dry_run else "put"
        return [f"{source}: {done} {summary_of(report.rows)} on record; a pass reads what is unread"]
    if report.pass_id is None:
        if report.known:
            unit = format_of(path, name).unit
            which = f"the {unit} in it is" if report.known == 1 else f"all {plural(report.known, unit)} of it are"
            return [f"{source}: nothing new: {which} on record already"]
        if not format_of(path, name).any_name:
            return [f"{source}: nothing to import, it says nothing that could be remembered"]
        return [f"{source}: nothing to import, everything in it is on record already"]
    head = "dry run, nothing was changed" if dry_run else f"pass {report.pass_id}"
    lines = [f"{head}: {'would import' if dry_run else 'imported'} {source}: {summary_of(report.rows)}"]
    if report.folded:
        lines.append(f"  folded into their first copy: {summary_of(report.folded)}")
    if report.dangling:
        lines.append(f"  {plural(report.dangling, 'link')} to nobody")
    unread = report.rows.get("summary", 0) - report.summaries_read
    if unread > 0:
        lines.append(f"  {plural(unread, 'summary', 'summaries')} that no row of it rests on: left for the next dream")
    if report.pinned or report.constraints:
        kept = [plural(report.pinned, "pinned entity", "pinned entities")] if report.pinned else []
        kept += [plural(report.constraints, "constraint")] if report.constraints else []
        lines.append(f"  kept as they came: {', '.join(kept)}")
    if report.known:
        were = "was" if report.known == 1 else "were"
        lines.append(f"  {plural(report.known, 'fact')} of it {were} on record already")
    if dry_run:
        return lines
    lines.append(
        "  next: graphdream dream --dry-run, then graphdream dream;"
        f" take it back with: graphdream undo {report.pass_id}"
    )
    return lines


def _notes(report: ImportReport, at: str) -> list[str]:
    notes = []
    if report.overtaken:
        was = "it is" if report.overtaken == 1 else "they are"
        notes.append(
            f"--at {at} was not used for {plural(report.overtaken, 'fact')}: an earlier import, which stood for a later"
            f" time, did not have {'it' if report.overtaken == 1 else 'them'}, so {was} told now"
        )
    if report.purged:
        notes.append(f"passed over, because it was purged: {plural(report.purged, 'row')}")
    if report.lowered:
        said = "fact that it says the user told counts", "facts that it says the user told count"
        notes.append(f"{report.lowered:,} {said[report.lowered > 1]} as imported; with --trust, as told by the user")
    if report.left_out:
        notes.append(f"passed over, because you archived what they are about: {plural(report.left_out, 'fact')}")
    if report.struck_out:
        notes.append(f"passed over, because it is struck out: {plural(report.struck_out, 'line')}")
    if report.ignored:
        listed = ", ".join(f"{printable(name)} ({count:,})" for name, count in report.ignored.items())
        notes.append(f"fields that the format does not have were left out: {listed}")
    if report.fault_count:
        notes.append(f"passed over, with what rests on it: {plural(report.fault_count, 'bad line')}")
        notes += [f"  {printable(fault)}" for fault in report.faults]
    return notes
