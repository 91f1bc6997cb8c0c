"""Export a graph: one view of the file, in the form asked for, to a path or a stream."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import BinaryIO, TextIO, cast

from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.outputs import written
from graphdream.shown import json_shown, shown, xml_shown

Chunks = Callable[[sqlite3.Connection], Iterator[str]]


def export_graph(
    source: Store | sqlite3.Connection, out: str | os.PathLike[str] | TextIO, *, format: str = "jsonl",
    force: bool = False, own: bool = True,
) -> int:  # fmt: skip
    """Write the whole graph.

    Args:
        source: a store, or any connection with the tables of the graph, as `journal.fold.fold` makes one of a past
            state.
        out: a path, "-" for standard output, or a text stream. A file is complete or not there at all; one whose name
            ends in `.gz` is compressed, equal graphs to equal bytes.
        format: one of `FORMATS`.
        force: replace a file that is there; a memory is never replaced.
        own: it was seen to that all of the source is what was sealed, so the form that imports again may say so.

    Returns:
        Number of characters written.

    Raises:
        UsageError: there is no such format, a file is there already, or the path cannot be written.
    """
    if format not in FORMATS:
        raise UsageError(f"{format!r} is not a format", f"use one of {', '.join(FORMATS)}")
    connection = source.connection if isinstance(source, Store) else source
    with _one_view(connection), _opened(out, force) as stream:
        chunks = FORMATS[format](connection) if own or format != "jsonl" else _jsonl(connection, own=False)
        return sum(stream.write(_SHOWN[format](chunk)) for chunk in chunks)


def _jsonl(connection: sqlite3.Connection, *, own: bool = True) -> Iterator[str]:
    from graphdream.interfaces.exporters.jsonl import sealed_lines

    return (line + "\n" for line in sealed_lines(connection, own=own))


def _graphml(connection: sqlite3.Connection) -> Iterator[str]:
    from graphdream.interfaces.exporters.pictures import graphml

    return graphml(connection)


def _cytoscape(connection: sqlite3.Connection) -> Iterator[str]:
    from graphdream.interfaces.exporters.pictures import cytoscape

    return cytoscape(connection)


def _markdown(connection: sqlite3.Connection) -> Iterator[str]:
    from graphdream.interfaces.exporters.markdown import document

    return document(connection)


FORMATS: dict[str, Chunks] = {"jsonl": _jsonl, "graphml": _graphml, "cytoscape": _cytoscape, "markdown": _markdown}


_SHOWN: dict[str, Callable[[str], str]] = {
    "jsonl": str, "graphml": xml_shown, "cytoscape": json_shown, "markdown": shown,
}  # fmt: skip
"""How each form writes signs that would steer what it is shown on: the forms for programs keep them, by escapes."""


@contextmanager
def _one_view(connection: sqlite3.Connection) -> Iterator[None]:
    """What is read belongs to one state of the file, whoever writes meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


@contextmanager
def _opened(out: str | os.PathLike[str] | TextIO, force: bool) -> Iterator[TextIO]:
    if not isinstance(out, (str, os.PathLike)):
        yield out
    elif os.fspath(out) == "-":
        yield sys.stdout
    else:
        with written(out, force=force) as plain, _text(plain, compressed=os.fspath(out).endswith(".gz")) as stream:
            yield stream


@contextmanager
def _text(plain: BinaryIO, *, compressed: bool) -> Iterator[TextIO]:
    # Without a name and a time in its head, the same text gives the same bytes.
    packed = gzip.GzipFile("", "wb", fileobj=plain, mtime=0) if compressed else nullcontext(plain)
    with packed as stream:
        writer = io.TextIOWrapper(cast(BinaryIO, stream), encoding="utf-8", errors="replace", newline="\n")
        yield writer
        writer.flush()
        writer.detach()
