"""How dreaming goes: passes that fail, a lease that nobody gives back, a clock that ran ahead."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from graphdream.clock import seconds_between, utc_now
from graphdream.dream import lease
from graphdream.dream.state import told_state
from graphdream.errors import GraphdreamError
from graphdream.graph.store import Store
from graphdream.interfaces.checks.base import FAULT, NOTE, OK, Finding, Scene

_AHEAD_SECONDS = 86_400.0  # clocks of two machines differ by less, and so do time zones that were mistaken


def look(scene: Scene) -> Iterator[Finding]:
    """All of it, of a file that can be opened."""
    if not scene.database.is_file():
        return
    with suppress(GraphdreamError, sqlite3.Error), Store.open(scene.database, create=False) as store:
        now = utc_now()
        yield from _passes(store)
        holder = lease.read_holder(store.connection)
        if holder is not None and not lease.is_alive(holder, now):
            yield Finding(
                "lease", NOTE, f"process {holder.pid} on {holder.host} began a pass at {holder.acquired_at[:19]}Z and"
                " has not been heard of since", "nothing: the next pass takes over",
            )  # fmt: skip
        yield from _clock(store, now)


def _passes(store: Store) -> Iterator[Finding]:
    state = told_state(store)
    if state.consecutive_failures:
        yield Finding(
            "dreaming", FAULT, f"the last {state.consecutive_failures:,} passes failed, of: {state.last_error or '?'}",
            "graphdream status says when the next one is tried; graphdream dream tries it now",
        )  # fmt: skip
    elif state.last_pass_at or state.last_checked_at:
        last = max(filter(None, (state.last_pass_at, state.last_checked_at)))
        what = "the last pass ended" if last == state.last_pass_at else "the last dream found nothing to do"
        yield Finding("dreaming", OK, f"{what} at {last[:19]}Z")


def _clock(store: Store, now: str) -> Iterator[Finding]:
    """Moments that this program wrote itself and that lie ahead."""
    ask = "SELECT max(finished_at) FROM pass UNION ALL SELECT max(recorded_at) FROM session"
    written = [row[0] for row in store.connection.execute(ask) if row[0]]
    ahead = [moment for moment in written if seconds_between(now, moment) > _AHEAD_SECONDS]
    if ahead:
        yield Finding(
            "clock", FAULT, f"something was written at {max(ahead)[:19]}Z, which is yet to come: a clock ran ahead, or"
            " this one is behind", "set this machine's clock right; what was written stays, and passes go on",
        )  # fmt: skip
