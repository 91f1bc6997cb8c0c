"""Read a graph in: from files of any format in `formats`, or from lines at hand; checked whole, written as one pass."""

from __future__ import annotations

import os

from graphdream.clock import Clock, utc_now
from graphdream.graph.store import Store
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
) -> ImportReport:
    """Import what a path holds.

    Args:
        format: name of the format (docs/formats.md); "": by the ending of the name.
        trust: take the file's word for what the user said; else that of our own exports alone is taken.

    Raises:
        UsageError: there is no such format.
        NotFoundError, ImportRefusedError: as the format's importer.
    """
    found = format_of(path, format)
    importer = found.trusted if trust and found.trusted is not None else found.importer
    return importer(store, path, clock=clock, skip_bad=skip_bad)
