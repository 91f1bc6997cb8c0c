"""`graphdream init`: hooks and the MCP server into the settings of the user's tools, shown first, and taken back."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from graphdream.clock import shifted, utc_now
from graphdream.errors import ConflictError, NotFoundError, UsageError
from graphdream.interfaces.hosts import tools
from graphdream.interfaces.hosts.base import Settings, Setup, Tool, program
from graphdream.interfaces.hosts.files import Change, held, planned
from graphdream.interfaces.hosts.ledger import BACKUP, Entry, Ledger, remove_folders, taken_back
from graphdream.interfaces.hosts.merging import UnusableSettingsError
from graphdream.interfaces.output import plural, print_json, table
from graphdream.interfaces.whole_files import put
from graphdream.paths import data_home, database_path, expanded
from graphdream.shown import printable

_LATELY_SECONDS = 7 * 86_400
_CHECK_FOUND = 1  # the exit code of a check that found something


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `init`."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")
    what.add_argument("--undo", action="store_true", help="take it back: the settings are what they were")
    what.add_argument("--check", action="store_true", help="is everything in place, and when did each hook fire last")
    what.add_argument("--print", action="store_true", help="show what belongs into each file, for doing it by hand")
    parser.add_argument("--yes", action="store_true", help="write without asking")
    parser.add_argument(
        "--tool", action="append", default=[], choices=[tool.name for tool in tools()],
        help="only this tool; may be repeated; default: all that are found",
    )  # fmt: skip
    parser.add_argument(
        "--project",
        nargs="?",
        const=".",
        metavar="FOLDER",
        help="set it up for one project only; default: for the user",
    )
    parser.add_argument("--no-mcp", action="store_true", help="the hooks alone, without the MCP server")


def run(args: Namespace) -> int:
    """Set up the tools, or say how they are set up, or take it back."""
    setup = _setup(args)
    chosen = [tool for tool in tools() if (tool.name in args.tool if args.tool else tool.found(setup.home))]
    if args.undo:
        return _undo(args, setup)
    if not chosen:
        known = ", ".join(tool.title for tool in tools())
        raise NotFoundError(f"none of {known} was found", "graphdream init --tool NAME sets one up all the same")
    if args.check:
        return _check(args, setup, chosen)
    if args.print:
        return _print_settings(args, [(tool, settings) for tool in chosen for settings in tool.settings(setup)])
    return _put_in(args, setup, chosen)


def _print_settings(args: Namespace, files: Sequence[tuple[Tool, Settings]]) -> int:
    """What belongs into each file, for doing it by hand."""
    texts = [(tool.name, str(settings.path), settings.put_in("")) for tool, settings in files]
    if args.json:
        print_json({"files": [{"tool": tool, "path": path, "text": text} for tool, path, text in texts]})
        return 0
    for _, path, text in texts:
        print(f"# {path}\n{text}")
    return 0


def _setup(args: Namespace) -> Setup:
    project = None
    if args.project is not None:
        project = expanded(args.project).absolute()
        if not project.is_dir():
            raise NotFoundError(f"there is no folder {project}")
    return Setup(
        program(), str(database_path(args.db, args.agent).absolute()), args.agent or "", Path.home(), project,
        mcp=not args.no_mcp and find_spec("mcp") is not None,
    )  # fmt: skip


# ---------------------------------------------------------------------- put in


def _put_in(args: Namespace, setup: Setup, chosen: Sequence[Tool]) -> int:
    changes = [planned(tool, settings) for tool in chosen for settings in tool.settings(setup)]
    needed = [change for change in changes if change.is_needed]
    if args.json:
        if needed and not (args.dry_run or args.yes):
            raise UsageError("with --json nobody is asked, so nothing was written", "add --yes, or --dry-run to look")
        if not args.dry_run:
            Ledger(data_home()).write_all(needed)
        print_json({"files": [_row(change) for change in changes], "written": bool(needed) and not args.dry_run})
        return 0
    for change in needed:
        print(printable_diff(change.diff()), end="")
    for tool in chosen:
        mine = [change for change in changes if change.tool is tool]
        new = sum(change.is_needed for change in mine)
        state = f"{plural(new, 'file')} to write" if new else "set up already, nothing to write"
        print(f"{tool.title}: {state}")
    if not setup.mcp and not args.no_mcp:
        print("The MCP server is left out: it needs pip install 'graphdream[mcp]'; then run this again.")
    if not needed:
        return 0
    if args.dry_run:
        print("dry run, nothing was written; without --dry-run, it is")
        return 0
    if not args.yes and not _agreed():
        print("nothing was written")
        return 0
    try:
        Ledger(data_home()).write_all(needed)
    except OSError as fault:
        where = fault.filename or "the settings"
        raise UnusableSettingsError(f"{where} cannot be written ({fault.strerror}); nothing was changed") from fault
    kept = [change for change in needed if change.before is not None]
    print(f"written; {f'what was there is kept beside it as FILE{BACKUP}; ' if kept else ''}take it back: "
          "graphdream init --undo")  # fmt: skip
    for tool in chosen:
        if tool.after:
            print(f"  {tool.title}: {tool.after}")
    print("  after the next session: graphdream init --check")
    return 0


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("nothing was written: there is nobody to ask", "graphdream init --yes writes it")
    try:
        return input("write this? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def printable_diff(diff: str) -> str:
    """A diff without anything that would steer a terminal."""
    return "".join(printable(line) + "\n" for line in diff.splitlines())


def _row(change: Change) -> dict[str, Any]:
    kind = "same" if not change.is_needed else "new" if change.before is None else "changed"
    return {"tool": change.tool.name, "path": str(change.path), "holds": change.settings.what, "change": kind,
            "diff": change.diff()}  # fmt: skip


# ---------------------------------------------------------------------- undo


def _undo(args: Namespace, setup: Setup) -> int:
    ledger = Ledger(data_home())
    entries = [one for one in ledger.entries.values() if not args.tool or one.tool in args.tool]
    plans: list[tuple[Entry, bytes | None, bytes | None, bool]] = []
    for entry in entries:
        _, now = held(Path(entry.path))
        settings = _settings_of(setup, entry)
        without = settings.take_out((now or b"").decode("utf-8", "replace")) if settings and now else ""
        after, exact = taken_back(entry, now, without)
        plans.append((entry, now, after, exact))
    if not plans:
        if args.json:
            print_json({"files": [], "written": False})
        else:
            print("nothing is set up, so there is nothing to undo")
        return 0
    for entry, _, after, _ in plans:
        put(Path(entry.path), after)
        Path(entry.path + BACKUP).unlink(missing_ok=True)
    for entry, *_ in plans:
        remove_folders(entry)
    ledger.forget(entry.path for entry, *_ in plans)
    if args.json:
        rows = [{"tool": entry.tool, "path": entry.path, "as_before": exact} for entry, _, _, exact in plans]
        print_json({"files": rows, "written": True})
        return 0
    for entry, _, after, exact in plans:
        said = (
            "removed"
            if after is None
            else "as it was before"
            if exact
            else "changed since; graphdream's part was taken out"
        )
        print(f"{entry.path}: {said}")
    return 0


def _settings_of(setup: Setup, entry: Entry) -> Settings | None:
    """The settings that an entry is of, wherever the project of its time was."""
    for tool in tools():
        if tool.name == entry.tool:
            for project in (None, Path(entry.path).parent):
                for settings in tool.settings(replace(setup, project=project, mcp=True)):
                    if settings.path.name == Path(entry.path).name:
                        return settings
    return None


# ---------------------------------------------------------------------- check


def _check(args: Namespace, setup: Setup, chosen: Sequence[Tool]) -> int:
    from graphdream.interfaces.hook.folder import failures, folder_of
    from graphdream.interfaces.hook.state import State

    fired = State.read(folder_of(setup.database)).fired
    rows: list[dict[str, Any]] = []
    for tool in chosen:
        lacking = []
        for settings in tool.settings(setup):
            try:
                change = planned(tool, settings)
            except (UnusableSettingsError, ConflictError) as fault:
                lacking.append(str(fault))
                continue
            if change.is_needed:
                lacking.append(f"{settings.what} {'are' if settings.what == 'hooks' else 'is'} not in {settings.path}")
        kinds = fired.get(tool.name, {})
        rows.append({"tool": tool.name, "lacking": lacking, "fired": {kind: at for kind, (at, _) in kinds.items()}})
    failed = failures(setup.database)
    if args.json:
        print_json({"tools": rows, "database": setup.database, "last_failure": failed[-1][0] if failed else None})
    else:
        lines = []
        for tool, row in zip(chosen, rows, strict=True):
            last = ", ".join(f"{kind} {at[:16].replace('T', ' ')}" for kind, at in sorted(row["fired"].items()))
            state = "; ".join(row["lacking"]) or "set up"
            old = last and max(row["fired"].values()) < shifted(utc_now(), -_LATELY_SECONDS)
            said = f"fired: {last}{'; none in the last week' if old else ''}" if last else "no hook has fired yet"
            lines.append((tool.title, state, said))
        print(table(lines), end="")
        if failed:
            print(printable(f"the last failure: {failed[-1][0]} (noted in {failed[-1][1]})"))
        if any(row["lacking"] for row in rows):
            print("put it right: graphdream init")
        elif not all(row["fired"] for row in rows):
            print("a hook fires with the next session of the tool; a running one may have to be started anew")
    return _CHECK_FOUND if any(row["lacking"] or not row["fired"] for row in rows) else 0
