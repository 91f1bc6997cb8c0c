"""Read a graph in: from notes in Markdown, from JSON lines in a file or at hand; checked whole, written as one pass."""

from __future__ import annotations

import os

from graphdream.clock import Clock, utc_now
from graphdream.graph.store import Store
from graphdream.interfaces.importers.graph import ImportReport, import_graph, import_lines, summary_of
from graphdream.interfaces.importers.notes import import_notes, is_notes

__all__ = ["ImportReport", "import_file", "import_graph", "import_lines", "import_notes", "summary_of"]


def import_file(
    store: Store, path: str | os.PathLike[str], *, clock: Clock = utc_now, skip_bad: bool = False
) -> ImportReport:
    """Import whatever a path holds: a folder or a file of Markdown notes, else JSON lines.

    Raises as `import_notes` and `import_graph`.
    """
    reader = import_notes if is_notes(path) else import_graph
    return reader(store, path, clock=clock, skip_bad=skip_bad)
