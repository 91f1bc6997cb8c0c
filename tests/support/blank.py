"""A memory that is begun is a copy of one that the migrations made, once in a process: they take ten times as long as the
copy, and thousands of tests begin one."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database, Migrations

from graphdream.graph import schema


@contextmanager
def copied_from_one() -> Iterator[None]:
    """Within the block, what the migrations would make of an empty file is copied into it. A file with anything in it is
    migrated, and what goes around it (locks, marks, modes) is the program's own in both cases. So is all that other
    processes do."""
    migrate, blanks, one_at_a_time = Migrations.apply, dict[tuple[Path, ...], sqlite3.Connection](), threading.Lock()

    def apply(migrations: Migrations, database: Database, **options: Any) -> None:
        connection, files = database.conn, schema.migration_files()
        if options or connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]:
            migrate(migrations, database, **options)
            return
        with one_at_a_time:
            if files in blanks:
                blanks[files].backup(connection)
                return
            migrate(migrations, database)
            blanks[files] = sqlite3.connect(":memory:", check_same_thread=False)
            connection.backup(blanks[files])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Migrations, "apply", apply)
        yield
    for blank in blanks.values():
        blank.close()
