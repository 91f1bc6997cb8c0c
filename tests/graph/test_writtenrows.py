"""What a transaction holds back until it is sealed together hides nothing, and is taken back with its savepoint."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress

import pytest

from graphdream.errors import IntegrityError
from graphdream.events.record import record
from graphdream.graph.sealwalk import walk
from graphdream.graph.store import Store


def _note(sealed_store: Store, key: str, value: str) -> None:
    sealed_store.connection.execute(
        "INSERT INTO working_memory (key, namespace, value, stored_at, expires_at) VALUES (?, 'n', ?, '', '')"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def test_a_row_changed_behind_its_back_is_met_however_late_it_is_looked_at(sealed_store: Store) -> None:
    """Rows are sealed together before the commit; one that is not what was sealed takes everything back."""
    triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'summary'"
    with closing(sqlite3.connect(sealed_store.path, isolation_level=None)) as shell:
        held = shell.execute(triggers).fetchall()
        for name, _ in held:
            shell.execute(f"DROP TRIGGER {name}")
        shell.execute("UPDATE summary SET content = 'something else' WHERE id = 7")
        for _, text in held:
            shell.execute(text)
    with pytest.raises(IntegrityError, match="summary 7"), sealed_store.writing():
        sealed_store.connection.execute("UPDATE summary SET tokens = 3 WHERE id IN (5, 6, 7)")
        sealed_store.connection.execute("UPDATE summary SET tokens = 4 WHERE id = 8")
    assert sealed_store.connection.execute("SELECT count(*) FROM summary WHERE tokens IS NOT NULL").fetchone()[0] == 0
    with sealed_store.writing():  # the others may be written
        sealed_store.connection.execute("UPDATE summary SET tokens = 4 WHERE id = 8")


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_written_and_taken_back_the_seals_fit_the_rows(seed: int, sealed_store: Store) -> None:
    chance = random.Random(seed)

    def step() -> None:
        what, number = chance.randrange(6), chance.randrange(30)
        if what == 0:
            record(sealed_store, f"new-{number}", summary=f"Told {chance.random()}.", transcript=[{"content": "a"}])
        elif what == 1:
            _note(sealed_store, f"key {number}", str(chance.random()))
        elif what == 2:
            sealed_store.connection.execute("DELETE FROM working_memory WHERE key = ?", (f"key {number}",))
        elif what == 3:
            sealed_store.connection.execute("UPDATE summary SET tokens = ? WHERE id = ?", (chance.randrange(9), number))
        elif what == 4:
            sealed_store.connection.execute("DELETE FROM summary WHERE id = ?", (50 + number,))
        else:
            with suppress(KeyError), sealed_store.savepoint():
                for _ in range(chance.randrange(4)):
                    step()
                if chance.random() < 0.5:
                    raise KeyError

    for _ in range(12):
        with suppress(KeyError), sealed_store.writing():
            for _ in range(chance.randrange(8)):
                step()
            if chance.random() < 0.2:
                raise KeyError
        if chance.random() < 0.3:
            with Store.open(sealed_store.path) as other:
                record(other, f"other-{chance.random()}", summary="Told by another connection.")
        assert list(walk(sealed_store.seal)) == [] and sealed_store.seal.faults(anew=True) == []
