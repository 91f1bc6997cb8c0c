"""The anchor: a small file beside the database that remembers how far the journal had come.

A chain inside a file cannot tell that the whole file was put back to an older copy, or its end cut off; a note
outside it can. The anchor is written after each commit, so after a crash it may be behind the file, never ahead.
An anchor that the file contradicts is evidence: nothing here writes over it.
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
    """Note the newest pass, unless the file contradicts what is noted already.

    A file system that refuses (a read-only folder) leaves the pass as it is: it is committed.
    """
    row = store.connection.execute("SELECT id, chain FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    if row is None:
        return
    noted = read(store)
    if noted is not None and contradiction(store, noted):
        return
    path = anchor_path(store.path)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps({"file": store.file_id, "pass": row["id"], "chain": row["chain"]}) + "\n")
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)


def read(store: Store) -> dict[str, Any] | None:
    """The note beside this database: `file`, `pass` and `chain`. None where there is none that can be read."""
    try:
        note = json.loads(anchor_path(store.path).read_text())
    except (OSError, ValueError):
        return None
    if not isinstance(note, dict) or not {"file", "pass", "chain"} <= note.keys() or not isinstance(note["pass"], int):
        return None
    return note


def contradiction(store: Store, note: dict[str, Any]) -> str:
    """In words, how the file is not the one that was noted; "" where it is, and may have gone on since."""
    known = store.connection.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()
    if known is not None and known[0] != note["file"]:
        return "the anchor beside the file was written for another file"
    newest = store.connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0]
    if note["pass"] > newest:
        return (
            f"the journal ends with pass {newest}, but pass {note['pass']} was written here: the file was put back to"
            " an older copy, or the end of its journal was cut off"
        )
    row = store.connection.execute("SELECT chain FROM pass WHERE id = ?", (note["pass"],)).fetchone()
    if row is None or row[0] != note["chain"]:
        return (
            f"pass {note['pass']} is not the one that was written here: the journal was rewritten, or the file was put"
            " back to an older copy and went on from there"
        )
    return ""
