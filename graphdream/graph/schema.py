"""Open a database file: the right SQLite settings, the newest schema, a clear refusal of what is not ours."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from graphdream.errors import BusyError, ForeignSchemaError, NotFoundError, SchemaError, UnwritableError
from graphdream.graph.connection import Connection
from graphdream.graph.objects import MENDED_BY, differences, refusal
from graphdream.graph.place import Place, make_private, missing_bytes, refusal_of_no_file
from graphdream.graph.sqlitefaults import says_damaged, says_unwritable

if TYPE_CHECKING:
    from sqlite_utils import Database

APPLICATION_ID = 0x67647265  # "gdre": marks the file as ours
CACHE_KIB = 64 * 1024  # with the default of 2 MiB a large pass spills its pages to the log again and again
LOG_BYTES = 8 * 1024 * 1024  # of the write-ahead log, from which on it is written back though somebody reads
BUSY_SECONDS = 60.0  # longer than the longest apply of a pass: who has to write waits
_PACKAGE = Path(__file__).resolve().parent.parent


@cache
def migration_files() -> tuple[Path, ...]:
    """The numbered SQL files, in order; from the installed package, else from beside it in a source tree.

    Raises:
        SchemaError: the installation has no migrations.
    """
    for folder in (_PACKAGE / "migrations", _PACKAGE.parent / "migrations"):
        found = tuple(sorted(folder.glob("[0-9]*.sql")))
        if found:
            return found
    raise SchemaError("this installation has no migrations", "install graphdream again")


def newest_version() -> int:
    """Number of the newest migration that this program knows."""
    return int(migration_files()[-1].name[:4])


def connect(path: Path, *, create: bool = True) -> sqlite3.Connection:
    """Open a file and bring its schema up to date.

    WAL, foreign keys, no implicit transactions; checkpoints are made by whoever closes last, and of a log that has
    grown while nobody can write (`Store.writing`), never in the middle of a commit, because SQLite before 3.51.3 can
    lose pages when one connection checkpoints while another resets the log.

    Raises:
        NotFoundError: no such file, and `create` is false.
        SchemaError: the file is no graphdream database, or a newer program wrote it, or its folder cannot be used.
        UnwritableError: the file has an older schema, and cannot be written; or somebody changed that schema.
        BusyError: the file is locked for longer than `BUSY_SECONDS`.
    """
    try:
        if not path.exists():
            if not create:
                raise NotFoundError(f"there is no database at {path}", "import a graph or record a session first")
            path.parent.mkdir(parents=True, exist_ok=True)
            make_private(path)
    except OSError as fault:
        why = f"there can be no database at {path}: {fault.strerror}"
        raise SchemaError(why, "choose a folder that you may write to") from fault
    try:
        connection = bare_connection(path)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")  # to which a log begun anew is cut
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")  # savepoints keep old pages; in a file that costs a write each
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as fault:
        raise _refusal(path, fault) from fault
    newest = newest_version()
    if version > newest:
        connection.close()
        raise SchemaError(
            f"{path} has schema {version}; this program knows {newest}",
            "it was written by a newer graphdream: upgrade this one",
        )
    if version < newest:
        try:
            Place.of(path).confirm(path)
            _migrate(connection, path, newest)
        except sqlite3.DatabaseError as fault:
            connection.close()
            raise _refusal(path, fault) from fault
    return connection


def bare_connection(path: Path) -> sqlite3.Connection:
    """A connection as it comes; each thread has one of its own (graphdream/library), only closing them is one thread's
    business.

    SQLite reads a file with a log by way of an index beside it. In a folder where none can be made, it is read as one
    that nobody changes, which holds where no log lies beside it.
    """
    if path.is_file() and not os.access(path.parent, os.W_OK) and not _has_log(path):
        where = f"{path.absolute().as_uri()}?immutable=1"
        return sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False, factory=Connection)
    return sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=Connection
    )


def _has_log(path: Path) -> bool:
    try:
        return os.stat(f"{path}-wal").st_size > 0
    except OSError:
        return False


def _refusal(path: Path, fault: sqlite3.DatabaseError) -> SchemaError | BusyError:
    if (no_file := refusal_of_no_file(path)) is not None:
        return no_file
    if "malformed" in str(fault) and (whole := missing_bytes(path)):
        why = f"{path} was cut off: it was {whole:,} bytes long, and has {path.stat().st_size:,}"
        return SchemaError(f"{why} ({fault})", "put back a copy; graphdream doctor tells more")
    if "malformed database schema" in str(fault):
        why = f"the schema of {path} was changed by hand, so it cannot be read: {fault}"
        return ForeignSchemaError(why, f"{MENDED_BY} puts it right, after a backup")
    if "locked" in str(fault) or "busy" in str(fault):
        return BusyError(f"{path} is locked by another program", "wait for it to end, or stop it")
    if "readonly" in str(fault):
        hint = "copy it, with its -wal file if there is one, to where you may write"
        return UnwritableError(f"{path} cannot be read where nothing can be written: {fault}", hint)
    if _too_many_files_open():
        why = f"{path} cannot be opened: this program, or the machine, has too many files open"
        return SchemaError(why, "close what is not used, or raise the limit (ulimit -n)")
    if says_damaged(fault) and "malformed" in str(fault):
        return SchemaError(f"{path} is damaged: {fault}", "put back a copy; graphdream doctor tells more")
    hint = "see that there is room on the disk" if "disk" in str(fault) else "is this the right file?"
    return SchemaError(f"{path} cannot be opened as a graphdream database: {fault}", hint)


def _too_many_files_open() -> bool:
    """SQLite says of any file that it cannot open no more than that."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as fault:
        return fault.errno in (errno.EMFILE, errno.ENFILE)
    return False


def _migrate(connection: sqlite3.Connection, path: Path, newest: int) -> None:
    """Apply what is pending, one process at a time; the file lock is held because sqlite-utils reads what is
    pending outside the transaction."""
    from filelock import FileLock
    from sqlite_utils import Database, Migrations

    with FileLock(f"{path}.migrating", timeout=BUSY_SECONDS):
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == newest:
            return  # another process has done it while this one waited
        present = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        if present and mark != APPLICATION_ID:
            raise SchemaError(f"{path} is a database of another program", "choose another file")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only before anything is in the file
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA journal_mode = WAL")
        migrations = Migrations("graphdream")
        for file in migration_files():
            migrations(name=file.stem)(runner(file))
        database = Database(connection)
        lived = present and connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'pass'").fetchone()[0]
        if version or (lived and connection.execute("SELECT EXISTS (SELECT 1 FROM pass)").fetchone()[0]):
            _refuse_lowered(path, version, [one.name for one in migrations.applied(database)])
        if version and (found := differences(connection, version)):
            raise refusal(path, found, "it is not brought up to date")
        if version:
            _back_up(connection, path, version)
        migrations.apply(database)
        # Whoever waits for the lock that goes with it finds nothing left to apply.
        with suppress(OSError):
            os.unlink(f"{path}.migrating")


def runner(file: Path) -> Callable[[Database], None]:
    """What applies a migration. The number of the schema is part of its transaction, so that it is never behind what is
    in the file, whatever ends the program in between."""

    def run(database: Database) -> None:
        for statement in statements_of(file):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {int(file.name[:4])}")

    return run


def _refuse_lowered(path: Path, version: int, applied: list[str]) -> None:
    """Raise SchemaError where a file has had migrations beyond the schema that it says it has: what it says was put
    back by hand, and nobody knows what else."""
    beyond = [name for name in applied if int(name[:4]) > version]
    if beyond:
        raise SchemaError(
            f"{path} says that it has schema {version}, but {beyond[-1]} was applied to it: it was changed by hand",
            f"put back a copy of before, such as {path.name}.schema{version}.backup",
        )


def statements_of(file: Path) -> Iterator[str]:
    """The statements of a migration, told apart line by line; sqlite-utils does so letter by letter, in a second."""
    lines: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("--"):
            lines.append(line)
            if line.rstrip().endswith(";") and sqlite3.complete_statement("\n".join(lines)):
                yield "\n".join(lines)
                lines.clear()


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Keep the file as it was before a migration, beside it."""
    copy_whole(connection, make_private(path.with_name(f"{path.name}.schema{version}.backup")))


def copy_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Copy a database, with what stands in its log, to a path: all of it, or none.

    Raises:
        UnwritableError: it cannot be written there; what is copied is as it was.
    """
    try:
        with closing(sqlite3.connect(path)) as target:
            connection.backup(target)
    except sqlite3.OperationalError as fault:
        for end in ("", "-journal"):
            with suppress(OSError):
                os.unlink(f"{path}{end}")
        if not says_unwritable(fault):
            raise
        hint = "see that there is room and that you may write there; copies that nobody keeps go where TMPDIR says"
        raise UnwritableError(f"no copy can be written to {path}: {fault}", hint) from fault
