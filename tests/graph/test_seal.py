"""What a connection keeps of a seal from one transaction to the next hides nothing."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing, suppress

import pytest

from graphdream.errors import IntegrityError
from graphdream.events.record import record
from graphdream.graph.sealwalk import walk
from graphdream.graph.store import Store
from graphdream.journal.verify import verify
from graphdream.sealing import anchor
from graphdream.sealing.places import place_of

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


@pytest.mark.parametrize("step", ["write", "make_known"])
@pytest.mark.parametrize("after", [False, True], ids=["before it", "after it"])
def test_a_program_that_ends_amid_the_first_write_to_a_copy_leaves_no_fault(
    step: str, after: bool, sealed_store: Store
) -> None:
    """Seen: a compaction of a copy, killed between two notes beside it, and the copy was called an older one."""
    copy = sealed_store.path.with_name("copy.db")
    sealed_store.connection.execute("VACUUM INTO ?", (str(copy),))
    dying = f"""
import os
from pathlib import Path
from graphdream.sealing import anchor
from graphdream.graph.store import Store
from graphdream.events.record import record
kept = anchor.{step}
def die(*args, **more):
    {after} and kept(*args, **more)
    os._exit(9)
anchor.{step} = die
with Store.open(Path({str(copy)!r})) as store:
    record(store, "s1", summary="The boiler was bled.")
"""
    assert subprocess.run([sys.executable, "-c", dying]).returncode == 9
    with Store.open(copy) as store:
        assert not verify(store).faults
        record(store, "s2", summary="The valve was closed.")
        assert not verify(store).faults
    assert anchor.is_known(place_of(copy))
