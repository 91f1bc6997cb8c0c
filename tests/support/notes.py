"""Memories made of notes: where each of their facts stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import graphdream
from tests.support.graphs import NOW


@contextmanager
def memory_of(notes: str, folder: Path) -> Iterator[graphdream.Graph]:
    """A memory of one file of Markdown notes, with a clock that stands still."""
    (folder / "notes.md").write_text(notes, encoding="utf-8")
    with graphdream.open(folder / "memory.db", clock=lambda: NOW) as graph:
        graph.import_file(folder / "notes.md")
        yield graph


def place_of(graph: graphdream.Graph, text: str) -> tuple[str, str] | None:
    """Entity and heading of the fact with a text; None where there is none."""
    row = graph.store.connection.execute(
        "SELECT entity.name, aspect.name FROM attribute JOIN aspect ON aspect.id = aspect_id"
        " JOIN entity ON entity.id = entity_id WHERE content = ?",
        (text,),
    ).fetchone()
    return row and tuple(row)
