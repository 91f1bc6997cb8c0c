#!/usr/bin/env python3
"""Write fixtures/schemas/NNNN.db.gz: one memory as it was under every schema of migrations/.

    python tools/schema_files.py [FOLDER]

With them goes migrations/objects.digest, by which a file is known to have the schema of the newest migration.

The memory is lived once with this program: a graph, sessions, a dream, an undo, edits, feedback. Under an older schema
it has the tables and columns of that schema. A file that is there is kept: what a schema was never changes.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database, Migrations

from graphdream.graph import objects, schema
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main as graphdream

PROJECT = Path(__file__).resolve().parent.parent
# Entities with their facts, as `graphdream import` reads them.
GRAPH = (
    ("entity", {"id": "n1", "name": "Grace"}),
    ("aspect", {"id": "p1", "entity_id": "n1", "name": "work"}),
    ("attribute", {"id": "f1", "entity_id": "n1", "aspect_id": "p1", "content": "Grace writes compilers."}),
    ("attribute", {"id": "f2", "entity_id": "n1", "aspect_id": "p1", "content": "Her timezone is America/New_York."}),
    ("entity", {"id": "n2", "name": "Ship's log"}),
    ("aspect", {"id": "p2", "entity_id": "n2", "name": "general"}),
    ("attribute", {"id": "f3", "entity_id": "n2", "aspect_id": "p2", "content": "The log is kept in Postgres 16."}),
    ("edge", {"id": "l1", "source_id": "n1", "target_id": "n2", "type": "keeps"}),
)


def main() -> int:
    """Write what is missing, and say what was written."""
    newest = schema.newest_version()
    with objects.made_new(newest) as fresh:
        digest = objects.digest_of(fresh)
    (PROJECT / "migrations" / objects.DIGEST_FILE).write_text(f"{newest} {digest}\n", encoding="ascii")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "fixtures" / "schemas"
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        known = sorted(target.glob("*.db.gz"))
        lived = _upgraded(known[-1], Path(folder)) if known else _live(Path(folder))
        for number, file in enumerate(schema.migration_files(), 1):
            packed = target / f"{file.name[:4]}.db.gz"
            if packed.exists():
                continue
            plain = Path(folder) / packed.stem
            _write(plain, lived, schema.migration_files()[:number])
            packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
            print(f"{packed.name}: {packed.stat().st_size:,} bytes")
    return 0


def _upgraded(packed: Path, folder: Path) -> Path:
    """The same memory as of the newest schema that has a file, brought up to date."""
    path = folder / "lived.db"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    Store.open(path).close()
    return path


def _live(folder: Path) -> Path:
    """A small memory in which everything that a schema has room for has happened."""
    path, graph = folder / "lived.db", folder / "graph.jsonl"
    graph.write_text("".join(json.dumps({"kind": kind, **row}) + "\n" for kind, row in GRAPH), encoding="utf-8")
    os.environ["GRAPHDREAM_HOME"] = str(folder / "home")
    lines = '{"role": "user", "content": "I moved to Lisbon."}\n{"role": "assistant", "content": "Noted."}\n'
    (folder / "talk.jsonl").write_text(lines, encoding="utf-8")
    for words in (
        ["import", str(graph)],
        ["record", "--session", "s1", "--summary", "Grace moved to Lisbon. She likes ships."],
        ["record", "--session", "s2", "--transcript", str(folder / "talk.jsonl"), "--observation", "Grace likes tea."],
        ["dream"],
        ["remember", "Grace Hopper sails on Sundays", "--wait", "--category", "person/Grace Hopper/habits"],
        ["merge", "Grace", "Grace Hopper"],
        ["undo", "3"],
        ["pin", "Grace"],
        ["constraint", "a1"],
        ["feedback", "a1", "used", "--session", "s1"],
        ["working", "put", "plan", "go on", "--ttl", "500000"],
        ["skills", "use", "mail", "--session", "s1"],
        ["context", "--session", "s3", "--message", "ships", "--mark"],
        ["purge", "s2", "--yes"],
        ["record", "--session", "s4", "--summary", "Grace bought a boat."],
    ):
        if graphdream([*words, "--db", str(path)]) != 0:
            raise SystemExit(f"could not: {words}")
    return path


def _write(path: Path, lived: Path, files: Sequence[Path]) -> None:
    """A file with the schema that so many migrations make, and the rows of the other that it has room for."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        connection.execute("ATTACH ? AS lived", (str(lived),))
        filled: set[str] = set()
        for file in files:
            migrations = Migrations("graphdream")
            migrations(name=file.stem)(schema.runner(file))
            migrations.apply(Database(connection))
            if file is not files[0]:
                _fill(connection, filled)  # what this one has added
                continue
            triggers = connection.execute("SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            _fill(connection, filled)
            for _, sql in triggers:
                connection.execute(sql)
            columns = "rowid, name, path, content, tags"
            connection.execute(f"INSERT INTO main.fact_index ({columns}) SELECT {columns} FROM lived.fact_index")
        connection.execute("DETACH lived")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
    print(f"{path.name}: {', '.join(sorted(filled))}")


def _fill(connection: sqlite3.Connection, filled: set[str]) -> None:
    """Copy the rows of each table that has none of them yet; what a migration derives from others it derives itself."""
    tables = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
        " AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE '%\\_shape' ESCAPE '\\'"
    ).fetchall()
    connection.execute("PRAGMA foreign_keys = OFF")
    for (table,) in tables:
        if table in filled:
            continue
        filled.add(table)
        columns = ", ".join(
            row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?, 'main')", (table,))
        )
        connection.execute(f"INSERT OR REPLACE INTO main.{table} ({columns}) SELECT {columns} FROM lived.{table}")
    connection.execute(
        "INSERT OR REPLACE INTO main.sqlite_sequence (rowid, name, seq) SELECT rowid, name, seq FROM"
        " lived.sqlite_sequence WHERE name IN (SELECT name FROM main.sqlite_master)"
    )


if __name__ == "__main__":
    raise SystemExit(main())
