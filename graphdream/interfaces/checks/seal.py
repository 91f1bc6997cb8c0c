"""Is the file what was sealed, can key and witness be had, has somebody without the key put calls beside the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from graphdream.errors import GraphdreamError
from graphdream.events.spool import unsealed
from graphdream.graph.sealwitness import FileWitness
from graphdream.graph.store import Store
from graphdream.interfaces.checks.base import FAULT, NOTE, OK, Finding, Scene
from graphdream.journal.witness import watch, witness_of

_DECIDE = "graphdream verify says more; graphdream trust --reason WHY accepts it"


def look(scene: Scene) -> Iterator[Finding]:
    """What one look at the head tells; `graphdream verify` looks at every row. A file that does not open is told of by
    the checks of the database."""
    if not scene.database.exists():
        return
    with suppress(GraphdreamError, sqlite3.Error), Store.open(scene.database, create=False) as store:
        with suppress(GraphdreamError):  # the settings are wrong, which their own check tells
            watch(store, witness_of(scene.agent), lambda why: None)
        faults, head = store.seal.faults(anew=True), store.seal.head()
        if faults:
            yield from (Finding("seal", FAULT, str(fault), _DECIDE) for fault in faults)
        elif head is None:
            yield Finding("seal", NOTE, "not sealed yet", "nothing: the next write seals it")
        else:
            words = f"key {head.key}, {head.state['count']:,} sealed writes; graphdream trust says more"
            yield Finding("seal", OK, words)
        if store.seal.witness is not None:
            yield _witness(store.seal.witness)
        if calls := unsealed(scene.database, store.seal):
            yield Finding(
                "seal", FAULT, f"{len(calls):,} calls wait that graphdream has not put there, such as {calls[0]}",
                "delete them, or let them in: graphdream trust --reason WHY",
            )  # fmt: skip


def _witness(witness: FileWitness) -> Finding:
    """Whether it can be asked; what it says against the file is a fault of the seal."""
    if witness.unreachable:
        words = f"{witness.where} cannot be reached, and passes go on without: {witness.unreachable}"
        return Finding("witness", NOTE, words, "mount it, or mend what memory.witness names (docs/trust.md)")
    if witness.note is None or not witness.note.writes:
        return Finding("witness", NOTE, f"{witness.where} has no note of the file", "nothing: the next pass makes one")
    return Finding("witness", OK, f"{witness.where} has noted pass {witness.note.pass_id}")
