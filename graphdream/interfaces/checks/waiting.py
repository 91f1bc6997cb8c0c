"""Sessions and calls that wait beside the file, and such as could not be taken in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from graphdream.events.spool import CALLS, FACTS, REFUSED, all_waiting, refused, spool_path, waiting
from graphdream.interfaces.checks.base import FAULT, MOST, NOTE, Finding, Scene


def look(scene: Scene) -> Iterator[Finding]:
    """The spool of the file."""
    database = scene.database
    if calls := waiting(database, FACTS):
        yield Finding("waiting", NOTE, f"{len(calls):,} told for later; the next command writes them")
    if calls := waiting(database):
        yield Finding("waiting", NOTE, f"{len(calls):,} recordings; taken in when nobody writes")
    if calls := waiting(database, CALLS):
        yield Finding("waiting", NOTE, f"{len(calls):,} small calls; made when nobody writes")
    folder = spool_path(database)
    if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK)):
        words = f"{folder} is no folder that may be written to: nothing can wait there"
        yield Finding("waiting", FAULT, words, f"remove it, or chmod u+w {folder}")
    yield from _of_the_gone(database)
    calls = refused(database)
    fix = f"look at it: without {REFUSED} in its name it is tried again; remove it when it is of no use"
    yield from (Finding("waiting", FAULT, f"could not be taken in: {call}", fix) for call in calls[:MOST])
    if len(calls) > MOST:
        yield Finding("waiting", FAULT, f"and {len(calls) - MOST:,} more in {folder}", fix)


def _of_the_gone(database: Path) -> Iterator[Finding]:
    """What waits beside the file for another that is gone, as a second name of this one is once it was removed."""
    own = spool_path(database)
    for folder in sorted(database.parent.glob(f"*{own.name.removeprefix(database.name)}")):
        gone = folder.with_suffix("")
        if folder != own and not os.path.lexists(gone) and (calls := all_waiting(gone)):
            words = f"{len(calls):,} calls wait in {folder} for {gone.name}, which is gone: nobody will take them in"
            fix = f"move what is in it to {own}, then graphdream trust --reason WHY; or remove it"
            yield Finding("waiting", FAULT, words, fix)
