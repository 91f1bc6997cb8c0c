"""What somebody does to a memory who can write to its folder, knows this program, and has not got the key.

Nine kinds of edit, each in four ways: the sums that need no key are left as they are, or made anew, or a pass that is well
formed is appended to it, or the anchor is removed besides.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from graphdream.graph.rowtext import row_sql
from graphdream.graph.store import HASH_BITS, Store, hash_text, row_hash
from graphdream.graph.tables import ATTRIBUTE, TABLES
from graphdream.interfaces.cli import main
from graphdream.journal.passes import PassHeader, chain_of, current_hash, open_pass
from graphdream.journal.soundness import not_as_chained
from graphdream.sealing.anchor import anchor_path
from graphdream.sealing.places import place_of

FACTS = (
    "Grace keeps the log in Postgres 16.",
    "Grace sails on Sundays.",
    "The harbour opens at six.",
    "Ines Duarte signs the deploys.",
    "The Lantern API listens on port 8443.",
)
WAYS = ("left", "recomputed", "appended", "anchor removed")


@dataclass(frozen=True)
class World:
    """A memory that was lived in, an older copy of it, and the memory of another agent."""

    memory: Path
    older: Path
    other: Path


def live(folder: Path) -> World:
    """Two memories that hold the same number of rows; of the first, a whole copy from before its last passes."""
    memory, other = folder / "agent" / "memory.db", folder / "other" / "memory.db"
    for path, word in ((memory, "Grace"), (other, "Mallory")):
        for number, fact in enumerate(FACTS):
            _do(path, "remember", fact.replace("Grace", word), "--wait", "--category", f"person/{word}/notes{number}")
        _do(path, "record", "--session", "s1", "--summary", f"{word} moved the log to Postgres 16.")
    older = folder / "older.db"
    shutil.copy(memory, older)
    _do(memory, "replace", "a2", "Grace sails on Saturdays.")
    _do(memory, "remember", "Grace bought a second boat.", "--wait", "--category", "person/Grace/boats")
    _do(memory, "record", "--session", "s2", "--summary", "Grace bought a second boat.")
    return World(memory, older, other)


def _do(path: Path, *words: str) -> None:
    code = main([*words, "--db", str(path)])
    assert code == 0, words


# ---------------------------------------------------------------------- the nine edits


@contextmanager
def shell(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as any program may open it: triggers taken away first and put back, foreign keys off.

    In one transaction each, and nothing waits for the disk: there are dozens of triggers, and a commit for each of them
    would take longer than all that is tested.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        with together(connection):
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
        yield connection
        with together(connection):
            for _, sql in triggers:
                connection.execute(sql)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def together(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction around statements, where a connection begins none by itself."""
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.execute("COMMIT")


def content(world: World) -> None:
    """A fact says something else."""
    with shell(world.memory) as c:
        c.execute("UPDATE attribute SET content = 'Grace keeps the log in MongoDB.' WHERE id = 1")
        c.execute("UPDATE fact_index SET content = 'Grace keeps the log in MongoDB.' WHERE rowid = 1")


def truncation(world: World) -> None:
    """The newest pass never was."""
    with shell(world.memory) as c:
        (last,) = c.execute("SELECT max(id) FROM pass").fetchone()
        for table in ("attribute", "aspect", "evidence", "mention", "alias", "link", "entity"):
            for (row,) in c.execute(f"SELECT id FROM {table} WHERE version = ?", (last,)).fetchall():
                c.execute(f"DELETE FROM {table} WHERE id = ?", (row,))
                if table == "attribute":
                    c.execute("DELETE FROM fact_index WHERE rowid = ?", (row,))
        c.execute("DELETE FROM change WHERE pass_id = ?", (last,))
        c.execute("DELETE FROM mutation WHERE pass_id = ?", (last,))
        c.execute("DELETE FROM pass WHERE id = ?", (last,))
        c.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'pass'", (last - 1,))


def deletion(world: World) -> None:
    """A fact in the middle is gone, and nothing tells of it."""
    with shell(world.memory) as c:
        c.execute("DELETE FROM attribute WHERE id = 3")
        c.execute("DELETE FROM fact_index WHERE rowid = 3")
        c.execute("DELETE FROM change WHERE kind = 4 AND row_id = 3")


def reorder(world: World) -> None:
    """Two facts have changed places."""
    with shell(world.memory) as c:
        first, second = (c.execute("SELECT content FROM attribute WHERE id = ?", (n,)).fetchone()[0] for n in (1, 3))
        for number, text in ((1, second), (3, first)):
            c.execute("UPDATE attribute SET content = ? WHERE id = ?", (text, number))
            c.execute("UPDATE fact_index SET content = ? WHERE rowid = ?", (text, number))


def insertion(world: World) -> None:
    """A fact that nobody told."""
    with shell(world.memory) as c:
        (last,) = c.execute("SELECT max(id) FROM attribute").fetchone()
        (changed,) = c.execute("SELECT max(id) FROM change").fetchone()
        columns = [
            row[1] for row in c.execute("PRAGMA table_info(attribute)") if row[1] not in ("id", "uid", "content")
        ]
        c.execute(
            f"INSERT INTO attribute (id, uid, content, {', '.join(columns)})"
            f" SELECT ?, 'att_forged', 'Grace keeps the keys in Mallory''s desk.', {', '.join(columns)} FROM attribute"
            " WHERE id = 1",
            (last + 1,),
        )
        c.execute(
            "INSERT INTO fact_index (rowid, name, path, content, tags) SELECT ?, name, path,"
            " 'Grace keeps the keys in Mallory''s desk.', tags FROM fact_index WHERE rowid = 1",
            (last + 1,),
        )
        text = c.execute(f"SELECT {_row('attribute')} FROM attribute WHERE id = ?", (last + 1,)).fetchone()[0]
        c.execute("INSERT INTO change VALUES (?, 1, 4, ?, '+', ?)", (changed + 1, last + 1, text.decode()))


def replay(world: World) -> None:
    """A fact of another agent's memory, with the seals that it has there."""
    with shell(world.memory) as c:
        c.execute("ATTACH ? AS theirs", (str(world.other),))
        (text,) = c.execute("SELECT content FROM theirs.attribute WHERE id = 1").fetchone()
        c.execute("UPDATE attribute SET content = ? WHERE id = 1", (text,))
        c.execute("UPDATE fact_index SET content = ? WHERE rowid = 1", (text,))
        leaf = 4 << 56
        c.execute(
            "UPDATE seal_node SET seals = (SELECT seals FROM theirs.seal_node WHERE id = ?1) WHERE id = ?1", (leaf,)
        )
        c.execute("DETACH theirs")


def rollback(world: World) -> None:
    """One fact is again what it was, with the seals that it had then."""
    with shell(world.memory) as c:
        c.execute("ATTACH ? AS older", (str(world.older),))
        c.execute("DELETE FROM attribute WHERE id = 2")
        c.execute("INSERT INTO attribute SELECT * FROM older.attribute WHERE id = 2")
        (last,) = c.execute("SELECT max(id) FROM older.change").fetchone()
        c.execute("DELETE FROM change WHERE kind = 4 AND row_id = 2 AND id > ?", (last,))
        c.execute(
            "UPDATE seal_node SET seals = (SELECT seals FROM older.seal_node WHERE id = ?1) WHERE id = ?1", (4 << 56,)
        )
        c.execute("DETACH older")


def metadata(world: World) -> None:
    """What the user said counts as inferred."""
    with shell(world.memory) as c:
        c.execute("UPDATE attribute SET authority = 'inferred', confidence = 0.1 WHERE id = 1")


def older_copy(world: World) -> None:
    """All of the file as it was before."""
    for suffix in ("-wal", "-shm"):
        world.memory.with_name(world.memory.name + suffix).unlink(missing_ok=True)
    shutil.copy(world.older, world.memory)


EDITS: dict[str, Callable[[World], None]] = {
    "content": content,
    "tail truncation": truncation,
    "middle deletion": deletion,
    "reorder": reorder,
    "forged insertion": insertion,
    "replay from another agent": replay,
    "rollback of one record": rollback,
    "metadata": metadata,
    "older complete copy": older_copy,
}


def attack(world: World, edit: str, way: str) -> None:
    """Edit the memory in one of the ways."""
    EDITS[edit](world)
    if way != "left":
        recompute(world.memory)
    if way == "appended":
        append(world.memory)
    if way == "anchor removed":
        anchor_path(place_of(world.memory)).unlink()


# ---------------------------------------------------------------------- the journal alone: the graph is left as it is

REPLACED = 6  # the pass of `live` that replaces the fact a2


def change(world: World) -> None:
    """The journal says that a fact had said something else before it was replaced."""
    with shell(world.memory) as c:
        found = c.execute("SELECT id, diff FROM change WHERE pass_id = ? AND kind = 4 AND op = '~'", (REPLACED,))
        ((number, diff),) = found.fetchall()
        told = json.loads(diff) | {str(ATTRIBUTE.place("content")): ["Mallory sails.", "Grace sails on Sundays."]}
        c.execute("UPDATE change SET diff = ? WHERE id = ?", (json.dumps(told), number))


def span(world: World) -> None:
    """The changes of one pass count as those of another."""
    with shell(world.memory) as c:
        c.execute(
            "UPDATE pass SET (first_change, last_change) = (SELECT first_change, last_change FROM pass WHERE id = 5)"
            " WHERE id = ?",
            (REPLACED,),
        )


def status(world: World) -> None:
    """A pass is said to have failed."""
    with shell(world.memory) as c:
        c.execute("UPDATE pass SET status = 'failed' WHERE id = ?", (REPLACED,))


def account(world: World) -> None:
    """A pass is said to be another model's, and to have cost more."""
    with shell(world.memory) as c:
        c.execute("UPDATE pass SET model = 'gpt-9', cost = 99.0 WHERE id = ?", (REPLACED,))


def stray(world: World) -> None:
    """A change that lies where no pass made one, in the name of a pass."""
    with shell(world.memory) as c:
        diff = json.dumps({str(ATTRIBUTE.place("content")): ["Mallory sails.", "Grace sails on Sundays."]})
        c.execute("INSERT INTO change VALUES (-1, ?, 4, 2, '~', ?)", (REPLACED, diff))


def consent(world: World) -> None:
    """A pass with a forged change says of itself that a person has taken it as it is."""
    change(world)
    with shell(world.memory) as c:
        told = {"reason": "looked at it", "faults": [["chain", not_as_chained(REPLACED)]], "mended": []}
        c.execute("UPDATE pass SET kind = 'trust', options = ? WHERE id = ?", (json.dumps(told), REPLACED))


FORGERIES: dict[str, Callable[[World], None]] = {
    "change": change, "span": span, "status": status, "account": account, "stray": stray, "consent": consent,
}  # fmt: skip
"""Edits of the journal after which the pass `REPLACED` says something else."""


# ---------------------------------------------------------------------- what needs no key


def recompute(path: Path) -> None:
    """Make the journal tell the rows as they are, and every sum and link of the chain right again."""
    with shell(path) as c:
        c.row_factory = sqlite3.Row
        (first,) = c.execute("SELECT min(id) FROM pass").fetchone()
        for table in TABLES:
            rows = {row[0]: row[1] for row in c.execute(f"SELECT id, {row_sql(table)} FROM {table.name}")}
            told = {row[0] for row in c.execute("SELECT DISTINCT row_id FROM change WHERE kind = ?", (table.kind,))}
            for row_id, text in rows.items():
                _tell(c, table.kind, row_id, text, first)
            for row_id in told - rows.keys():
                c.execute("DELETE FROM change WHERE kind = ? AND row_id = ?", (table.kind, row_id))
        spans = c.execute("SELECT id FROM pass ORDER BY id").fetchall()
        moved = c.execute("SELECT id, pass_id FROM change ORDER BY pass_id, id").fetchall()
        c.execute("UPDATE change SET id = -id")
        c.executemany("UPDATE change SET id = ? WHERE id = ?", [(n, -row["id"]) for n, row in enumerate(moved, 1)])
        total = 0
        for table in TABLES:
            for (text,) in c.execute(f"SELECT {row_sql(table)} FROM {table.name}"):
                total += row_hash(table.kind, text)
        left = hash_text(total % (1 << HASH_BITS))
        for (pass_id,) in spans:
            own = [n for n, row in enumerate(moved, 1) if row["pass_id"] == pass_id]
            low = own[0] if own else sum(row["pass_id"] < pass_id for row in moved) + 1
            c.execute(
                "UPDATE pass SET first_change = ?, last_change = ?, hash_before = ?, hash_after = ? WHERE id = ?",
                (low, own[-1] if own else low - 1, left if pass_id > first else hash_text(0), left, pass_id),
            )
            c.execute("UPDATE pass SET chain = ? WHERE id = ?", (chain_of(c, pass_id), pass_id))


def _tell(c: sqlite3.Connection, kind: int, row_id: int, text: bytes, first: int) -> None:
    """The journal says of a row that it was made as it is, by the pass that it names as its last."""
    table = next(table.name for table in TABLES if table.kind == kind)
    (version,) = c.execute(f"SELECT version FROM {table} WHERE id = ?", (row_id,)).fetchone()
    known = [
        row[0] for row in c.execute("SELECT id FROM change WHERE kind = ? AND row_id = ? ORDER BY id", (kind, row_id))
    ]
    there = c.execute("SELECT 1 FROM pass WHERE id = ?", (version,)).fetchone() is not None
    pass_id = version if there else first
    if not known:
        (last,) = c.execute("SELECT max(id) FROM change").fetchone()
        c.execute("INSERT INTO change VALUES (?, ?, ?, ?, '+', ?)", (last + 1, pass_id, kind, row_id, text.decode()))
        return
    c.execute("DELETE FROM change WHERE kind = ? AND row_id = ? AND id <> ?", (kind, row_id, known[0]))
    c.execute("UPDATE change SET op = '+', diff = ?, pass_id = ? WHERE id = ?", (text.decode(), pass_id, known[0]))


def append(path: Path) -> None:
    """A pass that is well formed in everything but its seal, made with this program's own code."""
    with Store.open(path, scratch=True) as store:
        header = PassHeader("edit", trigger="person", graph_hash=current_hash(store.connection))
        with open_pass(store, header) as current:
            store.connection.execute("UPDATE attribute SET importance = 0.9, version = ? WHERE id = 1", (current.id,))


def _row(name: str) -> str:
    return row_sql(next(table for table in TABLES if table.name == name))
