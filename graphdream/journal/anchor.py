"""The anchor: a small file beside the database that remembers how far the journal had come.

A chain inside a file cannot tell that the whole file was put back to an older copy, or its end cut off; a note
outside it can. The anchor is written after each commit, so after a crash it may be behind the file, never ahead.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from graphdream.graph.store import Store


def anchor_path(database: Path) -> Path:
    """Where the anchor of a database lies."""
    return database.with_name(database.name + ".anchor")


def write(store: Store) -> None:
    """Note the newest pass. A file system that refuses (a read-only folder) leaves the pass as it is: it is committed."""
    row = store.connection.execute("SELECT id, chain FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    if row is None:
        return
    path = anchor_path(store.path)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps({"file": store.file_id, "pass": row["id"], "chain": row["chain"]}) + "\n")
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)


def read(store: Store) -> dict[str, Any] | None:
    """The note beside this database, or None where there is none, or one of another file."""
    try:
        note = json.loads(anchor_path(store.path).read_text())
    except (OSError, ValueError):
        return None
    return note if isinstance(note, dict) and {"file", "pass", "chain"} <= note.keys() else None
