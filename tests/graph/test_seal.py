"""What a connection keeps of a seal from one transaction to the next hides nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress

import pytest

from graphdream.errors import IntegrityError
from graphdream.events.record import record
from graphdream.graph.sealwalk import walk
from graphdream.graph.store import Store
from graphdream.journal.verify import verify

_SPOIL = "UPDATE seal_node SET seals = zeroblob(length(seals))"


def test_nodes_that_another_program_changes_are_not_taken_for_those_that_were_read(sealed_store: Store) -> None:
    with closing(sqlite3.connect(sealed_store.path, isolation_level=None)) as shell:
        shell.execute(_SPOIL)
    with pytest.raises(IntegrityError), sealed_store.writing():
        record(sealed_store, "s1", summary="Further words of it.")
    assert sealed_store.connection.execute("SELECT count(*) FROM summary").fetchone()[0] == 101


def test_nodes_that_this_program_wrote_are_not_read_again(sealed_store: Store) -> None:
    record(sealed_store, "s1", summary="The boiler was bled.")
    asked: list[str] = []
    sealed_store.connection.set_trace_callback(asked.append)
    record(sealed_store, "s2", summary="The valve was closed.")
    sealed_store.connection.set_trace_callback(None)
    assert any("INTO seal_node" in sql for sql in asked)
    assert not [sql for sql in asked if "FROM seal_node" in sql]


def test_verify_reads_every_node_also_those_that_this_connection_knows(sealed_store: Store) -> None:
    sealed_store.connection.execute(_SPOIL)  # which the connection itself does not count as another's writing
    assert {fault.code for fault in walk(sealed_store.seal)} == {"row"}


def test_what_was_sealed_and_then_taken_back_is_not_kept(sealed_store: Store) -> None:
    with suppress(KeyError), sealed_store.writing():
        record(sealed_store, "second", summary="Taken back after its seals were written.")
        sealed_store.seal.flush()
        raise KeyError
    record(sealed_store, "third", summary="Stays.")
    assert verify(sealed_store).ok
