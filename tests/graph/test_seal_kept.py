"""What a connection keeps of a seal from one transaction to the next, and holds back within one, hides nothing."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from graphdream.errors import IntegrityError
from graphdream.events.record import record
from graphdream.graph.sealwalk import walk
from graphdream.graph.store import Store
from graphdream.journal.verify import verify

_SPOIL = "UPDATE seal_node SET seals = zeroblob(length(seals))"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A memory with a hundred sessions, whose tree has two levels."""
    with Store.open(tmp_path / "memory.db") as store, store.writing():
        for number in range(100):
            record(store, f"s{number}", summary=f"Session {number}.")
    with Store.open(tmp_path / "memory.db") as store:
        record(store, "first", summary="What this connection has written itself.")
        yield store


def _note(store: Store, key: str, value: str) -> None:
    store.connection.execute(
        "INSERT INTO working_memory (key, namespace, value, stored_at, expires_at) VALUES (?, 'n', ?, '', '')"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def test_nodes_that_another_program_changes_are_not_taken_for_those_that_were_read(store: Store) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as shell:
        shell.execute(_SPOIL)
    with pytest.raises(IntegrityError), store.writing():
        record(store, "s1", summary="Further words of it.")
    assert store.connection.execute("SELECT count(*) FROM summary").fetchone()[0] == 101


def test_verify_reads_every_node_also_those_that_this_connection_knows(store: Store) -> None:
    store.connection.execute(_SPOIL)  # which the connection itself does not count as another's writing
    assert {fault.code for fault in walk(store.seal)} == {"row"}


def test_what_was_sealed_and_then_taken_back_is_not_kept(store: Store) -> None:
    with suppress(KeyError), store.writing():
        record(store, "second", summary="Taken back after its seals were written.")
        store.seal.flush()
        raise KeyError
    record(store, "third", summary="Stays.")
    assert verify(store).ok


def test_a_row_changed_behind_its_back_is_met_however_late_it_is_looked_at(store: Store) -> None:
    """Rows are sealed together before the commit; one that is not what was sealed takes everything back."""
    triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'summary'"
    with closing(sqlite3.connect(store.path, isolation_level=None)) as shell:
        held = shell.execute(triggers).fetchall()
        for name, _ in held:
            shell.execute(f"DROP TRIGGER {name}")
        shell.execute("UPDATE summary SET content = 'something else' WHERE id = 7")
        for _, text in held:
            shell.execute(text)
    with pytest.raises(IntegrityError, match="summary 7"), store.writing():
        store.connection.execute("UPDATE summary SET tokens = 3 WHERE id IN (5, 6, 7)")
        store.connection.execute("UPDATE summary SET tokens = 4 WHERE id = 8")
    assert store.connection.execute("SELECT count(*) FROM summary WHERE tokens IS NOT NULL").fetchone()[0] == 0
    with store.writing():  # the others may be written
        store.connection.execute("UPDATE summary SET tokens = 4 WHERE id = 8")


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_written_and_taken_back_the_seals_fit_the_rows(seed: int, store: Store) -> None:
    chance = random.Random(seed)

    def step() -> None:
        what, number = chance.randrange(6), chance.randrange(30)
        if what == 0:
            record(store, f"new-{number}", summary=f"Told {chance.random()}.", transcript=[{"content": "a"}])
        elif what == 1:
            _note(store, f"key {number}", str(chance.random()))
        elif what == 2:
            store.connection.execute("DELETE FROM working_memory WHERE key = ?", (f"key {number}",))
        elif what == 3:
            store.connection.execute("UPDATE summary SET tokens = ? WHERE id = ?", (chance.randrange(9), number))
        elif what == 4:
            store.connection.execute("DELETE FROM summary WHERE id = ?", (50 + number,))
        else:
            with suppress(KeyError), store.savepoint():
                for _ in range(chance.randrange(4)):
                    step()
                if chance.random() < 0.5:
                    raise KeyError

    for _ in range(12):
        with suppress(KeyError), store.writing():
            for _ in range(chance.randrange(8)):
                step()
            if chance.random() < 0.2:
                raise KeyError
        if chance.random() < 0.3:
            with Store.open(store.path) as other:
                record(other, f"other-{chance.random()}", summary="Told by another connection.")
        assert list(walk(store.seal)) == [] and store.seal.faults(anew=True) == []
