"""What a check is given, and what it says."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

OK, NOTE, FAULT = "ok", "note", "fault"
MOST = 5  # findings of one kind that are told


class Finding(NamedTuple):
    """One thing that was looked at.

    Attributes:
        check: what it is about, a word of docs/doctor.md.
        state: "ok"; "note": it works, with less; "fault": something is to be done.
        words: what was found.
        fix: what to do about it; "" where there is nothing to do.
    """

    check: str
    state: str
    words: str
    fix: str = ""


class Scene(NamedTuple):
    """What is looked at: the database file, which need not be there, and the agent whose it is."""

    database: Path
    agent: str | None
