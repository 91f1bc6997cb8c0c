"""Law 4 over random graphs and random undo: by hash, by full dump, by what the journal folds to."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphdream.errors import UndoConflictError
from graphdream.graph.fulltext import index_faults
from graphdream.graph.rowtext import row_sql
from graphdream.graph.store import Store, hash_text, row_hash
from graphdream.graph.tables import TABLES
from graphdream.journal.passes import current_hash
from graphdream.journal.undo import undo
from journal.graphs import Act, acts, clock, dump, dump_of, folded, new_store, standing, write_pass

passes = st.lists(acts, min_size=1, max_size=12)
undos = st.tuples(st.integers(0, 20), st.booleans())
histories = st.lists(st.one_of(passes, passes, undos), min_size=2, max_size=12)
SLOW = settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))


def graph_hash(store: Store) -> str:
    total = 0
    for table in TABLES:
        for (text,) in store.connection.execute(f"SELECT {row_sql(table)} FROM {table.name}"):
            total += row_hash(table.kind, text)
    return hash_text(total % (1 << 256))


def check(store: Store) -> None:
    assert current_hash(store.connection) == graph_hash(store)
    assert dump(store.connection, version=True) == folded(store, version=True)
    assert dump(store.connection) == dump_of(store, standing(store))
    assert index_faults(store.connection) == []
    assert store.connection.execute("PRAGMA foreign_key_check").fetchall() == []


@SLOW
@given(history=histories)
def test_the_graph_is_what_the_standing_passes_made(tmp_path, template, history):
    live(tmp_path, template, history)


@pytest.mark.soak
@settings(SLOW, max_examples=2_000)
@given(history=histories)
def test_the_graph_is_what_the_standing_passes_made_however_long_one_looks(tmp_path, template, history):
    live(tmp_path, template, history)


def live(folder: Path, template: Path, history: list[list[Act] | tuple[int, bool]]) -> None:
    with new_store(folder, template) as store:
        for step in history:
            if isinstance(step, list):
                write_pass(store, step)
            else:
                take_back(store, *step)
            check(store)


def take_back(store: Store, number: int, cascade: bool) -> None:
    there = [row[0] for row in store.connection.execute("SELECT id FROM pass WHERE undone_by IS NULL")]
    if not there:
        return
    target = there[number % len(there)]
    before, hash_before = dump(store.connection, version=True), current_hash(store.connection)
    newest = store.connection.execute("SELECT max(id) FROM pass").fetchone()[0]
    if cascade:
        undo(store, target, cascade=True, clock=clock)
        return
    try:
        undo(store, target, clock=clock)
    except UndoConflictError as conflict:
        assert dump(store.connection, version=True) == before
        assert current_hash(store.connection) == hash_before
        assert store.connection.execute("SELECT max(id) FROM pass").fetchone()[0] == newest
        assert list(conflict.passes) == sorted(conflict.passes)
        report = undo(store, target, cascade=True, clock=clock)
        assert set(report.undone) == {target, *conflict.passes}


@SLOW
@given(first=passes, second=passes)
def test_undo_and_its_undo_are_exact(tmp_path, template, first, second):
    with new_store(tmp_path, template) as store:
        write_pass(store, first)
        before = dump(store.connection), current_hash(store.connection)
        done = write_pass(store, second)
        after = dump(store.connection), current_hash(store.connection)
        report = undo(store, done, clock=clock)
        assert (dump(store.connection), current_hash(store.connection)) == before
        assert undo(store, report.pass_id, clock=clock).brought_back == (done,)
        assert (dump(store.connection), current_hash(store.connection)) == after
        check(store)


@SLOW
@given(history=st.lists(passes, min_size=1, max_size=6))
def test_every_past_state_can_be_had_again(tmp_path, template, history):
    with new_store(tmp_path, template) as store:
        states = [dump(store.connection, version=True)]
        for step in history:
            write_pass(store, step)
            states.append(dump(store.connection, version=True))
        for upto, state in enumerate(states):
            assert folded(store, upto, version=True) == state
        while open_ends := standing(store):
            undo(store, open_ends[-1], clock=clock)
            check(store)
        assert not any(dump(store.connection).values())
