"""Read a graph in: from files of any format in `formats`, or from lines at hand; checked whole, written as one pass."""

from __future__ import annotations

import os

from graphdream.clock import Clock, utc_now
from graphdream.dream.times import told_at
from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.formats import format_of
from graphdream.interfaces.importers.formats.jsonl import import_graph
from graphdream.interfaces.importers.formats.markdown import import_notes
from graphdream.interfaces.importers.graph import ImportReport, import_lines, summary_of

__all__ = ["ImportReport", "import_file", "import_graph", "import_lines", "import_notes", "summary_of"]


def import_file(
    store: Store,
    path: str | os.PathLike[str],
    *,
    format: str = "",
    clock: Clock = utc_now,
    skip_bad: bool = False,
    trust: bool = False,
    at: str = "",
) -> ImportReport:
    """Import what a path holds.

    Args:
        format: name of the format (docs/formats.md); "": by the ending of the name.
        trust: take the file's word for what the user said; else that of our own exports alone is taken.
        at: of notes: when what has no day of its own was told, ISO 8601; "" is now.

    Raises:
        UsageError: there is no such format; or `at` is no time, is still to come, or is given for a format that tells
            its times itself.
        NotFoundError, ImportRefusedError: as the format's importer.
    """
    found = format_of(path, format)
    if told := _told_at(at, found, clock):
        assert found.undated is not None
        return found.undated(store, path, clock=clock, skip_bad=skip_bad, at=told)
    importer = found.trusted if trust and found.trusted is not None else found.importer
    return importer(store, path, clock=clock, skip_bad=skip_bad)


def _told_at(at: str, format: Format, clock: Clock) -> str:
    """When undated notes were told, as a stamp; "" where that was not given. Raises UsageError as `import_file`."""
    told = told_at(at)
    if not told:
        return ""
    if format.undated is None:
        raise UsageError(f"{format.what}: that tells its times itself, so {at} says nothing of it", "leave the day out")
    if told > clock():
        raise UsageError(f"{at} is still to come: nobody can have written notes then", "give the day they are of")
    return told
