"""The one door to a database file: transactions, savepoints, and the graph's running hash."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from graphdream.errors import BusyError, ForeignSchemaError, GraphdreamError, ReadOnlyError
from graphdream.graph.objects import MENDED_BY, SchemaGuard, misleading, refusal
from graphdream.graph.place import Place
from graphdream.graph.schema import BUSY_SECONDS, LOG_BYTES, connect, copy_whole
from graphdream.graph.seal import Seal
from graphdream.heap import give_back_memory
from graphdream.links import followed
from graphdream.sealing.codes import blake2b

if TYPE_CHECKING:
    from graphdream.graph.tables import Table

HASH_BITS = 256
_MOST_IDS = 1 << 62  # beyond which SQLite counts no more soon
_LOG_STEP_BYTES = 1024 * 1024  # by which a long log has grown before it is written back once more
_READERS_WAIT_MS = 2_000  # for those who read the log, before it is left to the last one that closes the file
_FREE_SHARE = 32  # with less than one page in so many free, moving others into their place is not worth the writing
# Why pages cannot be given back just now: somebody writes or reads, or there is no room for the copy that it takes.
_LATER = ("locked", "statements in progress", "is full", "disk I/O error", "unable to open")
_FEW_PAGES = 4_096  # 16 MiB, written anew in about a tenth of a second
passes_committed = 0  # by this process; where a later step finds the disk full, they are told to be kept
_MASK = (1 << HASH_BITS) - 1
_WORDS = {"entity": "ent", "aspect": "asp", "attribute": "att", "link": "dep"}


def row_hash(kind: int, text: bytes) -> int:
    """Hash of one row: `text` is its JSON array in column order, `kind` the number of its table."""
    digest = _hasher(kind).copy()  # a third quicker than one made anew
    digest.update(text)
    return int.from_bytes(digest.digest(), "little")


@cache
def _hasher(kind: int) -> blake2b:
    return blake2b(digest_size=HASH_BITS // 8, person=kind.to_bytes(1, "little"))


def hash_text(total: int) -> str:
    """The graph's hash as it is written: 64 hexadecimal digits."""
    return f"{total:064x}"


class Store:
    """A connection to one agent's file.

    The graph's hash is the sum of its rows' hashes modulo 2^256, so that a pass costs what it changes, in
    whatever order (Bellare and Micciancio, "A new paradigm for collision-free hashing", 1997: AdHash). It guards
    against accident; against forgery stands the hash chain over the journal.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, *, scratch: bool = False) -> None:
        self.connection = connection
        self.path = path
        self.seal = Seal(connection, path, off=scratch)
        self.schema = SchemaGuard(connection, path)
        self._place = Place.of(path)
        self._pass_id: int | None = None
        self._sum = 0
        self._written: Callable[[int, bytes], str]
        self._next_ids: dict[str, int] = {}
        self._has_room = False  # for many rows of the graph (`graphdream.graph.staging`)
        connection.create_function("gd_pass", 0, self._open_pass_id)
        connection.create_function("gd_row", 4, self._add_row)
        connection.create_function("gd_rows", 4, self._change_row)

    @classmethod
    def open(cls, path: str | Path, *, create: bool = True, scratch: bool = False) -> Self:
        """Open a file, made and migrated where needed. A symbolic link stands for what it leads to, so that a memory
        has one log, one spool and one anchor under all of its names.

        Where somebody changed the schema, `schema.found` says how; nothing is written to the file then.

        Args:
            scratch: a copy that nobody keeps, which is neither sealed nor looked at.

        Raises:
            ForeignSchemaError: the schema was changed so that what is read could be something else than what is there.
            GraphdreamError: as `graphdream.graph.schema.connect`.
        """
        real = followed(path)
        store = cls(connect(real, create=create), real, scratch=scratch)
        try:
            found = store.schema.look()
            if found and (wrong := misleading(store.connection, found)):
                raise refusal(real, wrong, "it is not read")
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    @contextmanager
    def copied(cls, path: Path) -> Iterator[Self]:
        """A copy of a file, blank where there is none, to change where nothing is to change; gone after the block.

        Raises:
            UnwritableError: there is no room for it.
        """
        from tempfile import TemporaryDirectory  # what a hook does not load

        with TemporaryDirectory(prefix="graphdream-") as folder:
            copy = Path(folder) / "memory.db"
            if path.exists():
                with cls.open(path, create=False) as store:
                    copy_whole(store.connection, copy)
            with cls.open(copy, scratch=True) as store:
                yield store

    def close(self) -> None:
        """Close; the last one out writes the log back into the file."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ transactions

    @contextmanager
    def writing(self, *, graph: bool = True) -> Iterator[None]:
        """One write transaction: all of it, or nothing. Waits for other writers, never for readers.

        Args:
            graph: whether rows of the graph may change in it; a hook, which only records, goes without what that needs.

        Raises:
            ReadOnlyError: the file, its folder or its disk may only be read.
            UnwritableError: the file was replaced or removed since it was opened, or has a second name.
            IntegrityError: the file is not what was sealed (`graphdream.graph.seal`).
            ForeignSchemaError: somebody changed its schema.
        """
        global passes_committed
        committed = False
        self.seal.ask_witness()  # before others wait for this one
        try:
            if graph and not self._has_room:
                self._make_room()
            self.connection.execute("BEGIN IMMEDIATE")
            log_bytes = self._log_bytes()
            self._place.confirm(self.path)
            self.schema.confirm()
            self.seal.begin()
            yield
            wrote_a_pass = self._pass_id is not None
            self.seal.flush()
            self.connection.execute("COMMIT")
            committed = True
            passes_committed += wrote_a_pass
        except BaseException as fault:
            self._rollback()
            if isinstance(fault, sqlite3.Error) and self.seal.met is not None:
                raise self.seal.met from None
            if isinstance(fault, sqlite3.OperationalError) and "readonly" in str(fault):
                hint = "see that you may write to it and to its folder"
                raise ReadOnlyError(f"{self.path} is read-only", hint) from fault
            raise
        finally:
            self._pass_id = None
            self._next_ids.clear()
            self.seal.end(committed=committed)
        self._shorten_log(log_bytes)

    @contextmanager
    def joining(self) -> Iterator[None]:
        """Within the write transaction that is open, else within one of its own. Raises as `writing`."""
        if self.connection.in_transaction:
            yield
            return
        with self.writing():
            yield

    def _log_bytes(self) -> int:
        """Length of the log on the disk; 0 where there is none."""
        try:
            return os.stat(f"{self.path}-wal").st_size
        except OSError:
            return 0

    def _shorten_log(self, before: int) -> None:
        """Write a log that has grown back into the file, though others read it; the next writer begins it anew.

        Meanwhile nobody may write: SQLite before 3.51.3 can lose pages where one connection writes the log back while
        another begins it anew. What a reader still needs of it stays for the next time.

        A log that is begun anew keeps its length on the disk, and is written from its start. So it is not its length
        that says that there is something to write back, but that the length has grown.

        Args:
            before: its length when this transaction began.
        """
        length = self._log_bytes()
        if length < LOG_BYTES or length // _LOG_STEP_BYTES == before // _LOG_STEP_BYTES:
            return
        guard = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        # Where another program writes, a later step of its growth sees to this; where the disk is full, the log holds
        # what was written.
        with closing(guard), suppress(sqlite3.OperationalError):
            guard.execute("BEGIN IMMEDIATE")
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _make_room(self) -> None:
        from graphdream.graph.staging import make_room  # what a hook does not load

        make_room(self.connection)
        self._has_room = True

    def _rollback(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    @contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """Meanwhile other writers are waited for no longer than that; then SQLite says that the file is locked."""
        before = self.connection.execute("PRAGMA busy_timeout").fetchone()[0]
        self.connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {before}")

    @contextmanager
    def with_cache(self, mib: int) -> Iterator[None]:
        """Meanwhile SQLite may hold that much of the file in memory, if it is more than it may else: a pass over a
        large graph changes rows all over the file, and a page that finds no room is written with each change."""
        before = self.connection.execute("PRAGMA cache_size").fetchone()[0]
        self.connection.execute(f"PRAGMA cache_size = {min(before, -1024 * mib)}")  # negative: in KiB
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA cache_size = {before}")
            self.connection.execute("PRAGMA shrink_memory")
            give_back_memory()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One unchanging view of the file; within a write transaction, that one's own."""
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self._rollback()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Part of a write transaction that can fail alone: on an exception its rows, ids and hash are taken back."""
        kept_sum, kept_ids, mark = self._sum, self.ids_given, self.seal.mark()
        self.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO part")
                self.connection.execute("RELEASE part")
            self._sum, self.ids_given = kept_sum, kept_ids
            self.seal.release(mark, back=True)
            raise
        self.connection.execute("RELEASE part")
        self.seal.release(mark, back=False)

    def give_back_pages(self) -> int:
        """Make the file shorter by the pages that nothing is on, where they are many: merged parts of the full-text
        indexes leave them. A small file is written anew, so that pages which hold little are filled, too. Waits for
        nobody: while another program writes, they are left for the next time.

        The pass whose pages they were is committed by now, so a disk that is too full for this is no fault of it.

        Returns:
            How many pages were given back.
        """
        free, pages = (self._count(what) for what in ("freelist", "page"))
        if free * _FREE_SHARE < pages:
            return 0
        try:
            with self.patience(0):
                if pages <= _FEW_PAGES:
                    self.connection.execute("VACUUM")
                else:
                    self.connection.executescript("PRAGMA incremental_vacuum")  # `execute` gives back a single page
        except sqlite3.OperationalError as fault:
            if not any(why in str(fault) for why in _LATER):
                raise
            self._rollback()
            return 0
        return pages - self._count("page")

    def _count(self, what: str) -> int:
        return int(self.connection.execute(f"PRAGMA {what}_count").fetchone()[0])

    def clear_deleted(self) -> bool:
        """Write the file anew without what was deleted from it, full-text indexes included.

        Returns:
            False where another program has the file open, so that its log still holds old pages; the last one that
            closes it clears them.

        Raises:
            BusyError: another program writes to the file for longer than `BUSY_SECONDS`.
        """
        indexes = self.connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %USING fts5 (%'"
        ).fetchall()
        try:
            with self.writing():
                for (name,) in indexes:  # an index keeps deleted words until its parts are put together
                    self.connection.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
            self.connection.execute("VACUUM")
            self.connection.execute(f"PRAGMA busy_timeout = {_READERS_WAIT_MS}")
            busy: int = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault) and "busy" not in str(fault):
                raise
            raise BusyError(f"{self.path} is in use, so what was deleted is still in it", "stop its users") from fault
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {round(BUSY_SECONDS * 1000)}")
        return not busy

    # ------------------------------------------------------------------ passes

    def start_pass(self, pass_id: int, graph_hash: int) -> None:
        """From here to the end of the transaction graph rows may change, in the name of this pass."""
        from graphdream.graph.rowtext import without_tail  # what a hook does not load: it changes no graph row

        self._pass_id, self._sum, self._written = pass_id, graph_hash, without_tail

    @property
    def pass_id(self) -> int:
        """The open pass. Raises GraphdreamError where there is none."""
        if self._pass_id is None:
            raise GraphdreamError("graph rows change only within a pass")
        return self._pass_id

    @property
    def graph_hash(self) -> int:
        """Hash of the graph as the open pass has made it so far."""
        return self._sum

    def next_id(self, table: Table) -> int:
        """The id of the next row of a table; ids are never used again, also not after an undo."""
        known = self._next_ids.get(table.name)
        if known is None:
            row = self.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,)).fetchone()
            known = row[0] if row else 0
            if not isinstance(known, int) or known >= _MOST_IDS or self._is_taken(table, known + 1):
                raise self._miscounted(table)
        self._next_ids[table.name] = known + 1
        return known + 1

    def _is_taken(self, table: Table, row_id: int) -> bool:
        newest = self.connection.execute(f"SELECT coalesce(max(id), 0) FROM {table.name}").fetchone()[0]
        return bool(newest >= row_id)

    def _miscounted(self, table: Table) -> ForeignSchemaError:
        return ForeignSchemaError(
            f"the number of the last {table.name} of {self.path} was changed by hand, so nothing is written to it",
            f"{MENDED_BY} puts it right, after a backup",
        )

    def reserve_ids(self, table: Table, count: int) -> int:
        """Take `count` ids in a row and return the first."""
        first = self.next_id(table)
        self._next_ids[table.name] = first + count - 1
        return first

    @property
    def ids_given(self) -> dict[str, int]:
        """The newest id of each table from which an id was taken in this transaction; set it to take ids back."""
        return dict(self._next_ids)

    @ids_given.setter
    def ids_given(self, known: dict[str, int]) -> None:
        self._next_ids = dict(known)

    def new_uid(self, table: Table, row_id: int) -> str:
        """The id that a row made here bears in exports: as unlikely to meet another file's as 10 hex digits of a hash
        over this file's own id can be, and the same on replay."""
        seed = f"{self.file_id}/{table.name}/{row_id}".encode()
        return f"{_WORDS[table.name]}_{blake2b(seed, digest_size=6).hexdigest()}"

    @property
    def file_id(self) -> str:
        """Random name of this file, given when it was made."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()
        if row is None:
            raise GraphdreamError("the file has no id yet: no pass was ever written")
        return str(row[0])

    # ------------------------------------------------------------------ called by the capture triggers

    def _open_pass_id(self) -> int:
        return self.pass_id

    def _add_row(self, kind: int, text: bytes, sign: int, version: int) -> str:
        if version != self._pass_id:
            raise self._foreign(version)
        self._sum = (self._sum + sign * row_hash(kind, text)) & _MASK
        self.seal.touch(kind, _id_of(text), *((None, text) if sign > 0 else (text, None)))
        return self._written(kind, text)

    def _change_row(self, kind: int, old: bytes, new: bytes, version: int) -> bool:
        if old == new:
            return False
        if version != self._pass_id:
            raise self._foreign(version)
        before, after = _hasher(kind).copy(), _hasher(kind).copy()
        before.update(old)
        after.update(new)
        added = int.from_bytes(after.digest(), "little") - int.from_bytes(before.digest(), "little")
        self._sum = (self._sum + added) & _MASK
        self.seal.touch(kind, _id_of(new), old, new)
        return True

    def _foreign(self, version: int) -> GraphdreamError:
        return GraphdreamError(f"a row was written as of pass {version}, but the open pass is {self.pass_id}")


def _id_of(text: bytes) -> int:
    """The id of a row, which begins its text."""
    return int(text[1 : text.index(b",")])
