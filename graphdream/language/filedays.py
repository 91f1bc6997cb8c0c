"""Days that files are named after, and what is named after those: `memory/2026-03-01.md`, `MEMORY.2025-06-01.md`."""

from __future__ import annotations

import re

_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_]?(0[1-9]|1[0-2])[-_]?(0[1-9]|[12]\d|3[01])(?!\d)")


def day_of_file(source: str) -> str:
    """The day that the name of a file is about, as a moment, "" where it has none."""
    found = _DAY.search(source.rpartition("/")[2])
    return f"{found[1]}-{found[2]}-{found[3]}T00:00:00Z" if found else ""
