"""The library: one object for one agent's memory, as a session-end hook or an agent's program calls it."""

from __future__ import annotations

from pathlib import Path

from graphdream.clock import Clock, utc_now
from graphdream.dream.later import take_in_waiting
from graphdream.graph.store import Store
from graphdream.journal.witness import watch, witness_of
from graphdream.library.base import warned
from graphdream.library.cycle import Cycle
from graphdream.library.experience import Experience
from graphdream.library.journal import Journal
from graphdream.library.knowledge import Knowledge


def open(
    path: str | Path | None = None, *, agent: str | None = None, clock: Clock = utc_now, accept_damage: bool = False
) -> Graph:
    """Open an agent's memory; the file is made where it is missing.

    Args:
        path: the database file; None: the agent's own, below $GRAPHDREAM_HOME or the platform's data directory.
        agent: name of the agent where no path is given.
        clock: where times come from.
        accept_damage: go on also where the memory is not as it was sealed; what is written then says so in the journal
            (docs/trust.md).

    Where somebody changed the schema of the file, a warning says how: it is read, and every call that writes raises
    ForeignSchemaError. Where the settings name a witness that cannot be reached, a warning says why.

    Raises:
        ConfigError: the settings are wrong, and may name a witness.
        SchemaError: the file is no graphdream database, or one of a newer program.
        ForeignSchemaError: somebody changed its schema so that what is read could be something else than what is there.
    """
    from graphdream.paths import database_path

    witness = witness_of(agent)
    store = Store.open(database_path(path, agent))
    if store.schema.found:
        from warnings import warn

        from graphdream.graph.objects import refusal

        warn(str(refusal(store.path, store.schema.found, "nothing is written to it")), stacklevel=2)
    watch(store, witness, warned)
    store.seal.accepting = accept_damage
    return Graph(take_in_waiting(store), agent=agent, clock=clock)


class Graph(Experience, Cycle, Journal, Knowledge):
    """One agent's memory. Use as a context manager, or call `close`.

    Several threads may use one object: each has a connection of its own to the file, so those that read never wait, and
    those that write wait for each other. `close` closes all of them, and is for when they are done.
    """
