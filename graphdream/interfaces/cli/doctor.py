"""`graphdream doctor`: is the installation whole, is the file sound, what is missing or degraded."""

from __future__ import annotations

import os
import sqlite3
import sys
from argparse import ArgumentParser, Namespace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from graphdream.clock import shifted, utc_now
from graphdream.errors import UnwritableError
from graphdream.events.spool import CALLS, FACTS, refused, spool_path, unsealed, waiting
from graphdream.graph.mending import differences_in
from graphdream.graph.nameindex import name_index_faults
from graphdream.graph.objects import MENDED_BY
from graphdream.graph.place import Place
from graphdream.graph.schema import newest_version
from graphdream.graph.seal import Seal
from graphdream.graph.store import Store
from graphdream.interfaces.output import print_json, table
from graphdream.paths import data_home, database_path, settings_path
from graphdream.shown import printable

_MOST_FAULTS = 5  # of one kind that are told
_RECENT_SECONDS = 3 * 86_400  # for which a failure of a hook is a fault
_FIXED_LOG_RESET = (3, 51, 3)
_LIBRARIES = (
    "networkx",
    "sqlite-utils",
    "pydantic",
    "litellm",
    "jsonschema",
    "tiktoken",
    "numpy",
    "scipy",
    "rapidfuzz",
)
_EXTRAS = {"mcp": "mcp", "starlette": "web", "wordllama": "vectors", "opentelemetry": "otel", "ray": "cluster"}


def add_arguments(parser: ArgumentParser) -> None:
    """Options of `doctor`."""
    parser.add_argument(
        "--mend-schema", action="store_true",
        help="keep a backup, then drop triggers, indexes, views and tables that are none of graphdream's, and restore"
        " those that are missing or altered; rows stay as they are",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Print what was looked at: ok, note (works, with less), or fault. Exit code 1 where there is a fault."""
    if args.mend_schema:
        return _mend(args)
    findings = [*_installation(), *_tokenizer(), *_settings(args), *_file(args)]
    if args.json:
        print_json([{"check": check, "state": state, "words": words} for check, state, words in findings])
    else:
        print(table(findings, ("check", "state", "")), end="")
    return 1 if any(state == "fault" for _, state, _ in findings) else 0


def _mend(args: Namespace) -> int:
    """Put the schema of the file right, and say what was done."""
    from graphdream.graph.mending import mend

    mended = mend(database_path(args.db, args.agent), utc_now())
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


def _installation() -> list[tuple[str, str, str]]:
    found = [("python", "ok", sys.version.split()[0])]
    words = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < _FIXED_LOG_RESET:
        words += (
            "; before 3.51.3 a checkpoint beside a commit could lose pages: graphdream makes them while nobody writes"
        )
    found.append(("sqlite", "ok", words))
    for name in _LIBRARIES:
        try:
            found.append((name, "ok", version(name)))
        except PackageNotFoundError:
            found.append((name, "fault", "not installed: pip install graphdream"))
    for module, extra in _EXTRAS.items():
        if find_spec(module) is None:
            found.append((f"extra {extra}", "note", f"not installed: pip install 'graphdream[{extra}]'"))
    return found


def _tokenizer() -> list[tuple[str, str, str]]:
    from graphdream.events.tokens import default_tokenizer

    tokenizer = default_tokenizer()
    state = "ok" if tokenizer.exact else "note"
    return [("tokenizer", state, tokenizer.name + ("" if tokenizer.exact else ": counts are estimates"))]


def _settings(args: Namespace) -> list[tuple[str, str, str]]:
    from graphdream.config import ConfigError, load_settings

    path = settings_path(args.agent)
    try:
        load_settings(path)
    except ConfigError as fault:
        return [("settings", "fault", line) for line in (str(fault), *getattr(fault, "faults", ()))]
    return [
        ("home", "ok", str(data_home())),
        ("settings", "ok", str(path) if path else "defaults; there is no agent.yaml"),
    ]


def _file(args: Namespace) -> list[tuple[str, str, str]]:
    path = database_path(args.db, args.agent)
    if not path.exists():
        return [("database", "note", f"{path} does not exist yet"), *_hooks(path)]
    if differing := differences_in(path):
        found = [("schema", "fault", str(one)) for one in differing[:_MOST_FAULTS]]
        if len(differing) > _MOST_FAULTS:
            found.append(("schema", "fault", f"and {len(differing) - _MOST_FAULTS:,} more"))
        found.append(("schema", "note", f"nothing is written to {path} until {MENDED_BY} has put it right"))
        return [*found, *_spool(path), *_hooks(path)]
    with Store.open(path, create=False) as store:
        connection = store.connection
        found = [("database", "ok", f"{path}, schema {newest_version()}, {path.stat().st_size / 1e6:.1f} MB")]
        rows = {
            name: connection.execute(f"SELECT count(*) FROM {name} WHERE status = 'active'").fetchone()[0]
            for name in ("entity", "aspect", "attribute", "link")
        }
        found.append(("graph", "ok", ", ".join(f"{number:,} {name}" for name, number in rows.items())))
        damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        found.append(("pages", "ok" if damage == "ok" else "fault", damage))
        wrong = name_index_faults(connection)
        found += [("names", "fault", one) for one in wrong[:_MOST_FAULTS]] or [("names", "ok", "their index is right")]
        passes = connection.execute("SELECT count(*) FROM pass").fetchone()[0]
        found.append(("journal", "ok", f"{passes:,} passes; graphdream verify checks them"))
        found += _seal(store)
        found += _vectors(connection)
        try:
            Place.of(store.path).confirm(store.path)
        except UnwritableError as fault:
            found += [("names", "fault", f"{fault}; {fault.hint}")]
        found += _unsealed(path, store.seal)
    return [*found, *_spool(path), *_hooks(path)]


def _seal(store: Store) -> list[tuple[str, str, str]]:
    """What one look tells of the seal, and whether a key can be had at all."""
    faults, head = store.seal.faults(), store.seal.head()
    if faults:
        return [("seal", "fault", str(fault)) for fault in faults]
    if head is None:
        return [("seal", "note", "not sealed yet: the next write seals it")]
    return [("seal", "ok", f"key {head.key}, {head.state['count']:,} sealed writes; graphdream trust says more")]


def _unsealed(database: Path, seal: Seal) -> list[tuple[str, str, str]]:
    """What waits beside the file, and was put there by somebody who has not got the key."""
    calls = unsealed(database, seal)
    if not calls:
        return []
    words = f"{len(calls):,} calls wait that graphdream has not put there, such as {calls[0]}"
    return [("waiting", "fault", f"{words}: delete them, or let them in: graphdream trust --reason WHY")]


def _spool(database: Path) -> list[tuple[str, str, str]]:
    """Sessions that wait beside the file, and such as could not be taken in."""
    found = []
    if calls := waiting(database, FACTS):
        found.append(("waiting", "note", f"{len(calls):,} told for later; the next command writes them"))
    if calls := waiting(database):
        found.append(("waiting", "note", f"{len(calls):,} recordings; taken in when nobody writes"))
    if calls := waiting(database, CALLS):
        found.append(("waiting", "note", f"{len(calls):,} small calls; made when nobody writes"))
    folder = spool_path(database)
    if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK)):
        found.append(("waiting", "fault", f"{folder} is no folder that may be written to: nothing can wait there"))
    calls = refused(database)
    found += [("waiting", "fault", f"could not be taken in: {call}") for call in calls[:_MOST_FAULTS]]
    if len(calls) > _MOST_FAULTS:
        found.append(("waiting", "fault", f"and {len(calls) - _MOST_FAULTS:,} more in {folder}"))
    return found


def _hooks(database: Path) -> list[tuple[str, str, str]]:
    """Which hooks fired last, and what failed in them: they tell nobody else."""
    from graphdream.interfaces.hook.folder import failures, folder_of
    from graphdream.interfaces.hook.state import State

    fired = State.read(folder_of(str(database))).fired
    last = [(at, host, kind) for host, kinds in fired.items() for kind, (at, _) in kinds.items()]
    found = []
    if last:
        at, host, kind = max(last)
        found.append(("hooks", "ok", f"the last: {kind} of {host} at {at[:19]}Z"))
    failed = failures(str(database))
    recent = [line for line in failed if line[:10] >= shifted(utc_now(), -_RECENT_SECONDS)[:10]]
    found += [("hooks", "fault", line) for line in recent[-_MOST_FAULTS:]]
    if len(failed) > len(recent[-_MOST_FAULTS:]):
        found.append(("hooks", "note", f"{len(failed):,} failures are noted in {folder_of(str(database))}/hook.log"))
    return found


def _vectors(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """How far vectors reach, for each model that made some."""
    from graphdream.recall.vectors import coverage

    found = []
    for (model,) in connection.execute("SELECT DISTINCT model FROM vector ORDER BY model").fetchall():
        reach = coverage(connection, model, ("fact",))
        lacking = reach.rows - reach.embedded
        words = f"{reach.embedded:,} of {reach.rows:,} facts have one of {model}"
        words += f"; {lacking:,} lack one and are found by their words alone" if lacking else ""
        found.append(("vectors", "note" if lacking else "ok", words))
    return found
