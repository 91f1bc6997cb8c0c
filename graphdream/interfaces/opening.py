"""The file a command works on, opened with what waits beside it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from graphdream.dream.later import take_in_before, take_in_waiting
from graphdream.errors import NotFoundError
from graphdream.graph.served import left_out_words
from graphdream.graph.store import Store
from graphdream.interfaces.warned import warned
from graphdream.journal.witness import watch, witness_of
from graphdream.paths import DEFAULT_AGENT, data_home, database_path
from graphdream.shown import printable

if TYPE_CHECKING:
    from pathlib import Path

    from graphdream.library import Graph


def opened(args: Namespace, *, create: bool = False, patiently: bool = False) -> Store:
    """Open the database that `--db` or `--agent` names; sessions that a pass kept from being recorded, and facts
    that were told for later, are taken in, unless somebody writes just now.

    Args:
        create: make the file where it is missing. Only what brings something in does so for a path or an agent that
            was named: to any other command, a name that leads nowhere is a slip of the pen (`may_make`).
        patiently: wait for a program that writes, and take in what waits then: the command goes back on what was told
            before it (`graphdream.dream.later.take_in_before`).

    Raises:
        ConfigError: the settings are wrong, and may name a witness.
        GraphdreamError: as `Store.open`.
    """
    path = database_path(args.db, args.agent)
    if args.agent and not args.db and not create and not path.exists():
        raise _no_memory_of(args.agent, path)
    witness = witness_of(args.agent)
    store = warned(Store.open(path, create=create))
    watch(store, witness, warn)
    warn_of_damage(store, args)
    if patiently:
        take_in_before(store, say_refused)
        return store
    return take_in_waiting(store, say_refused)


def say_refused(why: str) -> None:
    """Say on stderr what of that which waits cannot be taken in, and why."""
    print(f"graphdream: {printable(why)}", file=sys.stderr)


def add_accept_damage(parser: ArgumentParser) -> None:
    """Add `--accept-damage` to a command that else refuses a file which is not as it was sealed."""
    parser.add_argument(
        "--accept-damage", action="store_true", help="also where the memory is not as it was sealed; on record"
    )


def warn_of_damage(store: Store, args: Namespace) -> None:
    """Say on stderr what one look tells of a file that is not as it was sealed; with `--accept-damage`, let it be
    written to."""
    store.seal.accepting = getattr(args, "accept_damage", False)
    for fault in store.seal.faults():
        warn(str(fault))


def warn(words: str) -> None:
    """Say on stderr what keeps nobody from going on."""
    print(f"graphdream: warning: {printable(words)}", file=sys.stderr)


def warn_of_left_out(store: Store) -> None:
    """Say on stderr what was not told, because it is not as it was sealed."""
    if words := left_out_words(store):
        print(f"graphdream: warning: {printable(words)}", file=sys.stderr)
        print("  graphdream verify says more", file=sys.stderr)


def may_make(args: Namespace) -> bool:
    """Whether a command that brings nothing in may make the file: who names nothing may ask before anything was told,
    but a path or an agent that was named and is not there was mistyped."""
    return not args.db and (args.agent or DEFAULT_AGENT) == DEFAULT_AGENT


def _no_memory_of(agent: str, path: Path) -> NotFoundError:
    from difflib import get_close_matches

    known = [file.parent.name for file in (data_home() / "agents").glob("*/memory.db")]
    near = get_close_matches(agent, known, n=1)
    hint = f"did you mean --agent {near[0]}?" if near else "import a graph or record a session first"
    return NotFoundError(f"agent {agent!r} has no memory: there is no database at {path}", hint)


def opened_graph(args: Namespace) -> Graph:
    """The library's object for the file that a command works on. Raises as `opened`."""
    from graphdream.library import Graph

    return Graph(opened(args, create=may_make(args)), agent=args.agent)
