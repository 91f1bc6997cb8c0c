"""`graphdream hook`, which the hosts of agents call: what it takes. It runs in `graphdream.interfaces.hook.door`."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from graphdream.interfaces.hook.event import HOSTS, KINDS

_MORE = """\
Reads one JSON object from standard input. At the start of a session and at a prompt it prints what the session is to be
told, as its host wants it. It acts when the object is complete, ends with 0 whatever happens, and prints nothing when
something is wrong; `graphdream doctor` tells of it. GRAPHDREAM_HOOKS=off makes it do nothing.

`graphdream init` writes it into the settings of your tools.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `hook`."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = _MORE
    parser.add_argument("--host", choices=HOSTS, help="whose hook it is; default: told by how the payload is written")
    parser.add_argument(
        "--event", metavar="NAME", help=f"which event, where the payload does not say: {', '.join(KINDS)}"
    )


def run(args: Namespace) -> int:
    """Take one payload; always 0."""
    from graphdream.interfaces.hook.door import run as take

    given = {"--db": args.db, "--agent": args.agent, "--event": args.event, "--host": args.host}
    here = os.getcwd()
    try:
        return take([word for name, value in given.items() if value for word in (name, value)])
    finally:
        os.chdir(Path(here))  # the door may have changed it
