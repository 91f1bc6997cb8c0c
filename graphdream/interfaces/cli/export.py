"""`graphdream export`: write the graph, as it is or as it was after a past pass."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from graphdream.errors import UsageError
from graphdream.interfaces.exporters.export import FORMATS, export_graph
from graphdream.interfaces.exporters.memory_folder import HEAD, WHOLE, write_memory_folder
from graphdream.interfaces.opening import add_accept_damage, opened
from graphdream.interfaces.output import print_json
from graphdream.paths import expanded

if TYPE_CHECKING:
    from graphdream.interfaces.exporters.source import Source

_FOLDER = "memory"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `export`."""
    parser.add_argument(
        "--out",
        "-o",
        default="-",
        metavar="FILE",
        help="file to write, gzip if it ends in .gz; of the format memory a folder; default: -",
    )
    parser.add_argument(
        "--format", default="jsonl", choices=sorted([*FORMATS, _FOLDER]),
        help="default: jsonl, which imports again; memory: MEMORY.md and graphdream.md, with what people wrote there",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace the file if it is there; never a memory")
    parser.add_argument("--at", type=int, metavar="PASS", help="the graph as it was after this pass")
    add_accept_damage(parser)


def run(args: Namespace) -> int:
    """Export to a file or to standard output; with --json a file's name and size are printed."""
    if args.json and args.out == "-":
        raise UsageError("--json tells about the file that was written, so it needs one", "give --out FILE")
    if args.format == _FOLDER and args.out == "-":
        raise UsageError("a memory is exported into a folder", "give --out FOLDER")
    with opened(args) as store:
        from graphdream.interfaces.exporters.source import graph_at

        with graph_at(store, args.at) as source:
            _write(args, source)
    if args.json and args.format == _FOLDER:
        print_json({"folder": args.out, "format": args.format, "at": args.at, "files": [HEAD, WHOLE]})
    elif args.json:
        print_json({"file": args.out, "format": args.format, "at": args.at, "bytes": Path(args.out).stat().st_size})
    elif args.out != "-":
        print(f"wrote {args.out}", file=sys.stderr)
    return 0


def _write(args: Namespace, source: Source) -> None:
    if args.format == _FOLDER:
        write_memory_folder(source.connection, expanded(args.out))
    else:
        export_graph(source.connection, args.out, format=args.format, force=args.force, own=source.own)
