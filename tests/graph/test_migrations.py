"""A memory of any schema is brought up to the newest one, with everything that is in it; others are refused."""

from __future__ import annotations

import gzip
import io
import multiprocessing
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphdream.errors import SchemaError
from graphdream.graph.schema import migration_files, newest_version
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.exporters import export_graph
from graphdream.journal.passes import list_passes
from graphdream.journal.verify import verify
from graphdream.recall.search import recall

PROJECT = Path(__file__).resolve().parents[2]
SCHEMAS = [file.name[:4] for file in migration_files()]


def unpacked(schema: str, folder: Path) -> Path:
    """The memory of fixtures/schemas as it was under a schema."""
    packed = PROJECT / "fixtures" / "schemas" / f"{schema}.db.gz"
    assert packed.is_file(), "python tools/schema_files.py writes what is missing"
    path = folder / f"{schema}.db"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


def exported(path: Path) -> str:
    with Store.open(path) as store:
        out = io.StringIO()
        export_graph(store, out)
        return out.getvalue()


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Rows of the tables that every schema has."""
    with sqlite3.connect(path) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
            for table in (
                "pass",
                "mutation",
                "change",
                "session",
                "summary",
                "observation",
                "entity",
                "attribute",
                "link",
            )
        }


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_memory_of_every_schema_is_brought_up_to_date(schema: str, tmp_path: Path) -> None:
    path = unpacked(schema, tmp_path)
    before = rows_of(path)
    with Store.open(path) as store:
        assert store.connection.execute("PRAGMA user_version").fetchone()[0] == newest_version()
        report = verify(store)
        assert report.ok, report.as_text()
        assert [hit.text for hit in recall(store, "compilers", k=1)] == ["Grace writes compilers."]
        assert len(list_passes(store.connection)) == len(before["pass"]) > 5
    for table, rows in rows_of(path).items():
        assert [row[: len(old)] for row, old in zip(rows, before[table], strict=True)] == before[table], table
    backup = path.with_name(f"{path.name}.schema{int(schema)}.backup")
    assert backup.exists() == (int(schema) < newest_version())
    assert exported(path) == exported(unpacked(SCHEMAS[-1], tmp_path))
    for words in (["dream"], ["remember", "Ships have logs", "--wait"], ["undo", "1", "--cascade"], ["verify"]):
        assert main([*words, "--db", str(path)]) == 0, words


def test_a_newer_schema_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = unpacked(SCHEMAS[-1], tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {newest_version() + 1}")
    connection.close()
    before = path.read_bytes()
    for words in (["recall", "ships"], ["dream"], ["record", "--session", "x", "--summary", "y"], ["verify"]):
        assert main([*words, "--db", str(path)]) == 3
    assert path.read_bytes() == before


@pytest.mark.parametrize("lowered", ["0", *SCHEMAS[:-1]])
def test_a_lowered_schema_is_refused(lowered: str, tmp_path: Path) -> None:
    path = unpacked(SCHEMAS[-1], tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {int(lowered)}")
    connection.close()
    for words in (["recall", "ships"], ["dream"], ["verify"]):
        assert main([*words, "--db", str(path)]) == 3
    with pytest.raises(SchemaError, match="changed by hand"):
        Store.open(path)


def _open(path: str) -> bool:
    with Store.open(path) as store:
        return verify(store).ok


def test_several_programs_upgrade_one_file_at_once(tmp_path: Path) -> None:
    path = unpacked(SCHEMAS[0], tmp_path)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert all(pool.map(_open, [str(path)] * 8))


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: there is no SIGKILL here")
@pytest.mark.parametrize("kills", [8, pytest.param(150, marks=pytest.mark.soak)], ids=["in-ci", "soak"])
def test_a_killed_upgrade_is_ended_by_the_next_call(kills: int, tmp_path: Path) -> None:
    pristine = unpacked(SCHEMAS[0], tmp_path)
    words = [sys.executable, "-m", "graphdream", "passes", "--db"]
    whole = tmp_path / "whole.db"
    shutil.copy(pristine, whole)
    began = time.monotonic()
    subprocess.run([*words, str(whole)], cwd=PROJECT, check=True, capture_output=True)
    length, killed = time.monotonic() - began, 0
    for number in range(kills):
        path = tmp_path / f"killed-{number}.db"
        shutil.copy(pristine, path)
        process = subprocess.Popen(
            [*words, str(path)], cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(length * (0.3 + 0.7 * number / kills))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        with Store.open(path) as store:
            assert store.connection.execute("PRAGMA user_version").fetchone()[0] == newest_version()
            assert verify(store).ok
    assert killed
