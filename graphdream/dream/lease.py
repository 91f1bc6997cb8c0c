"""One pass at a time: a lease in the file, kept alive by a heartbeat, taken over where its holder is dead.

The lease keeps others from starting a pass; it is not what keeps the file whole. A holder that was taken for dead and
is not (a machine that slept) learns it from `Lease.confirm`, which a pass calls inside the transaction that applies it,
so of two passes only the present holder's is ever applied. (Kleppmann, "How to do distributed locking", 2016, calls
this fencing.)
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from graphdream.clock import Clock, seconds_between, shifted, utc_now
from graphdream.errors import BusyError

if TYPE_CHECKING:
    from threading import Event

    from graphdream.graph.store import Store

NAME = "dream"
TTL_SECONDS = 60.0  # a holder silent for longer is dead; applying a pass, when it cannot beat, takes some seconds
DEADLINE_SECONDS = 20 * 60.0  # the time limit of a pass in Signet, an agent memory
_BEATS_PER_TTL = 4
# A beat waits this long for the write lock, and then for the next try; whoever lets the lease go waits for a beat.
_BEAT_WAIT_SECONDS = 2.0
_BEAT_AGAIN_SECONDS = 0.5


class LeaseLostError(BusyError):
    """The lease was held and is not any more: past its deadline, or silent for so long that another took it over."""


class Holder(NamedTuple):
    """Who holds a lease. Times are stamps; `owner` tells this holding from every other."""

    owner: str
    pid: int
    host: str
    acquired_at: str
    heartbeat_at: str
    deadline_at: str


class Lease:
    """A lease that this process holds."""

    def __init__(self, name: str, holder: Holder) -> None:
        self.name = name
        self.holder = holder

    def confirm(self, connection: sqlite3.Connection, *, clock: Clock = utc_now) -> None:
        """Make sure, inside a write transaction, that the lease is still held; counts as a heartbeat.

        Raises:
            LeaseLostError: it is not; the transaction must be rolled back.
        """
        if not _beat(connection, self.name, self.holder.owner, clock()):
            other = read_holder(connection, self.name)
            now_held = f"pid {other.pid} on {other.host} has it now" if other else "nobody has it now"
            raise LeaseLostError(f"the {self.name} lease was lost: {now_held}", "run the pass again")

    def prolong(self, store: Store, deadline_seconds: float, *, clock: Clock = utc_now) -> None:
        """Count the deadline from now: what took so long came to an end, and the next thing begins.

        Raises:
            LeaseLostError: the lease is not held any more.
        """
        with store.writing():
            self.confirm(store.connection, clock=clock)
            store.connection.execute(
                "UPDATE lease SET deadline_at = ? WHERE name = ? AND owner = ?",
                (shifted(clock(), deadline_seconds), self.name, self.holder.owner),
            )


def read_holder(connection: sqlite3.Connection, name: str = NAME) -> Holder | None:
    """Who is on record as holding a lease, dead or alive; None where nobody is."""
    row = connection.execute(f"SELECT {', '.join(Holder._fields)} FROM lease WHERE name = ?", (name,)).fetchone()
    return Holder(*row) if row else None


def is_alive(holder: Holder, now: str, *, ttl_seconds: float = TTL_SECONDS) -> bool:
    """False where the holder's process is gone from this machine, its heartbeat is stale, or its deadline is past.

    A heartbeat from the future counts as stale as well: the clock was put back, and would keep a dead holder alive.
    """
    if abs(seconds_between(holder.heartbeat_at, now)) > ttl_seconds or seconds_between(holder.deadline_at, now) >= 0:
        return False
    return not is_gone(holder.host, holder.pid)


def is_gone(host: str, pid: int) -> bool:
    """Whether a process is known to have ended: it was one of this machine, and is not there any more."""
    return host == this_host() and not _process_exists(pid)


def busy(holder: Holder, name: str = NAME) -> BusyError:
    """The error for who wants a lease that another holds."""
    return BusyError(
        f"another pass holds the {name} lease: pid {holder.pid} on {holder.host}, since {holder.acquired_at}",
        f"wait for it; if it dies it is taken over within a minute, at the latest at {holder.deadline_at}",
    )


@contextmanager
def hold(
    store: Store,
    name: str = NAME,
    *,
    ttl_seconds: float = TTL_SECONDS,
    deadline_seconds: float = DEADLINE_SECONDS,
    clock: Clock = utc_now,
) -> Iterator[Lease]:
    """Hold a lease for the time of a `with` block. Readers and recording hooks are not held up by it.

    Args:
        store: the agent's file; must not be in a transaction.
        name: one lease for each thing that only one process may do.
        ttl_seconds: silence after which the holder counts as dead.
        deadline_seconds: time after which it may be taken over even though it lives.
        clock: the clock that all processes share; heartbeats are compared with it.

    Raises:
        BusyError: a living process holds it; the message names process, host and since when.
    """
    from threading import Event, Thread

    lease = Lease(name, _take(store, name, ttl_seconds, deadline_seconds, clock))
    stop = Event()
    heart = Thread(
        target=_beat_until, args=(stop, str(store.path), lease, ttl_seconds, clock), name=f"{name}-lease", daemon=True
    )
    heart.start()
    try:
        yield lease
    finally:
        stop.set()
        heart.join()
        with store.writing():
            store.connection.execute("DELETE FROM lease WHERE name = ? AND owner = ?", (name, lease.holder.owner))


def _take(store: Store, name: str, ttl_seconds: float, deadline_seconds: float, clock: Clock) -> Holder:
    with store.writing():
        now = clock()
        present = read_holder(store.connection, name)
        if present is not None and is_alive(present, now, ttl_seconds=ttl_seconds):
            raise busy(present, name)
        host, pid = this_host(), os.getpid()
        holder = Holder(f"{host}/{pid}/{os.urandom(8).hex()}", pid, host, now, now, shifted(now, deadline_seconds))
        store.connection.execute(
            f"INSERT OR REPLACE INTO lease (name, {', '.join(Holder._fields)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, *holder),
        )
    return holder


def _beat_until(stop: Event, path: str, lease: Lease, ttl_seconds: float, clock: Clock) -> None:
    with closing(sqlite3.connect(path, timeout=_BEAT_WAIT_SECONDS, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        between = ttl_seconds / _BEATS_PER_TTL
        pause = between
        while not stop.wait(pause):
            try:
                held = _beat(connection, lease.name, lease.holder.owner, clock())
            except sqlite3.OperationalError:
                # Somebody is writing: this very pass, whose own transaction confirms the lease, or so many others that
                # each further beat could meet one, too, until the holder is taken for dead.
                pause = min(_BEAT_AGAIN_SECONDS, between)
                continue
            pause = between
            if not held:
                return


def _beat(connection: sqlite3.Connection, name: str, owner: str, now: str) -> bool:
    beaten = connection.execute("UPDATE lease SET heartbeat_at = ? WHERE name = ? AND owner = ?", (now, name, owner))
    return beaten.rowcount == 1


def this_host() -> str:
    """Name of the place whose process ids are comparable: the host, and within it the container where that has its own.

    Two containers may share a file and a host name, and then see different processes under one id.
    """
    try:
        namespace = os.readlink("/proc/self/ns/pid").removeprefix("pid:[").removesuffix("]")
    except OSError:
        return _host_name()
    return f"{_host_name()}:{namespace}"


def _host_name() -> str:
    if hasattr(os, "uname"):
        return os.uname().nodename
    from platform import node

    return node()


def _process_exists(pid: int) -> bool:
    if os.name == "nt":
        return True  # os.kill would end it there; the heartbeat decides
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_dead_but_on_the_list(pid)


def _is_dead_but_on_the_list(pid: int) -> bool:
    """Whether a process has ended and nobody has asked how yet (a zombie): in a container, perhaps nobody ever will."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rpartition(b")")[2].split()[0] == b"Z"
    except (OSError, IndexError):
        return False  # there is no such list here
