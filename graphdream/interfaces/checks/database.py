"""The file itself: can it be opened, is its schema ours, are its pages and indexes whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from graphdream.errors import GraphdreamError
from graphdream.graph.mending import differences_in
from graphdream.graph.nameindex import name_index_faults
from graphdream.graph.objects import MENDED_BY
from graphdream.graph.rowwords import rows_called
from graphdream.graph.schema import newest_version
from graphdream.graph.store import Store
from graphdream.graph.textindexes import damaged_indexes
from graphdream.interfaces.checks.base import FAULT, MOST, NOTE, OK, Finding, Scene
from graphdream.journal.purge import UNFINISHED

_PUT_BACK = "put back a backup; graphdream export saves what can still be read"


def look(scene: Scene) -> Iterator[Finding]:
    """What is in the file, and whether it is whole; `graphdream verify` looks at every row."""
    path = scene.database
    if not path.exists():
        made_by = "graphdream import, record or remember makes it"
        yield Finding("database", NOTE, f"{path} does not exist yet", made_by)
        return
    try:
        differing = differences_in(path)
        if differing:
            yield from (Finding("schema", FAULT, str(one), MENDED_BY) for one in differing[:MOST])
            if len(differing) > MOST:
                yield Finding("schema", FAULT, f"and {len(differing) - MOST:,} more", MENDED_BY)
            yield Finding("schema", NOTE, f"nothing is written to {path} until that is put right", MENDED_BY)
            return
        with Store.open(path, create=False) as store:
            yield Finding(
                "database", OK, f"{path}, schema {newest_version()}, {path.stat().st_size / 1e6:.1f} MB"
            )  # fmt: skip
            yield from _contents(store.connection)
    except GraphdreamError as fault:
        yield Finding("database", FAULT, str(fault), fault.hint)
    except sqlite3.Error as fault:
        yield Finding("pages", FAULT, f"the file is damaged, or is no database: {fault}", _PUT_BACK)


def _contents(connection: sqlite3.Connection) -> Iterator[Finding]:
    rows = {
        name: connection.execute(f"SELECT count(*) FROM {name} WHERE status = 'active'").fetchone()[0]
        for name in ("entity", "aspect", "attribute", "link")
    }
    yield Finding("graph", OK, ", ".join(rows_called(name, number) for name, number in rows.items()))
    with suppress(sqlite3.OperationalError):  # another program writes, or the file may only be read
        for index in damaged_indexes(connection):
            yield Finding("index", FAULT, f"the full-text index {index} is damaged", MENDED_BY)
    # SQLite from 3.44 on names such an index here, too.
    damage = next((row[0] for row in connection.execute("PRAGMA quick_check(100)") if "FTS5" not in row[0]), "ok")
    if damage == "ok":
        yield Finding("pages", OK, damage)
    else:
        yield Finding("pages", FAULT, damage, _PUT_BACK)
    wrong = name_index_faults(connection)
    if wrong:
        yield from (Finding("names", FAULT, one, "graphdream verify tells more") for one in wrong[:MOST])
    else:
        yield Finding("names", OK, "their index is right")
    if connection.execute("SELECT 1 FROM meta WHERE key = ?", (UNFINISHED,)).fetchone():
        words = "a purge was ended before the old pages were cleared: they still hold what it erased"
        yield Finding("purge", FAULT, words, "graphdream purge --finish")
    passes = connection.execute("SELECT count(*) FROM pass").fetchone()[0]
    yield Finding("journal", OK, f"{passes:,} passes; graphdream verify checks them")
    yield from _vectors(connection)


def _vectors(connection: sqlite3.Connection) -> Iterator[Finding]:
    """How far vectors reach, for each model that made some."""
    from graphdream.recall.vectors import coverage

    for (model,) in connection.execute("SELECT DISTINCT model FROM vector ORDER BY model").fetchall():
        reach = coverage(connection, model, ("fact",))
        lacking = reach.rows - reach.embedded
        words = f"{reach.embedded:,} of {reach.rows:,} facts have one of {model}"
        words += f"; {lacking:,} lack one and are found by their words alone" if lacking else ""
        yield Finding("vectors", NOTE if lacking else OK, words)
