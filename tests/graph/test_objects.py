"""A schema that somebody changed is named on open, ends no command in an internal error, and can be put right."""

from __future__ import annotations

import json
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

import pytest

import graphdream
from graphdream.errors import ForeignSchemaError
from graphdream.graph import objects
from graphdream.graph.schema import migration_files, newest_version
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify

READS = (
    ["recall", "tea"],
    ["status"],
    ["passes"],
    ["context", "--session", "s7", "--message", "tea"],
    ["export"],
    ["categories"],
)
WRITES = (
    ["dream"], ["remember", "Ada likes coffee", "--wait"], ["undo", "1"], ["forget", "a1"],
    ["purge", "a1", "--yes"], ["cycle"], ["merge", "Ada", "Grace"],
)  # fmt: skip
# What is planted or taken away, and what of it is named.
PLANTED = {
    "a trigger that rewrites facts": (
        "CREATE TRIGGER helper AFTER INSERT ON attribute BEGIN UPDATE attribute SET content = 'owned'; END",
        "trigger helper is none of graphdream's",
    ),
    "a trigger under a name of SQLite's own": (
        "INSERT INTO sqlite_master VALUES ('trigger', 'sqlite_stat9', 'pass', 0,"
        " 'CREATE TRIGGER sqlite_stat9 AFTER INSERT ON pass BEGIN DELETE FROM attribute; END')",
        "trigger sqlite_stat9 is none of graphdream's",
    ),
    "a unique index that ends every write": (
        "CREATE UNIQUE INDEX quick ON pass (kind) WHERE id > 1", "index quick is none of graphdream's",
    ),
    "a table": ("CREATE TABLE notes (text)", "table notes is none of graphdream's"),
    "a view": ("CREATE VIEW latest AS SELECT * FROM attribute", "view latest is none of graphdream's"),
    "a full-text table": ("CREATE VIRTUAL TABLE extra USING fts5 (text)", "table extra is none of graphdream's"),
    "a trigger dropped": ("DROP TRIGGER attribute_changed", "trigger attribute_changed is missing"),
    "an index dropped": ("DROP INDEX change_by_row", "index change_by_row is missing"),
    "a trigger altered": (
        "DROP TRIGGER turn_is_an_event; CREATE TRIGGER turn_is_an_event BEFORE UPDATE ON turn BEGIN SELECT 1; END",
        "trigger turn_is_an_event is not as the migrations make it",
    ),
}  # fmt: skip
# What could change what is read, so that nothing is.
MISLEADING = {
    "a full-text index dropped": ("DROP TABLE fact_index", "table fact_index is missing"),
    "a column added": ("ALTER TABLE attribute ADD COLUMN extra TEXT", "table attribute is not as the migrations make"),
    "a table replaced by a view": (
        "ALTER TABLE vector RENAME TO kept; CREATE VIEW vector AS SELECT * FROM kept", "table vector is missing",
    ),
}  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    for words in (
        ["remember", "Ada likes tea", "--wait", "--category", "person/Ada/habits"],
        ["remember", "Grace writes compilers", "--wait", "--category", "person/Grace/work"],
        ["record", "--session", "s1", "--summary", "Ada moved to Turin."],
    ):
        assert main([*words, "--db", str(path)]) == 0
    return path


def plant(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA writable_schema = ON")
        for statement in script.replace("; CREATE", ";\0CREATE").split("\0"):
            connection.execute(statement)
        number = connection.execute("PRAGMA schema_version").fetchone()[0]
        connection.execute(f"PRAGMA schema_version = {number + 1}")


def rows(path: Path) -> list[object]:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        return [connection.execute(f"SELECT * FROM {name}").fetchall() for name in ("attribute", "pass", "entity")]


def said(capsys: pytest.CaptureFixture[str], words: list[str], path: Path) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main([*words, "--db", str(path)])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_the_shipped_digest_is_that_of_the_migrations() -> None:
    shipped = migration_files()[0].with_name(objects.DIGEST_FILE).read_text().split()
    with objects.made_new(newest_version()) as fresh:
        wanted = [str(newest_version()), objects.digest_of(fresh)]
    assert shipped == wanted, "python tools/schema_files.py writes it"


@pytest.mark.parametrize("script, named", PLANTED.values(), ids=PLANTED.keys())
def test_reads_go_on_with_a_warning_and_nothing_is_written(script, named, memory, capsys) -> None:
    plant(memory, script)
    before = rows(memory)
    for words in READS:
        code, out, err = said(capsys, words, memory)
        assert code == 0, (words, err)
        assert named in err and objects.MENDED_BY in err, words
        if words[0] in ("recall", "context"):
            assert "Ada likes tea" in out
    for words in WRITES:
        code, _, err = said(capsys, words, memory)
        assert code == 3 and named in err, (words, code, err)
    assert rows(memory) == before


@pytest.mark.parametrize("script, named", MISLEADING.values(), ids=MISLEADING.keys())
def test_what_could_change_what_is_read_refuses_reads_too(script, named, memory, capsys) -> None:
    plant(memory, script)
    for words in (*READS, *WRITES, ["record", "--session", "s9", "--summary", "x"]):
        code, _, err = said(capsys, words, memory)
        assert code == 3 and named in err and objects.MENDED_BY in err, (words, code, err)


def test_an_index_that_does_not_hold_its_table_refuses_reads(memory, capsys) -> None:
    plant(memory, "CREATE INDEX near ON attribute (aspect_id)")
    plant(memory, "UPDATE sqlite_master SET sql = 'CREATE INDEX near ON attribute (status)' WHERE name = 'near'")
    code, _, err = said(capsys, ["recall", "tea"], memory)
    assert code == 3 and "index near is" in err


def test_what_is_told_meanwhile_waits_and_is_taken_in_after(memory, capsys) -> None:
    plant(memory, PLANTED["a trigger dropped"][0])
    assert said(capsys, ["record", "--session", "s2", "--summary", "Grace bought a boat."], memory)[0] == 0
    assert said(capsys, ["remember", "Grace sails"], memory)[0] == 0
    code, out, err = said(capsys, ["pin", "Ada"], memory)
    assert code == 0 and "it waits beside the file" in out and "trigger attribute_changed" in err
    assert said(capsys, ["doctor", "--mend-schema"], memory)[0] == 0
    assert "boat" in said(capsys, ["recall", "boat"], memory)[1]
    assert "Grace sails" in said(capsys, ["recall", "Grace sails"], memory)[1]
    assert "pinned" in said(capsys, ["entity", "Ada"], memory)[1]


@pytest.mark.parametrize("script, named", (PLANTED | MISLEADING).values(), ids=(PLANTED | MISLEADING).keys())
def test_the_schema_can_be_put_right(script, named, memory, capsys) -> None:
    whole = rows(memory)
    plant(memory, script)
    code, out, _ = said(capsys, ["doctor", "--json"], memory)
    assert code == 1
    assert any(named in one["words"] for one in json.loads(out) if one["check"] == "schema")
    code, out, err = said(capsys, ["doctor", "--mend-schema", "--json"], memory)
    if "ALTER TABLE vector" in script:  # its rows are in a table of another name
        assert code == 3 and "table vector is missing" in err and "nothing was changed" in err
        return
    assert code == 0, err
    told = json.loads(out)
    assert told["done"] and Path(told["backup"]).is_file()
    assert rows(memory) == whole
    with Store.open(memory) as store:
        assert store.schema.found == ()
        assert verify(store).ok
    assert "Ada likes tea" in said(capsys, ["recall", "tea"], memory)[1]
    assert said(capsys, ["remember", "Ada likes coffee", "--wait"], memory)[0] == 0
    assert said(capsys, ["doctor", "--mend-schema"], memory)[1].endswith("there was nothing to mend\n")


def test_a_schema_that_cannot_be_read_is_refused_and_put_right(memory, capsys) -> None:
    plant(memory, "INSERT INTO sqlite_master VALUES ('table', 'broken', 'broken', 0, 'CREATE TABLE broken (')")
    for words in (["recall", "tea"], ["dream"]):
        code, _, err = said(capsys, words, memory)
        assert code == 3 and objects.MENDED_BY in err
    assert said(capsys, ["doctor", "--mend-schema"], memory)[0] == 0
    assert "Ada likes tea" in said(capsys, ["recall", "tea"], memory)[1]


def test_what_is_planted_while_a_program_has_the_file_open_is_noticed(memory) -> None:
    with graphdream.open(memory) as graph:
        plant(memory, PLANTED["a trigger that rewrites facts"][0])
        before = rows(memory)
        with pytest.raises(ForeignSchemaError, match="trigger helper"):
            graph.remember("Ada likes coffee")
        assert rows(memory) == before
    with pytest.warns(UserWarning, match="trigger helper"), graphdream.open(memory) as graph:
        assert graph.recall("tea")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["doctor", "--mend-schema", "--db", str(memory)]) == 0
        graphdream.open(memory).close()


def test_an_older_file_with_something_planted_is_not_brought_up_to_date(tmp_path, capsys) -> None:
    import gzip

    packed = Path(__file__).resolve().parents[2] / "fixtures" / "schemas" / "0001.db.gz"
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    plant(path, "CREATE TRIGGER helper AFTER UPDATE ON turn BEGIN DELETE FROM attribute; END")
    before = rows(path)
    code, _, err = said(capsys, ["recall", "compilers"], path)
    assert code == 3 and "trigger helper" in err and rows(path) == before
    assert said(capsys, ["doctor", "--mend-schema"], path)[0] == 0
    assert said(capsys, ["recall", "compilers"], path)[0] == 0
