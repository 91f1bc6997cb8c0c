"""`graphdream mcp`: the memory as a server of the Model Context Protocol."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing

from graphdream.errors import UsageError
from graphdream.interfaces.opening import opened
from graphdream.interfaces.ports import confirm_port
from graphdream.shown import printable

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ADDRESS = "127.0.0.1:8765"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `mcp`."""
    parser.add_argument("--simple", action="store_true", help="three tools only: recall, remember, forget")
    parser.add_argument(
        "--http", nargs="?", const=_ADDRESS, metavar="HOST:PORT",
        help=f"streamable HTTP at /mcp instead of standard input and output; default: {_ADDRESS}",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Serve until the client closes standard input, or until Ctrl-C."""
    address = _address(args.http) if args.http else None
    try:
        from graphdream.interfaces.mcp.server import make_server
    except ModuleNotFoundError as fault:
        if (fault.name or "").split(".")[0] != "mcp":
            raise
        raise UsageError("the extra mcp is not installed", "pip install 'graphdream[mcp]'") from None
    from graphdream.interfaces.mcp.answering import NoMemoryYetError, Served
    from graphdream.library import Graph

    with closing(Served(lambda make: Graph(opened(args, create=make), agent=args.agent))) as served:
        try:
            served.graph()
        except NoMemoryYetError as fault:
            print(f"graphdream: {printable(str(fault))}", file=sys.stderr)
        server = make_server(served, simple=args.simple)
        if address is None:
            server.run()
        else:
            print(f"serving http://{args.http}/mcp", file=sys.stderr, flush=True)
            server.run("streamable-http", host=address[0], port=address[1])
    return 0


def _address(given: str) -> tuple[str, int]:
    host, _, port = given.rpartition(":")
    host = host.strip("[]")
    if not host or not (port.isascii() and port.isdigit()):
        raise UsageError(f"--http {given} is no address", f"write it as {_ADDRESS}")
    confirm_port(int(port), f"--http {given}")
    if host not in _LOOPBACK:
        raise UsageError(
            f"--http {given} would give the memory to everybody who can reach this machine",
            "serve it on 127.0.0.1, with a proxy before it that asks who is there",
        )
    return host, int(port)
