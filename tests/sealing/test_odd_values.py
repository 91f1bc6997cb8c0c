"""Whatever somebody puts in a column of a file, in the place of what belongs there: no command ends in an internal error
that does not say that the file is damaged."""

from __future__ import annotations

import io
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from graphdream.graph.objects import made_new
from graphdream.graph.schema import migration_files, newest_version
from graphdream.interfaces.cli import main
from tests.support.alltables import MERGED, PLAN, live_in_every_table
from tests.support.attacks import together
from tests.support.readings import Column, columns_read, is_read

ODD = ("{", "[]", "7", '{"rows": 3, "figures": [], "faults": 5}', 2**62, None, b"\xff\xfe")
FEWER = (None, b"\xff\xfe")
"""One of these in a column that holds no JSON."""
COMMANDS = tuple(
    words.split()
    for words in (
        "passes --json", f"show {MERGED} --json", "log", "status --json", f"plan show {PLAN}", "cycle --list",
        "entity e1 --history", "context --session s1 --message log", "working list --namespace session/s1", "feedback",
        "verify", "show 13 --cost", "introspect", "plan list", "recall Ada", "export", "dream --dry-run",
    )
)  # fmt: skip
FEWER_COMMANDS = COMMANDS[:11]


def tables() -> dict[str, dict[str, bool]]:
    """Each table of our own -> its columns -> whether they hold JSON, as the migrations say."""
    told = "\n".join(file.read_text(encoding="utf-8") for file in migration_files())
    found: dict[str, dict[str, bool]] = {}
    with made_new(newest_version()) as fresh:
        for name, sql in fresh.execute("SELECT name, sql FROM sqlite_master WHERE sql LIKE '%STRICT%'").fetchall():
            lines = told.partition(f"CREATE TABLE {name} (")[2].partition("STRICT")[0].splitlines()
            json = {line.split()[0] for line in lines if "JSON" in line or "'{}'" in line or "'[]'" in line}
            found[name] = {row[1]: row[1] in json for row in fresh.execute(f"PRAGMA table_info({name})")}
            assert sql
    return found


TABLES = tables()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHDREAM_STATE_HOME", str(folder / "state"))
        live_in_every_table(folder / "agent" / "memory.db")
    shutil.copytree(folder, folder.with_name("sound"))
    return folder


@pytest.fixture(scope="module")
def read(kept: Path) -> dict[str, set[Column]]:
    """What each command reads of the sound memory, on a copy that none has opened before."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHDREAM_STATE_HOME", str(kept / "state"))
        for words in COMMANDS:
            fresh(kept)
            with columns_read() as seen, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                main([*words, "--db", str(kept / "agent" / "memory.db")])
            assert seen, words
            found[" ".join(words)] = seen
    return found


def fresh(kept: Path) -> None:
    """Put the sound memory there again, and all that lies beside it."""
    shutil.rmtree(kept)
    shutil.copytree(kept.with_name("sound"), kept)


@contextmanager
def loose(path: Path, table: str) -> Iterator[sqlite3.Connection]:
    """The file, with a table that takes any value, and no trigger; afterwards its schema is what it was. No commit waits
    for the disk: there are hundreds of such files, and nobody keeps one."""
    with closing(sqlite3.connect(path, isolation_level=None)) as c:
        c.execute("PRAGMA synchronous = OFF")
        triggers = c.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        (strict,) = c.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        with together(c):
            for name, _ in triggers:
                c.execute(f"DROP TRIGGER {name}")
            _rewrite(
                c, table, re.sub(r"\) STRICT(, )?|(?<!IS )NOT NULL", lambda found: ") " * (found[0][0] == ")"), strict)
            )
    with closing(sqlite3.connect(path, isolation_level=None)) as c:
        c.execute("PRAGMA synchronous = OFF")
        c.execute("PRAGMA ignore_check_constraints = ON")
        yield c
        with together(c):
            _rewrite(c, table, strict)
    with closing(sqlite3.connect(path, isolation_level=None)) as c:
        c.execute("PRAGMA synchronous = OFF")
        with together(c):
            for _, sql in triggers:
                c.execute(sql)
        c.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def plant(c: sqlite3.Connection, table: str, column: str, value: object) -> bool:
    """Put a value in a column of every row; False where the column is a number of the row, which nothing else can be."""
    try:
        return c.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,)).rowcount > 0
    except sqlite3.IntegrityError as fault:
        assert "datatype mismatch" in str(fault)
        return False


def _rewrite(c: sqlite3.Connection, table: str, sql: str) -> None:
    number = c.execute("PRAGMA schema_version").fetchone()[0]
    c.execute("PRAGMA writable_schema = ON")
    c.execute("UPDATE sqlite_master SET sql = ? WHERE name = ? AND type = 'table'", (sql, table))
    c.execute(f"PRAGMA schema_version = {number + 1}")


def wrong_ends(
    table: str,
    odd: Callable[[int], Sequence[object]],
    kept: Path,
    capsys: pytest.CaptureFixture[str],
    read: Mapping[str, set[Column]] | None = None,
) -> list[tuple[object, ...]]:
    """Each command that ended as none may, with the value that was in a column then.

    Args:
        odd: of the place of a column that holds JSON: the values that are put in there.
        read: what each command reads of a sound memory; one that reads nothing of a column is not run on it.
    """
    memory, wrong = kept / "agent" / "memory.db", list[tuple[object, ...]]()
    for place, (column, is_json) in enumerate(TABLES[table].items()):
        for value in odd(place) if is_json else FEWER[place % 2 :][:1]:
            commands = [
                words
                for words in (COMMANDS if is_json else FEWER_COMMANDS)
                if read is None or is_read((table, column), read[" ".join(words)])
            ]
            fresh(kept)
            with loose(memory, table) as c:
                planted = plant(c, table, column, value)
            for words in commands if planted else ():
                code = main([*words, "--db", str(memory)])
                said = capsys.readouterr().err
                ours = "internal error" in said and "the database is damaged besides" not in said
                if code not in (0, 1, 3) or ours or "Traceback" in said:
                    wrong.append((column, value, " ".join(words), code, said.splitlines()[-3:]))
    return wrong


@pytest.mark.parametrize("table", TABLES)
def test_an_odd_value_ends_no_command_in_an_error_of_ours(
    table: str,
    kept: Path,
    read: dict[str, set[Column]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two of the values in each column of JSON, other ones in the next. Where no statement of a command reads a column,
    it goes the same way whatever is in there."""
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(kept / "state"))
    assert wrong_ends(table, lambda place: [ODD[place % 7], ODD[(place + 3) % 7]], kept, capsys, read) == []


@pytest.mark.soak
@pytest.mark.parametrize("table", TABLES)
def test_no_odd_value_does(
    table: str, kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them, and every command."""
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(kept / "state"))
    assert wrong_ends(table, lambda place: ODD, kept, capsys) == []
