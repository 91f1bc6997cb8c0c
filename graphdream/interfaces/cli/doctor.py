"""`graphdream doctor`: is the installation whole, is the file sound, what is missing or degraded."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from graphdream.interfaces.checks import FAULT
from graphdream.interfaces.output import print_json, table
from graphdream.library.without import doctor, mend_schema
from graphdream.shown import printable


def add_arguments(parser: ArgumentParser) -> None:
    """Options of `doctor`."""
    parser.add_argument(
        "--mend-schema", action="store_true",
        help="keep a backup, then drop triggers, indexes, views and tables that are none of graphdream's, restore those"
        " that are missing or altered, set numbers of last ids that were changed to what is on record, and make"
        " full-text indexes anew that are damaged or that another program wrote to; rows stay as they are",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Print what was looked at: ok, note (works, with less), or fault. Exit code 1 where there is a fault."""
    if args.mend_schema:
        return _mend(args)
    findings = doctor(args.db, agent=args.agent)
    if args.json:
        print_json([finding._asdict() for finding in findings])
    else:
        rows = [(one.check, one.state, f"{one.words}: {one.fix}" if one.fix else one.words) for one in findings]
        print(table(rows, ("check", "state", "")), end="")
    return 1 if any(finding.state == FAULT for finding in findings) else 0


def _mend(args: Namespace) -> int:
    """Put the schema of the file right, and say what was done."""
    mended = mend_schema(args.db, agent=args.agent)
    if args.json:
        print_json({"backup": str(mended.backup) if mended.backup else None, "done": list(mended.done)})
    elif mended.backup is None:
        print("the schema is as the migrations make it; there was nothing to mend")
    else:
        for line in mended.done:
            print(printable(line))
        print(printable(f"the file as it was: {mended.backup}"))
        print("what a planted trigger may have done to the rows: graphdream verify")
    return 0
