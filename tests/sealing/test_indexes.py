"""Full-text indexes that somebody else wrote to: a row that is sound must not be hidden by what only finds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.graph import sealedwrite
from graphdream.graph.sealhead import write_head
from graphdream.graph.sealindexes import INDEXES
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from tests.support.attacks import World, attack

EDITS = {
    "a fact taken out": "DELETE FROM fact_index WHERE rowid = 1",
    "a fact in other words": "UPDATE fact_index SET content = 'Grace keeps nothing.' WHERE rowid = 1",
    "a fact that is none": "INSERT INTO fact_index (rowid, content) VALUES (99, 'Grace keeps the log in MongoDB.')",
    "all facts": "DELETE FROM fact_index",
    "a name taken out": "DELETE FROM name_index WHERE rowid = 1",
    "a turn that is none": "INSERT INTO turn_index (rowid, content) VALUES (77, 'Grace sold the boat.')",
    "a summary taken out": "INSERT INTO summary_index (summary_index, rowid, content)"
    " SELECT 'delete', id, content FROM summary WHERE id = 1",
    "parts put together": "INSERT INTO fact_index (fact_index) VALUES ('optimize')",
    "the list of parts": "UPDATE fact_index_data SET block = (SELECT block FROM name_index_data WHERE id = 10)"
    " WHERE id = 10",
    "the sums": "UPDATE summary_index_data SET block = x'0907' WHERE id = 1",
    "a record that is no bytes": "UPDATE name_index_data SET block = 7 WHERE id = 1",
    "a record that is gone": "DELETE FROM fact_index_data WHERE id = 10",
}
PAST_SQLITE = {
    "bytes of a part": "UPDATE fact_index_data SET block = zeroblob(length(block)) WHERE id > 10",
    "a part that is gone": "DELETE FROM summary_index_data WHERE id > 10",
    "the text of a fact": "UPDATE fact_index_content SET c2 = 'Grace keeps nothing.' WHERE id = 1",
    "the lengths of facts": "DELETE FROM fact_index_docsize WHERE id = 1",
    "the text of a name": "UPDATE name_index_content SET c0 = 'Mallory'",
    "its version": "UPDATE turn_index_config SET v = 9",
    "its settings": "DELETE FROM summary_index_config",
}


def write(path: Path, sql: str) -> None:
    """As any program writes that knows SQLite and has no key."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()


@pytest.mark.parametrize("edit", EDITS)
def test_it_is_told_when_the_memory_is_next_opened_and_nothing_is_written(
    edit: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    write(world.memory, EDITS[edit])
    index = next(name for name in INDEXES if name in EDITS[edit])
    db = ["--db", str(world.memory)]
    main(["status", *db])
    told = capsys.readouterr().err
    assert f"the full-text index {index} was changed behind graphdream's back" in told
    assert "graphdream doctor --mend-schema" in told
    assert main(["dream", *db]) == 1
    assert index in capsys.readouterr().err
    with Store.open(world.memory) as store:
        assert any(fault.check == "seal" and index in fault.message for fault in verify(store).faults)


@pytest.mark.parametrize("edit", EDITS)
def test_it_is_made_anew_and_finds_what_was_hidden(edit: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    write(world.memory, EDITS[edit])
    db = ["--db", str(world.memory)]
    assert main(["doctor", "--mend-schema", *db]) == 0
    assert "anew" in capsys.readouterr().out
    assert main(["recall", "Postgres log", *db]) == 0
    told = capsys.readouterr()
    assert told.err == "" and "Grace keeps the log in Postgres 16." in told.out
    assert main(["verify", *db]) == 0
    assert main(["doctor", "--mend-schema", *db]) == 0
    assert "nothing to mend" in capsys.readouterr().out
    assert main(["dream", *db]) == 0


@pytest.mark.parametrize("edit", ["a fact taken out", "all facts", "the list of parts", "a name taken out"])
def test_who_takes_the_file_as_it_is_has_them_made_anew(
    edit: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    write(world.memory, EDITS[edit])
    db = ["--db", str(world.memory)]
    assert main(["trust", "--reason", "I wrote to it myself", *db]) == 0
    assert "was made anew" in capsys.readouterr().out
    assert main(["recall", "Postgres log", *db]) == 0
    told = capsys.readouterr()
    assert told.err == "" and "Grace keeps the log in Postgres 16." in told.out
    assert main(["verify", *db]) == 0


@pytest.mark.parametrize("edit", PAST_SQLITE)
def test_what_is_changed_past_fts5_is_told_by_verify_and_mended(
    edit: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    write(world.memory, PAST_SQLITE[edit])
    index = next(name for name in INDEXES if name in PAST_SQLITE[edit])
    db = ["--db", str(world.memory)]
    with Store.open(world.memory) as store:
        assert any(index in fault.message for fault in verify(store).faults if fault.check == "index")
    assert main(["doctor", "--mend-schema", *db]) == 0
    assert f"made the full-text index {index} anew" in capsys.readouterr().out
    assert main(["recall", "Postgres log", *db]) == 0
    assert "Grace keeps the log in Postgres 16." in capsys.readouterr().out
    assert main(["verify", *db]) == 0


def test_while_another_program_writes_the_indexes_are_a_note_of_verify(world: World) -> None:
    with Store.open(world.memory) as store, closing(sqlite3.connect(world.memory, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        report = verify(store)
        assert report.ok and any("full-text indexes" in note for note in report.notes)
        writer.execute("ROLLBACK")
        assert not any("full-text indexes" in note for note in verify(store).notes)


def test_a_file_that_is_gone_is_not_made_anew_by_who_looks_at_its_indexes(world: World) -> None:
    with Store.open(world.memory) as store:
        world.memory.unlink()
        assert any("full-text indexes" in note for note in verify(store).notes)
        assert not world.memory.exists()


@pytest.mark.parametrize("edit", ["its version", "its settings"])
def test_settings_that_sqlite_cannot_read_are_told_as_an_index_that_is_damaged(
    edit: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    write(world.memory, PAST_SQLITE[edit])
    assert main(["recall", "Postgres log", "--db", str(world.memory)]) == 3
    assert "graphdream doctor --mend-schema makes it anew" in capsys.readouterr().err


def test_what_is_wrong_besides_is_not_sealed_by_the_mending(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    attack(world, "content", "left")
    write(world.memory, EDITS["a fact taken out"])
    db = ["--db", str(world.memory)]
    assert main(["doctor", "--mend-schema", *db]) == 0
    assert main(["recall", "Postgres log", *db]) == 0
    told = capsys.readouterr()
    assert "warning" in told.err and "MongoDB" not in told.out
    assert main(["verify", *db]) == 1


HONEST: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: None,
    "a vacuum": lambda path: write(path, "VACUUM"),
    "a recording": lambda path: main(["record", "--db", str(path), "--session", "s9", "--summary", "Grace rows."]),
    "a fact": lambda path: main(["remember", "--db", str(path), "Grace rows on Fridays.", "--wait"]),
    "a dream": lambda path: main(["dream", "--compact", "--db", str(path)]),
    "an undo": lambda path: main(["undo", "1", "--cascade", "--db", str(path)]),
    "a purge": lambda path: main(["purge", "a5", "--yes", "--db", str(path)]),
    "a mending of nothing": lambda path: main(["doctor", "--mend-schema", "--db", str(path)]),
    "a copy": lambda path: _copy(path),
}


def _copy(path: Path) -> None:
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(path.with_name("copy.db"))) as other:
        one.backup(other)
    path.with_name("copy.db").replace(path)


@pytest.mark.parametrize("what", HONEST)
def test_nothing_is_told_of_who_is_honest(what: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    HONEST[what](world.memory)
    capsys.readouterr()
    with graphdream.open(world.memory) as graph:
        assert graph.store.seal.faults(anew=True) == []
        graph.remember("Ines Duarte rows.")
        graph.recall("rows")
        assert graph.store.seal.faults(anew=True) == []
    assert main(["recall", "Grace boat", "--db", str(world.memory)]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_taken_back_within_a_transaction_is_not_in_the_head(world: World) -> None:
    with Store.open(world.memory) as store:
        with pytest.raises(RuntimeError), store.writing():
            store.connection.execute("INSERT INTO fact_index (rowid, content) VALUES (99, 'x')")
            raise RuntimeError
        assert store.seal.faults(anew=True) == []
        with store.writing():
            store.connection.execute("SAVEPOINT one")
            store.connection.execute("INSERT INTO fact_index (rowid, content) VALUES (99, 'x')")
            store.connection.execute("ROLLBACK TO one")
            store.connection.execute("RELEASE one")
        assert store.seal.faults(anew=True) == []


def test_a_transaction_that_writes_nothing_but_an_index_is_in_the_head(world: World) -> None:
    with Store.open(world.memory) as store:
        with store.writing():
            store.connection.execute("INSERT INTO fact_index (fact_index) VALUES ('optimize')")
        with Store.open(world.memory) as other:
            assert other.seal.faults(anew=True) == []
        head = store.seal.head()
        with store.writing():
            pass
        after = store.seal.head()
        assert head is not None and after is not None and head.text == after.text


def test_a_head_of_before_says_nothing_of_indexes_until_the_next_write(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_before(connection: Any, key: Any, state: dict[str, Any], file_key: bytes) -> Any:
        del state["indexes"], state["indexed"]
        return write_head(connection, key, state, file_key)

    with monkeypatch.context() as before, Store.open(world.memory) as store:
        before.setattr(sealedwrite, "write_head", of_before)
        with store.writing():
            store.connection.execute("INSERT INTO fact_index (fact_index) VALUES ('optimize')")
    with Store.open(world.memory) as store:
        assert "indexes" not in store.seal.head().state
        assert store.seal.faults(anew=True) == []
        with store.writing():
            pass
        assert set(store.seal.head().state["indexes"]) == set(INDEXES)
    write(world.memory, EDITS["a fact taken out"])
    with Store.open(world.memory) as store:
        assert [fault.code for fault in store.seal.faults()] == ["index"]


def test_a_version_of_before_that_writes_after_this_one_raises_no_alarm(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_before(connection: Any, key: Any, state: dict[str, Any], file_key: bytes) -> Any:
        state["indexes"], state["indexed"] = known["indexes"], known["indexed"]  # it keeps what it does not know
        return write_head(connection, key, state, file_key)

    with monkeypatch.context() as before, Store.open(world.memory) as store:
        known = dict(store.seal.head().state)
        before.setattr(sealedwrite, "write_head", of_before)
        with store.writing():
            store.connection.execute("INSERT INTO fact_index (fact_index) VALUES ('optimize')")
    with Store.open(world.memory) as store:
        assert store.seal.faults(anew=True) == []
        with store.writing():
            pass
    write(world.memory, EDITS["a fact taken out"])
    with Store.open(world.memory) as store:
        assert [fault.code for fault in store.seal.faults()] == ["index"]
