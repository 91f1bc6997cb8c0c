"""`graphdream trust`: how the memory is sealed, and what a person decides where it is not as it was sealed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.interfaces.output import fields, print_json
from graphdream.paths import database_path
from graphdream.shown import printable

FOUND_FAULTS = 1


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `trust`."""
    parser.add_argument(
        "--reason", default="", metavar="TEXT", help="take the file as it is from now on, and seal it anew; on record"
    )
    parser.add_argument("--rotate-key", action="store_true", help="make a new key, and seal the file with it")
    parser.add_argument("--add-key", metavar="FILE", help="keep a key that is missing here; `-` reads it from stdin")


def run(args: Namespace) -> int:
    """Tell how the file is sealed, or seal it anew."""
    if args.add_key:
        return _add_key(args)
    with Store.open(database_path(args.db, args.agent), create=False) as store:
        return _seal(store, args) if args.reason or args.rotate_key else _tell(store, args)


def _tell(store: Store, args: Namespace) -> int:
    from graphdream.sealing.anchor import anchor_path

    faults = store.seal.faults()
    head = store.seal.head()
    told: dict[str, Any] = {"database": str(store.path), "ok": not faults, "faults": [str(fault) for fault in faults]}
    if head is not None:
        told |= {
            "key": head.key,
            "key_from": _key_source(),
            "sealed_writes": head.state.get("count"),
            "sealed_since_pass": head.state.get("since"),
            "anchor": str(anchor_path(store.seal.place)),
        }
    if args.json:
        print_json(told)
    else:
        shown = {name.replace("_", " "): value for name, value in told.items() if name not in ("ok", "faults")}
        print(fields(shown), end="")
        print("".join(f"FAULT  {printable(str(fault))}\n" for fault in faults), end="")
        if faults:
            print("graphdream verify says more; graphdream trust --reason WHY takes the file as it is")
        else:
            print("not sealed yet: the next write seals it" if head is None else "sealed, and as it was sealed")
    return FOUND_FAULTS if faults else 0


def _key_source() -> str:
    import os

    from graphdream.sealing.keys import COMMAND_VARIABLE, key_path

    return f"${COMMAND_VARIABLE}" if os.environ.get(COMMAND_VARIABLE) else str(key_path())


def _seal(store: Store, args: Namespace) -> int:
    import os

    from graphdream.journal.trust import trust
    from graphdream.sealing.keys import COMMAND_VARIABLE, current_key, rotate_key

    key = None
    if args.rotate_key:
        faults = store.seal.faults()
        if faults and not args.reason:
            raise UsageError(
                f"the file is not as it was sealed: {faults[0]}", "another key does not mend that; add --reason TEXT"
            )
        key = current_key() if os.environ.get(COMMAND_VARIABLE) else rotate_key()
    report = trust(store, args.reason or "the key was changed", key=key)
    if args.json:
        print_json(report.as_json())
    else:
        print("\n".join(map(printable, report.as_text().splitlines())))
    return 0


def _add_key(args: Namespace) -> int:
    from pathlib import Path

    from graphdream.bounded import stdin_text
    from graphdream.sealing.keys import keep_key

    try:
        text = stdin_text() if args.add_key == "-" else Path(args.add_key).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError) as fault:
        raise UsageError(f"{args.add_key} cannot be read: {fault}") from None
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    keys = [keep_key(line).id for line in lines]
    if not keys:
        raise UsageError(f"there is no key in {args.add_key}")
    if args.json:
        print_json({"keys": keys})
    else:
        print("kept: key " + ", ".join(keys))
    return 0
