"""What an export reads: the graph as it is, or as it was after a past pass, and whether it is what was sealed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

from graphdream.graph.sealfault import SealFault, refusal
from graphdream.graph.sealwalk import EXPORTED, whole_faults
from graphdream.graph.store import Store
from graphdream.journal.fold import fold
from graphdream.journal.soundness import pass_faults


class Source(NamedTuple):
    """A connection with the tables of the graph.

    Attributes:
        own: all of it is what was sealed, so that an export of it may say that it is our own.
    """

    connection: sqlite3.Connection
    own: bool


@contextmanager
def graph_at(store: Store, at: int | None) -> Iterator[Source]:
    """The graph after the pass `at`; None: as it is now. A past one is what the passes up to it say, so each of them is
    looked at, besides every row of the graph and of the events.

    Raises:
        IntegrityError: it is not what was sealed; nothing is read of it. Not where that was accepted.
        NotFoundError: there is no pass `at`.
    """
    faults = whole_faults(store.seal, EXPORTED)
    if at is None:
        _confirm(store, faults)
        yield Source(store.connection, not faults)
        return
    with store.reading():
        faults += pass_faults(store, at)
        _confirm(store, faults)
        past = fold(store, upto=at)
    with closing(past):
        yield Source(past, not faults)


def _confirm(store: Store, faults: list[SealFault]) -> None:
    if faults and not store.seal.accepting:
        raise refusal(store.path, faults)
