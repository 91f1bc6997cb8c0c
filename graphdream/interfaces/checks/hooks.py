"""Hooks: which fired last, what failed in them, and whether the tools call a program that is there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from graphdream.bounded import whole_text
from graphdream.clock import shifted, utc_now
from graphdream.interfaces.checks.base import FAULT, MOST, NOTE, OK, Finding, Scene
from graphdream.paths import data_home

_RECENT_DAYS = 3  # for which a failure of a hook is a fault
_CLEARED = "nothing is to be done; to be rid of them, remove the file"


def look(scene: Scene) -> Iterator[Finding]:
    """Hooks tell nobody else when they fail."""
    from graphdream.interfaces.hook.folder import failures, folder_of
    from graphdream.interfaces.hook.state import State

    database = str(scene.database)
    fired = State.read(folder_of(database)).fired
    last = [(at, host, kind) for host, kinds in fired.items() for kind, (at, _) in kinds.items()]
    if last:
        at, host, kind = max(last)
        yield Finding("hooks", OK, f"the last: {kind} of {host} at {at[:19]}Z")
    failed = failures(database)
    since = shifted(utc_now(), -_RECENT_DAYS * 86_400)
    told = [(line, log) for line, log in failed if line[:1].isdigit() and line[:19] >= since[:19]][-MOST:]
    for line, log in told:
        until = f"it is told for {_RECENT_DAYS} days, or until {log} is removed"
        yield Finding("hooks", FAULT, line, f"mend what it names; {until}")
    if left := len(failed) - len(told):
        logs = " and ".join(sorted({log for _, log in failed}))
        yield Finding("hooks", NOTE, f"{left:,} other failures, most of them older, are noted in {logs}", _CLEARED)
    yield from _programs()


def _programs() -> Iterator[Finding]:
    """Tools whose settings name a graphdream that is not there any more: it was installed elsewhere since."""
    from graphdream.interfaces.hosts.ledger import Ledger

    for path in map(Path, Ledger(data_home()).entries):
        gone = sorted({name for name in _named_in(path) if not Path(name).exists()})
        if gone:
            words = f"{path} calls {gone[0]}, which is not there: nothing of those sessions is remembered"
            yield Finding("hooks", FAULT, words, "graphdream init sets the tools up anew")


def _named_in(settings: Path) -> Iterator[str]:
    """The programs of graphdream that a file of settings names by their whole path."""
    from graphdream.interfaces.hosts.base import is_ours

    try:
        text = whole_text(settings)
    except (OSError, UnicodeDecodeError):
        return
    for part in text.split('"'):
        if is_ours(part):
            try:
                first = shlex.split(part)[0]
            except (ValueError, IndexError):
                continue
            if Path(first).is_absolute():
                yield first
