"""Rows that are gone, or were planted, are told when a file is opened, in time that does not grow with it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.graph import sealcheck
from graphdream.graph.store import Store
from tests.support.attacks import shell

_ROW = (
    "INSERT INTO cycle_log (started_at, ended_at, trigger, processed, summary, passes) VALUES ('', '', '', 0, ?, '[]')"
)
_ROWS = 2_600  # more than are counted of every table


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with a table of some thousand rows, one of which, in its middle, somebody has deleted."""
    path = tmp_path_factory.mktemp("grown") / "memory.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHDREAM_STATE_HOME", str(path.parent / "state"))
        with Store.open(path) as store:
            with store.writing():
                store.connection.executemany(_ROW, [(f"cycle {number}",) for number in range(_ROWS)])
            assert store.seal.faults(anew=True) == []
        with shell(path) as connection:
            assert connection.execute("DELETE FROM cycle_log WHERE id = 1300").rowcount == 1
    return path


@pytest.fixture(autouse=True)
def state(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(grown.parent / "state"))


def test_a_row_that_is_gone_from_a_table_of_thousands_is_told_on_opening(grown: Path) -> None:
    with Store.open(grown) as store:
        assert [str(fault) for fault in store.seal.faults()] == ["cycle_log has 2,599 rows, but 2,600 were sealed"]


def test_of_larger_tables_no_more_rows_are_counted_than_there_is_time_for(
    grown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealcheck, "_COUNTED_OF_LARGER", _ROWS - 1)
    with Store.open(grown) as store:
        assert store.seal.faults() == []


def test_a_row_with_the_number_zero_in_an_empty_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Store.open(path) as store, store.writing():
        store.connection.execute("INSERT INTO meta VALUES ('a', 'b')")
    with shell(path) as connection:
        connection.execute("INSERT INTO cycle_log VALUES (0, '', '', '', 0, '', '[]')")
    with Store.open(path) as store:
        (fault,) = store.seal.faults()
        assert str(fault) == "cycle_log has a row 0, but none was sealed"


steps = st.lists(st.lists(st.sampled_from(("made", "deleted", "changed", "taken back")), max_size=6), max_size=6)


@settings(max_examples=25, deadline=None)
@given(steps=steps)
def test_whatever_is_made_and_deleted_the_head_knows_the_last_row(
    steps: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("life") / "memory.db"
    with Store.open(path) as store:
        for step in steps:
            with store.writing():
                for what in step:
                    _do(store, what)
            with Store.open(path) as other:
                assert other.seal.faults() == []


def _do(store: Store, what: str) -> None:
    if what == "made":
        store.connection.execute(_ROW, ("one more",))
    elif what == "changed":
        store.connection.execute(
            "UPDATE cycle_log SET summary = summary || '!' WHERE id = (SELECT max(id) FROM cycle_log)"
        )
    elif what == "deleted":
        store.connection.execute("DELETE FROM cycle_log WHERE id = (SELECT max(id) FROM cycle_log)")
    else:
        with suppress(KeyError), store.savepoint():
            _do(store, "made")
            _do(store, "deleted")
            _do(store, "deleted")
            raise KeyError
