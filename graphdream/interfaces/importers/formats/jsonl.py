"""A graph as JSON lines, plain or gzip: what `graphdream export` writes."""

from __future__ import annotations

import os
from functools import partial

from graphdream.clock import Clock, utc_now
from graphdream.graph.store import Store
from graphdream.interfaces.importers.format import Format
from graphdream.interfaces.importers.graph import ImportReport, importing
from graphdream.interfaces.importers.reading import open_lines


def import_graph(
    store: Store,
    path: str | os.PathLike[str],
    *,
    clock: Clock = utc_now,
    skip_bad: bool = False,
    trust: bool = False,
) -> ImportReport:
    """Import a file of JSON lines (docs/formats.md) as one pass of kind "import".

    Args:
        store: the file to import into; it may hold a graph already.
        path: plain or gzip, or "-" for standard input.
        clock: gives the times of the pass.
        skip_bad: pass over bad lines and what rests on them, instead of refusing the file.
        trust: where a line says that the user said it, take its word; else only that of our own exports is taken.

    Returns:
        What was added, folded and passed over.

    Raises:
        NotFoundError: there is no such file.
        ImportRefusedError: the file has faults (listed by line), or nothing in it can be taken; the database is as
            it was.
    """
    with importing(store, skip_bad, trust=trust) as job:
        with open_lines(path, job.faults) as lines:
            for number, text in lines:
                job.take(number, text)
        job.finish_reading(lines.name, lines.count, lines.digest)
        return job.write(clock)


FORMAT = Format(
    "jsonl", "a graph as JSON lines, plain or gzip, - is standard input", import_graph,
    suffixes=(".jsonl", ".ndjson"), any_name=True, trusted=partial(import_graph, trust=True),
)  # fmt: skip
