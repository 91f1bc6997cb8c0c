"""Put the schema of a file right again: what is foreign goes, what is missing or altered comes back, rows stay.

Indexes that are damaged, that somebody else has written to, or that are not of the rows on record, are made anew, and
the numbers of ids that were given are set to what the rows and the journal say.

A copy of the file is kept first. All of it is one transaction: where one object cannot be put right, nothing changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from graphdream.errors import ForeignSchemaError, IntegrityError, NotFoundError, SchemaError
from graphdream.graph.fulltext import reindex_all
from graphdream.graph.nameindex import reindex_all_names
from graphdream.graph.objects import Difference, SchemaObject, differences, objects_of
from graphdream.graph.place import Place, make_private, refusal_of_no_file
from graphdream.graph.schema import APPLICATION_ID, bare_connection, copy_whole, newest_version
from graphdream.graph.sealhead import read_head
from graphdream.graph.sealindexes import FULL_TEXT, TALK, changed
from graphdream.graph.sequences import numbered, put_right, wrong_numbers
from graphdream.graph.store import Store
from graphdream.graph.talkshape import make_figures_anew, wrong_figures
from graphdream.graph.textindexes import damaged_indexes, empty, filling

_ORDER = ("trigger", "view", "index", "table")  # so that nothing is dropped under what names it


class Mended(NamedTuple):
    """What was done; `backup` is the file as it was, None where the schema was right."""

    backup: Path | None
    done: tuple[str, ...]


def differences_in(path: Path) -> tuple[Difference, ...]:
    """How the schema of a file differs from what its number says, whether or not the file can be opened otherwise.

    Raises:
        NotFoundError: there is no such file.
        SchemaError: it is none of graphdream's.
    """
    with closing(_raw(path)) as connection:
        return differences(connection, _version(connection, path))


def mend(path: Path, now: str) -> Mended:
    """Put the schema right.

    Args:
        now: the time, for the name of the backup; ISO 8601.

    Raises:
        NotFoundError: there is no such file.
        SchemaError: it is none of graphdream's, or an object cannot be put right; the file is as it was.
        UnwritableError: it cannot be written.
    """
    with closing(_raw(path)) as connection:
        Place.of(path).confirm(path)
        version = _version(connection, path)
        if not differences(connection, version) and not _has_unfit(connection):
            return Mended(None, ())
        backup = _copied(connection, path, now)
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("BEGIN IMMEDIATE")
        try:
            found = differences(connection, version)
            schema = [one for one in found if one.state != "miscounted"]
            done = [*_dropped(connection, schema), *_restored(connection, schema)]
            done += [*_made_anew(connection), *_counted(connection)]
            left = differences(connection, version)
            if left:
                raise _cannot(path, left)
            connection.execute("COMMIT")
        except BaseException as fault:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if isinstance(fault, sqlite3.Error):
                raise SchemaError(f"the schema of {path} cannot be put right: {fault}", _else()) from fault
            raise
    if version == newest_version():
        _seal_indexes(path)
    return Mended(backup, tuple(done))


def _seal_indexes(path: Path) -> None:
    """Have the head say what the full-text indexes are now, where nothing else is wrong with the file."""
    with suppress(IntegrityError, ForeignSchemaError), Store.open(path, create=False) as store:
        store.seal.indexes_made_anew = True
        with store.writing(graph=False):
            pass


def _counted(connection: sqlite3.Connection) -> Iterator[str]:
    objects = [(one.kind, one.name, one.table, one.sql) for one in objects_of(connection)]
    for name, found, wanted in wrong_numbers(connection, numbered(objects)):
        put_right(connection, name, wanted)
        yield f"set the number of the last {name} from {found} to {wanted}"


def _made_anew(connection: sqlite3.Connection) -> Iterator[str]:
    if _stale_indexes(connection):
        connection.execute("REINDEX")
        yield "made the indexes of the tables anew"
    for name in make_indexes_anew(connection):
        yield f"made the full-text index {name} anew"
    if put_figures_right(connection):
        yield "made the figures by which turns are ranked anew"


def make_indexes_anew(connection: sqlite3.Connection) -> list[str]:
    """Make the full-text indexes again, from the rows that are there, that are not whole or that somebody else has
    written to; returns their names. Within a write transaction."""
    found = _unfit_indexes(connection)
    for name in found:
        empty(connection, name)
        _fill(connection, name)
    return found


def put_figures_right(connection: sqlite3.Connection) -> bool:
    """Make the figures of the talk again from the turns, where they are not those; returns whether that was so. In a
    write transaction."""
    unfit = _unfit_figures(connection)
    if unfit:
        make_figures_anew(connection)
    return unfit


def _unfit_indexes(connection: sqlite3.Connection) -> list[str]:
    behind = [name for name in _changed(connection) if name in FULL_TEXT]
    return list(dict.fromkeys([*damaged_indexes(connection), *behind]))


def _has_unfit(connection: sqlite3.Connection) -> bool:
    """Whether something has to be made anew from the rows."""
    return _unfit_figures(connection) or bool(_unfit_indexes(connection)) or _stale_indexes(connection)


def _stale_indexes(connection: sqlite3.Connection) -> bool:
    """Whether an index of a table was not made of all its rows."""
    found = connection.execute("PRAGMA integrity_check").fetchall()
    return any(" missing from index " in words or " entries in index " in words for (words,) in found)


def _unfit_figures(connection: sqlite3.Connection) -> bool:
    return TALK in _changed(connection) or bool(wrong_figures(connection))


def _changed(connection: sqlite3.Connection) -> list[str]:
    head = read_head(connection)
    return changed(connection, head.state) if head is not None else []


def _raw(path: Path) -> sqlite3.Connection:
    """A connection that takes a schema as it is, broken ones included."""
    if (no_file := refusal_of_no_file(path)) is not None:
        raise no_file
    if not path.is_file():
        raise NotFoundError(f"there is no database at {path}")
    connection = bare_connection(path)
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def _version(connection: sqlite3.Connection, path: Path) -> int:
    try:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
    except sqlite3.DatabaseError as fault:
        why = SchemaError(f"{path} cannot be opened as a graphdream database: {fault}")
        raise (refusal_of_no_file(path) or why) from fault
    if mark != APPLICATION_ID or not 0 < version <= newest_version():
        raise SchemaError(f"{path} is no graphdream database that this program knows (schema {version})")
    return version


def _copied(connection: sqlite3.Connection, path: Path, now: str) -> Path:
    """A copy of the file, with what stands in its log."""
    stamp = "".join(sign for sign in now[:19] if sign.isdigit())
    backup = path.with_name(f"{path.name}.unmended{stamp}.backup")
    copy_whole(connection, make_private(backup))
    return backup


def _dropped(connection: sqlite3.Connection, found: Sequence[Difference]) -> Iterator[str]:
    """Take away what is foreign, and what stands altered where it can be made anew from the rows."""
    for one in sorted(found, key=lambda one: _ORDER.index(one.object.kind)):
        there = one.found
        if there is None or (there.kind == "table" and one.state == "altered" and not there.full_text):
            continue
        _drop(connection, there)
        if one.state == "foreign":
            yield f"dropped {there.kind} {there.name}"


def _drop(connection: sqlite3.Connection, there: SchemaObject) -> None:
    quoted = there.name.replace('"', '""')
    try:
        connection.execute(f'DROP {there.kind.upper()} "{quoted}"')
    except sqlite3.DatabaseError:
        # SQLite drops nothing that it could not read, or that bears a name of its own; its line goes all the same.
        connection.execute("DELETE FROM sqlite_master WHERE type = ? AND name = ?", there.key)


def _restored(connection: sqlite3.Connection, found: Sequence[Difference]) -> Iterator[str]:
    """Make anew what is missing or was altered: tables first, triggers last, so that filling a table fires none."""
    for one in sorted(found, key=lambda one: -_ORDER.index(one.object.kind)):
        wanted = one.wanted
        if wanted is None:
            continue
        if wanted.kind == "table" and not wanted.sql.startswith("CREATE VIRTUAL TABLE"):
            if one.found is not None:
                yield from _without_added_columns(connection, one.found, wanted)
            continue  # the rows of a table that is missing are not known
        connection.execute(wanted.sql)
        if wanted.full_text:
            _fill(connection, wanted.name)
        yield f"restored {wanted.kind} {wanted.name}"


def _without_added_columns(connection: sqlite3.Connection, there: SchemaObject, wanted: SchemaObject) -> Iterator[str]:
    """Drop the columns of a table that the migrations do not make."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.execute(wanted.sql)
        ours = {row[1] for row in fresh.execute(f'PRAGMA table_xinfo("{wanted.name}")')}
    for column in [row[1] for row in connection.execute(f'PRAGMA table_xinfo("{there.name}")')]:
        if column not in ours:
            quoted = column.replace('"', '""')
            connection.execute(f'ALTER TABLE "{there.name}" DROP COLUMN "{quoted}"')
            yield f"dropped column {column} of {there.name}"


def _fill(connection: sqlite3.Connection, index: str) -> None:
    """Index the rows on record, in the way that the migration which made the index does."""
    if index == "fact_index":
        reindex_all(connection)
        return
    if index == "name_index":
        reindex_all_names(connection)
        return
    for statement in filling(index):
        connection.execute(statement)


def _cannot(path: Path, left: Sequence[Difference]) -> SchemaError:
    more = f" (and {len(left) - 1:,} more)" if len(left) > 1 else ""
    return SchemaError(f"the schema of {path} cannot be put right: {left[0]}{more}", _else())


def _else() -> str:
    return "nothing was changed; put a backup of the file in its place"
