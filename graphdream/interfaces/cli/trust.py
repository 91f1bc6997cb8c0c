"""`graphdream trust`: how the memory is sealed, and what a person decides where it is not as it was sealed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.interfaces.opening import warn
from graphdream.interfaces.output import fields, print_json
from graphdream.journal.witness import watch, witness_of
from graphdream.litter import sweep
from graphdream.paths import database_path, expanded
from graphdream.sealing.places import folders_of_seals
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream.graph.sealfault import SealFault
    from graphdream.graph.sealwitness import FileWitness

FOUND_FAULTS = 1
_MOST_BYTES_OF_KEYS = 1_000_000  # of a file of keys; each takes 65


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `trust`."""
    parser.add_argument(
        "--reason", default="", metavar="TEXT", help="take the file as it is from now on, and seal it anew; on record"
    )
    parser.add_argument("--rotate-key", action="store_true", help="make a new key, and seal the file with it")
    parser.add_argument("--add-key", metavar="FILE", help="keep a key that is missing here; `-` reads it from stdin")


def run(args: Namespace) -> int:
    """Tell how the file is sealed, or seal it anew."""
    for folder in folders_of_seals():
        sweep(folder)
    if args.add_key:
        return _add_key(args)
    witness = witness_of(args.agent)
    with Store.open(database_path(args.db, args.agent), create=False) as store:
        watch(store, witness, warn)
        return _seal(store, args) if args.reason or args.rotate_key else _tell(store, args)


def _tell(store: Store, args: Namespace) -> int:
    from graphdream.sealing.anchor import anchor_path

    faults = store.seal.faults(anew=True)
    head = store.seal.head()
    told: dict[str, Any] = {"database": str(store.path), "ok": not faults, "faults": [str(fault) for fault in faults]}
    if head is not None:
        told |= {
            "key": head.key,
            "key_from": _key_source(),
            "sealed_writes": head.state.get("count"),
            "sealed_since_pass": head.state.get("since"),
            "anchor": str(anchor_path(store.seal.place)),
            **_of_the_witness(store.seal.witness, faults),
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


def _of_the_witness(witness: FileWitness | None, faults: list[SealFault]) -> dict[str, Any]:
    """Which one it is, its last note, and whether that agrees with the file; nothing where there is none."""
    if witness is None:
        return {}
    told: dict[str, Any] = {"witness": witness.where}
    if witness.unreachable:
        return told | {"witness_unreachable": witness.unreachable}
    if witness.note is not None and witness.note.writes:
        told |= {"witness_pass": witness.note.pass_id, "witness_writes": witness.note.writes}
    return told | {"witness_agrees": all(fault.code != "witness" for fault in faults)}


def _key_source() -> str:
    import os

    from graphdream.sealing.keys import COMMAND_VARIABLE, key_path

    return f"${COMMAND_VARIABLE}" if os.environ.get(COMMAND_VARIABLE) else str(key_path())


def _seal(store: Store, args: Namespace) -> int:
    from graphdream.journal.newkey import trust_with_new_key
    from graphdream.journal.trust import trust

    report = trust_with_new_key(store, args.reason) if args.rotate_key else trust(store, args.reason)
    if args.json:
        print_json(report.as_json())
    else:
        print("\n".join(map(printable, report.as_text().splitlines())))
    return 0


def _add_key(args: Namespace) -> int:
    from graphdream.bounded import named_file, stdin_text
    from graphdream.sealing.keys import keep_key

    try:
        if args.add_key == "-":
            text = stdin_text()
        else:
            text = named_file(expanded(args.add_key), _MOST_BYTES_OF_KEYS).decode("utf-8")
    except UsageError as fault:
        raise UsageError(f"--add-key: {fault}", fault.hint) from None
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or fault
        raise UsageError(f"--add-key: {args.add_key} cannot be read: {why}") from None
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    keys = [keep_key(line).id for line in lines]
    if not keys:
        raise UsageError(f"there is no key in {args.add_key}")
    if args.json:
        print_json({"keys": keys})
    else:
        print("kept: key " + ", ".join(keys))
    return 0
