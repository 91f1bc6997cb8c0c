"""Sessions and calls that wait beside the file, and such as could not be taken in."""

from __future__ import annotations

import os
from collections.abc import Iterator

from graphdream.events.spool import CALLS, FACTS, REFUSED, refused, spool_path, waiting
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
    calls = refused(database)
    fix = f"look at it: without {REFUSED} in its name it is tried again; remove it when it is of no use"
    yield from (Finding("waiting", FAULT, f"could not be taken in: {call}", fix) for call in calls[:MOST])
    if len(calls) > MOST:
        yield Finding("waiting", FAULT, f"and {len(calls) - MOST:,} more in {folder}", fix)
