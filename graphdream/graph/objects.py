"""What the schema of a file is made of: is it what the migrations make, and what is foreign, missing or altered.

Whoever can write to a file can plant a trigger that rewrites facts, a unique index that ends every write, or a view in
the place of a table. On every open a digest over the schema table is compared with the one of a file made new, which is
shipped beside the migrations; only where they differ is the schema made anew in memory and compared object by object.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from functools import cache
from operator import itemgetter
from pathlib import Path

from graphdream.errors import ForeignSchemaError, SchemaError
from graphdream.graph.sequences import numbered, wrong_numbers
from graphdream.sealing.codes import blake2b

TYPE_CHECKING = False  # as a type checker reads it; a hook opens a file, and to load `typing` takes it long
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

DIGEST_FILE = "objects.digest"  # beside the migrations: number of the schema, digest of its objects
MENDED_BY = "graphdream doctor --mend-schema"

# What SQLite and sqlite-utils keep for themselves, by the table it belongs to.
_BOOKKEEPING = ("_sqlite_migrations", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4")
_FULL_TEXT = "USING fts5 ("
_SHADOWS = ("_data", "_idx", "_content", "_docsize", "_config")  # of a full-text index: its own tables


_NAME_THEN_KIND = itemgetter(1, 0)

_Row: TypeAlias = "tuple[str, str, str, str]"  # kind, name, table and SQL of an object


class SchemaObject:
    """A table, index, view or trigger as the schema table of SQLite names it."""

    __slots__ = ("kind", "name", "sql", "table")

    def __init__(self, kind: str, name: str, table: str, sql: str) -> None:
        self.kind, self.name, self.table, self.sql = kind, name, table, sql

    @property
    def key(self) -> tuple[str, str]:
        """What it is known by: a name is used once, but a view may stand where a table was."""
        return self.kind, self.name

    @property
    def full_text(self) -> bool:
        """Whether it is a full-text index, which has tables of its own."""
        return self.kind == "table" and self.sql.startswith("CREATE VIRTUAL TABLE") and _FULL_TEXT in self.sql


class Difference:
    """One object of a file that is not what the migrations make.

    `state` is "foreign", "missing", "altered" or, of the number of the last id that was given, "miscounted"; `found` is
    what is in the file, `wanted` what should be.
    """

    __slots__ = ("found", "state", "wanted")

    def __init__(self, state: str, found: SchemaObject | None, wanted: SchemaObject | None) -> None:
        self.state, self.found, self.wanted = state, found, wanted

    @property
    def object(self) -> SchemaObject:
        """The object that the difference is about."""
        one = self.found or self.wanted
        assert one is not None
        return one

    def __str__(self) -> str:
        one = self.object
        if self.found is not None and self.wanted is not None and self.state == "miscounted":
            return f"the number of the last {one.name} {self.found.sql}, and {self.wanted.sql}"
        said = {
            "foreign": "is none of graphdream's", "missing": "is missing",
            "altered": "is not as the migrations make it",
        }[self.state]  # fmt: skip
        return f"{one.kind} {one.name} {said}"


def objects_of(connection: sqlite3.Connection) -> list[SchemaObject]:
    """The objects of a file that migrations could have made, without what SQLite keeps for itself, by name."""
    return [SchemaObject(*row) for row in _rows_of(connection)]


def digest_of(connection: sqlite3.Connection) -> str:
    """Digest over the objects of a file's schema, 32 hexadecimal digits."""
    return _digest(_rows_of(connection))


def _digest(rows: Sequence[_Row]) -> str:
    text = "\0".join(map("\0".join, rows))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _rows_of(connection: sqlite3.Connection) -> list[_Row]:
    """Kind, name, table and SQL of each object. Every command does this, so nothing is made of the rows."""
    cursor = connection.cursor()
    cursor.row_factory = None  # tuples as they come
    cursor.execute("SELECT type, name, tbl_name, CAST(sql AS TEXT) FROM sqlite_master WHERE sql IS NOT NULL")
    found = sorted(cursor.fetchall(), key=_NAME_THEN_KIND)  # in half the time that SQLite takes to sort whole rows
    aside = set(_BOOKKEEPING)
    for kind, name, _, sql in found:
        if kind == "table" and sql.startswith("CREATE VIRTUAL TABLE") and _FULL_TEXT in sql:
            aside.update([name + end for end in _SHADOWS])
    return [row for row in found if row[2] not in aside or row[0] not in ("table", "index")]


@contextmanager
def made_new(version: int) -> Iterator[sqlite3.Connection]:
    """An empty file of a schema, in memory, as the migrations up to it make it."""
    from graphdream.graph.schema import migration_files, statements_of

    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        for file in migration_files():
            if int(file.name[:4]) <= version:
                for statement in statements_of(file):
                    fresh.execute(statement)
        yield fresh


def differences(connection: sqlite3.Connection, version: int) -> tuple[Difference, ...]:
    """How the schema of a file differs from the one that its version should have; () where it does not. The numbers by
    which SQLite knows which ids it has given count as a part of it."""
    rows = _rows_of(connection)
    if _digest(rows) == _shipped(version):
        return _miscounted(connection, numbered(rows))
    there = {one.key: one for one in (SchemaObject(*row) for row in rows)}
    with made_new(version) as fresh:
        wanted = {one.key: one for one in objects_of(fresh)}
    differing = [Difference("foreign", one, None) for key, one in there.items() if key not in wanted]
    differing += [Difference("missing", None, one) for key, one in wanted.items() if key not in there]
    differing += [
        Difference("altered", there[key], one)
        for key, one in wanted.items()
        if key in there and (there[key].sql, there[key].table) != (one.sql, one.table)
    ]
    return tuple(differing)


def _miscounted(connection: sqlite3.Connection, names: Sequence[str]) -> tuple[Difference, ...]:
    return tuple(
        Difference(
            "miscounted",
            SchemaObject("number", name, name, f"is {found}" if found is not None else "is gone"),
            SchemaObject("number", name, name, f"should be {wanted}"),
        )
        for name, found, wanted in wrong_numbers(connection, names)
    )


def misleading(connection: sqlite3.Connection, found: Sequence[Difference]) -> list[Difference]:
    """Those differences that could change what reading a file returns.

    A trigger acts on writing alone, and no question names a table or view that is foreign. A table or view of ours that
    is not what it should be is read all the same; so is an index, which SQLite prefers to its table: one that does not
    hold what its table holds tells something else.
    """
    wrong = [one for one in found if one.object.kind in ("table", "view") and one.state != "foreign"]
    for one in found:
        if one.found is not None and one.found.kind == "index" and not _holds_its_table(connection, one.found.table):
            wrong.append(one)
    return wrong


def _holds_its_table(connection: sqlite3.Connection, table: str) -> bool:
    """Whether the indexes of a table hold what is in it."""
    quoted = table.replace('"', '""')
    return [tuple(row) for row in connection.execute(f'PRAGMA integrity_check("{quoted}")')] == [("ok",)]


def refusal(path: Path, found: Sequence[Difference], what: str) -> ForeignSchemaError:
    """The error for a file whose schema somebody changed.

    Args:
        what: what is refused, such as "nothing is written to it".
    """
    first, more = found[0], len(found) - 1
    others = f" (and {more:,} more)" if more else ""
    return ForeignSchemaError(
        f"the schema of {path} was changed by hand, so {what}: {first}{others}",
        f"{MENDED_BY} puts it right, after a backup; graphdream doctor lists all of it",
    )


@cache
def _shipped(version: int) -> str:
    """The digest that was shipped for a schema; "" where there is none."""
    from graphdream.graph.schema import migration_files

    try:
        number, digest = migration_files()[0].with_name(DIGEST_FILE).read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return ""
    return digest if int(number) == version else ""


class SchemaGuard:
    """Whether one connection's file has the schema that it should have, looked at again only after it has changed.

    SQLite itself reads a schema again only where the file's schema number has moved; what is planted without moving it
    does nothing to a connection that is open.
    """

    __slots__ = ("_connection", "_path", "_seen", "_version", "found")

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self._path = connection, path
        self._version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        self._seen = -1
        self.found: tuple[Difference, ...] = ()

    def look(self) -> tuple[Difference, ...]:
        """What differs now. Raises SchemaError where a newer program has brought the file up to date meanwhile."""
        number = self._connection.execute("PRAGMA schema_version").fetchone()[0]
        if number != self._seen:
            found = differences(self._connection, self._version)
            version = self._connection.execute("PRAGMA user_version").fetchone()[0] if found else self._version
            if version > self._version:
                raise SchemaError(
                    f"{self._path} has schema {version} by now; this program knows {self._version}",
                    "a newer graphdream has opened it: upgrade this one, and start it anew",
                )
            self.found, self._seen = found, number
        return self.found

    def confirm(self) -> None:
        """Raise ForeignSchemaError where nothing should be written to the file."""
        if self.look():
            raise refusal(self._path, self.found, "nothing is written to it")
