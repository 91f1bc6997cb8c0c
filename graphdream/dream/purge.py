"""A person's purge from start to end: no pass runs meanwhile, and the old pages leave the file afterwards."""

from __future__ import annotations

import sqlite3

from graphdream.clock import Clock, utc_now
from graphdream.dream import lease
from graphdream.dream.later import take_in_waiting
from graphdream.errors import BusyError
from graphdream.events.spool import refused
from graphdream.graph.store import Store
from graphdream.journal.purge import PurgeReport, erase
from graphdream.observed import observing
from graphdream.room import confirm_disk


@observing("purge")
def purge(store: Store, target: str, *, session: bool = False, clock: Clock = utc_now) -> PurgeReport:
    """Erase a fact, an entity or a session for good, from the graph, the journal, the events and the file's pages.

    What lies outside the file is out of reach: exports, copies, backups (`PurgeReport.backups` names those beside it)
    and what a file system or a disk keeps of old blocks.

    Args:
        target: handle of a fact or an entity (`a12`, `e3`), or the id of a session.
        session: the target is a session's id, even if it looks like a handle.

    Raises:
        ConflictError: it could be either.
        NotFoundError: there is no such row or session.
        BusyError: a pass is running, or another program keeps writing.
        UnwritableError: the disk has too little room; nothing was begun.
    """
    confirm_disk(store.path)
    take_in_waiting(store)  # what waits beside the file may say it, too
    store.connection.execute("PRAGMA secure_delete = ON")
    try:
        with lease.hold(store):
            report = erase(store, target, session=session, clock=clock)
            try:
                report.cleared = store.clear_deleted()
            except (BusyError, sqlite3.OperationalError) as fault:
                report.why_not_cleared = str(fault)  # the purge itself is committed
    finally:
        store.connection.execute("PRAGMA secure_delete = OFF")
    backups = [path.name for path in store.path.parent.glob(f"{store.path.name}.*.backup")]
    report.backups = tuple(sorted(backups + [f"{call.parent.name}/{call.name}" for call in refused(store.path)]))
    return report
