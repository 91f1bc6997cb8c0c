"""What is erased from the journal for privacy: the text goes, its digest stays in its place, so that the chain holds.

The chain of a pass covers the digest of each change, each mutation and each text of it (`sealed_entries`). Where one is
purged, the digest is kept in the table `erasure`, with the purge that did it; a purge seals how many entries it has
erased, so an entry that vanishes without one is found (`erasure_faults`).

What remains of an erased change is which row it was of and what was done to it; of a mutation its operation and its
outcome. Who can guess an erased entry to the letter can still tell that it was there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from graphdream.graph.spans import of_pass
from graphdream.graph.tables import Table

ERASED = "null"  # the diff of a change that was purged; no trigger writes one
TEXTS = ("answer", "summary", "error")  # columns of `pass` that hold words
_CHANGE = "CAST(kind || ',' || row_id || op || diff AS BLOB)"
_MUTATION = "CAST(json_array(position, op, body, status, code, message) AS BLOB)"


_PAGE = 5_000  # entries read at once
_hasher = blake2b(digest_size=32)


def _digest(text: bytes) -> bytes:
    digest = _hasher.copy()  # quicker than one made anew
    digest.update(text)
    return digest.digest()


def sealed_entries(connection: sqlite3.Connection, pass_id: int) -> Iterator[bytes]:
    """The digests that the chain of a pass covers: of its texts, its mutations and its changes, in order; where one was
    purged, the digest that was kept of it.

    Yields:
        Some digests at a time, 32 bytes each.
    """
    kept = {
        (book, place): digest
        for book, place, digest in connection.execute(
            "SELECT book, place, digest FROM erasure WHERE pass_id = ?", (pass_id,)
        )
    }
    texts = connection.execute(f"SELECT {', '.join(TEXTS)} FROM pass WHERE id = ?", (pass_id,)).fetchone()
    entries = (
        ("mutation", f"SELECT position, {_MUTATION} FROM mutation WHERE pass_id = ?1 ORDER BY position"),
        ("change", f"SELECT id, {_CHANGE} FROM change WHERE {of_pass('?1')} AND pass_id = ?1 ORDER BY id"),
    )
    for book, text in zip(TEXTS, texts, strict=True):
        yield kept.get((book, 0)) or _digest(text.encode())
    for book, select in entries:
        found = connection.execute(select, (pass_id,))
        found.row_factory = None
        while page := found.fetchmany(_PAGE):
            if kept:
                yield b"".join([kept.get((book, place)) or _digest(text) for place, text in page])
            else:
                yield b"".join([_digest(text) for _, text in page])


def erase_changes(connection: sqlite3.Connection, kind: int, row_ids: Iterable[int], purged_by: int) -> int:
    """Erase every change of these rows of a table (`kind` is its number). Returns how many there were."""
    found = connection.execute(
        f"SELECT pass_id, 'change', id, {_CHANGE} FROM change WHERE kind = ? AND row_id IN (SELECT value FROM"
        " json_each(?)) AND diff <> ?",
        (kind, json.dumps(sorted(row_ids)), ERASED),
    ).fetchall()
    _keep_digests(connection, found, purged_by)
    connection.executemany("UPDATE change SET diff = ? WHERE id = ?", [(ERASED, row[2]) for row in found])
    return len(found)


def erase_mutation(connection: sqlite3.Connection, pass_id: int, position: int, purged_by: int) -> int:
    """Erase the body and the message of a mutation. Returns 0 where they were erased before."""
    found = connection.execute(
        f"SELECT pass_id, 'mutation', position, {_MUTATION} FROM mutation WHERE pass_id = ? AND position = ?"
        " AND NOT EXISTS (SELECT 1 FROM erasure WHERE erasure.pass_id = mutation.pass_id AND book = 'mutation'"
        " AND place = position)",
        (pass_id, position),
    ).fetchall()
    _keep_digests(connection, found, purged_by)
    connection.execute(
        "UPDATE mutation SET body = '{}', message = 'purged' WHERE pass_id = ? AND position = ?", (pass_id, position)
    )
    return len(found)


def erase_text(connection: sqlite3.Connection, pass_id: int, column: str, purged_by: int) -> int:
    """Erase one of the `TEXTS` of a pass. Returns 0 where there was nothing to erase."""
    found = connection.execute(
        f"SELECT id, ?, 0, CAST({column} AS BLOB) FROM pass WHERE id = ? AND {column} <> ''", (column, pass_id)
    ).fetchall()
    _keep_digests(connection, found, purged_by)
    connection.execute(f"UPDATE pass SET {column} = '' WHERE id = ?", (pass_id,))
    return len(found)


def _keep_digests(connection: sqlite3.Connection, entries: Iterable[sqlite3.Row], purged_by: int) -> None:
    connection.executemany(
        "INSERT INTO erasure (pass_id, book, place, digest, purged_by) VALUES (?, ?, ?, ?, ?)",
        [(pass_id, book, place, _digest(text), purged_by) for pass_id, book, place, text in entries],
    )


def is_erased(connection: sqlite3.Connection, pass_id: int) -> bool:
    """Whether anything of a pass was purged."""
    return connection.execute("SELECT 1 FROM erasure WHERE pass_id = ?", (pass_id,)).fetchone() is not None


def erased_rows(connection: sqlite3.Connection, table: Table) -> set[int]:
    """Ids of the rows of a table that were purged."""
    rows = connection.execute(
        "SELECT DISTINCT row_id FROM erasure JOIN change ON change.id = place WHERE book = 'change' AND kind = ?",
        (table.kind,),
    )
    return {row[0] for row in rows}


def erasure_faults(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Entries that were erased without a purge that says so, and such as say they were erased and are not.

    Yields:
        The pass and the fault in words.
    """
    counted = dict(connection.execute("SELECT purged_by, count(*) FROM erasure GROUP BY purged_by").fetchall())
    sealed = dict(
        connection.execute(
            "SELECT id, json_extract(counts, '$.erased') FROM pass WHERE kind = 'purge' AND status = 'applied'"
        ).fetchall()
    )
    for purge in sorted(counted.keys() | sealed.keys()):
        if counted.get(purge, 0) != (sealed.get(purge) or 0):
            yield (
                purge,
                f"{counted.get(purge, 0)} entries of the journal were erased in the name of pass {purge}, which"
                f" sealed {sealed.get(purge) or 0}",
            )
    standing = (
        "SELECT erasure.pass_id, 'change', place FROM erasure JOIN change ON change.id = place"
        " WHERE book = 'change' AND diff <> 'null'",
        "SELECT erasure.pass_id, 'mutation', place FROM erasure JOIN mutation ON mutation.pass_id = erasure.pass_id"
        " AND position = place WHERE book = 'mutation' AND (body <> '{}' OR message <> 'purged')",
        *(
            f"SELECT pass.id, book, 0 FROM erasure JOIN pass ON id = pass_id WHERE book = '{text}' AND {text} <> ''"
            for text in TEXTS
        ),
    )
    for select in standing:
        for pass_id, book, place in connection.execute(select):
            yield pass_id, f"{book} {place} of pass {pass_id} was purged, and something stands in its place"
