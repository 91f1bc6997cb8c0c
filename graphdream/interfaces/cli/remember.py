"""`graphdream remember`: one fact. It is on disk when the command ends; the next command puts it in its place.

A hook calls this at every turn, so only what puts a line into a file is loaded: whether a fact is known already
takes a grammar and a judgement. `--wait` loads them, and says the fact's handle.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from graphdream.bounded import stdin_text
from graphdream.dream.times import told_at, world_times
from graphdream.errors import UsageError
from graphdream.interfaces.cli.by import add_by
from graphdream.interfaces.cli.times import TIMES, add_times
from graphdream.outputs import bears_our_mark
from graphdream.paths import database_path

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from typing import Any


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `remember`."""
    parser.add_argument("text", metavar="FACT", help="one sentence; - reads stdin")
    where = "where it belongs: user-preferences/timezone, or with a type first: person/Ada/work"
    parser.add_argument("--category", default="", metavar="PATH", help=where)
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="a label; may be repeated")
    parser.add_argument("--session", default="", metavar="ID", help="the session it was said in")
    parser.add_argument("--at", default="", metavar="TIME", help="when it was said, ISO 8601; default: now")
    add_times(parser)
    parser.add_argument(
        "--wait",
        action="store_true",
        help="write it at once instead of with the next command, unless another program keeps writing",
    )
    parser.add_argument(
        "--again", action="store_true", help="also what a person has forgotten or purged: only the user says it anew"
    )
    add_by(parser)


def run(args: Namespace) -> int:
    """Put the fact aside for the next command, or remember it."""
    text = stdin_text() if args.text == "-" else args.text
    if not text.strip():
        raise UsageError("there is nothing to remember: the text is blank")  # before a memory is made for it
    if args.again and args.by != "user":
        raise UsageError("only the user may say anew what a person has taken out", "--by user")
    told_at(args.at)
    world_times(**_times(args))
    return _remember(args, text) if args.wait else _put_off(args, text)


def _put_off(args: Namespace, text: str, now: str = "") -> int:
    """Nothing heavy is loaded, and nobody who writes is waited for.

    Args:
        now: when the command was called; "": just now.
    """
    from graphdream.dream.later import put_off

    database = database_path(args.db, args.agent)
    if not bears_our_mark(database):  # what else it holds is seen by the command that takes the fact in
        from graphdream.graph.store import Store

        Store.open(database).close()  # makes it, or says what is wrong with it
    put_off(database, text, at=args.at, now=now, **_how(args))
    if args.json:
        print('{"handle": null, "known": null, "pass": null, "waits": true}')
    elif not os.access(database, os.W_OK):
        from graphdream.shown import printable

        print(f"noted; {printable(str(database))} may only be read: the fact waits beside it until that is changed")
    else:
        print("noted; the next command puts it in its place, --wait does so at once")
    return 0


def _how(args: Namespace) -> dict[str, Any]:
    """What `graphdream.dream.remember.remember` is told beside the text and when it was said."""
    how = {"category": args.category, "tags": args.tag, "session": args.session, "by": args.by, **_times(args)}
    return {**how, "again": True} if args.again else how


def _times(args: Namespace) -> dict[str, str]:
    return {name: text for name in TIMES if (text := getattr(args, name))}


def _remember(args: Namespace, text: str) -> int:
    from sqlite3 import OperationalError

    from graphdream.clock import utc_now
    from graphdream.dream.later import StillWaitsError, in_turn
    from graphdream.dream.remember import remember
    from graphdream.events.patience import PATIENCE_SECONDS, a_hooks_patience
    from graphdream.interfaces.opening import opened
    from graphdream.interfaces.output import print_json

    now = utc_now()
    with opened(args, create=True) as store:
        try:
            with a_hooks_patience(store), in_turn(store, PATIENCE_SECONDS):
                done = remember(store, text, at=args.at, **_how(args))
        except StillWaitsError:
            return _put_off(args, text, now)
        except OperationalError as fault:
            if "locked" not in str(fault):
                raise
            return _put_off(args, text, now)  # another program is writing
    if args.json:
        print_json({"handle": done.handle, "known": done.known, "pass": done.pass_id, "waits": False})
    else:
        print(f"{done.handle}  {'known already, reinforced' if done.known else 'remembered'} (pass {done.pass_id})")
    return 0
