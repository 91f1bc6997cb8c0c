"""Is the file what was sealed, can the key be had, and has somebody without it put calls beside the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from graphdream.errors import GraphdreamError
from graphdream.events.spool import unsealed
from graphdream.graph.store import Store
from graphdream.interfaces.checks.base import FAULT, NOTE, OK, Finding, Scene

_DECIDE = "graphdream verify says more; graphdream trust --reason WHY accepts it"


def look(scene: Scene) -> Iterator[Finding]:
    """What one look at the head tells; `graphdream verify` looks at every row. A file that does not open is told of by
    the checks of the database."""
    if not scene.database.exists():
        return
    with suppress(GraphdreamError, sqlite3.Error), Store.open(scene.database, create=False) as store:
        faults, head = store.seal.faults(), store.seal.head()
        if faults:
            yield from (Finding("seal", FAULT, str(fault), _DECIDE) for fault in faults)
        elif head is None:
            yield Finding("seal", NOTE, "not sealed yet", "nothing: the next write seals it")
        else:
            words = f"key {head.key}, {head.state['count']:,} sealed writes; graphdream trust says more"
            yield Finding("seal", OK, words)
        if calls := unsealed(scene.database, store.seal):
            yield Finding(
                "seal", FAULT, f"{len(calls):,} calls wait that graphdream has not put there, such as {calls[0]}",
                "delete them, or let them in: graphdream trust --reason WHY",
            )  # fmt: skip
