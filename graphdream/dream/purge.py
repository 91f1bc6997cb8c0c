"""A person's purge from start to end: no pass runs meanwhile, and the old pages leave the file afterwards."""

from __future__ import annotations

from graphdream.clock import Clock, utc_now
from graphdream.dream import lease
from graphdream.graph.store import Store
from graphdream.journal.purge import PurgeReport, erase


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
    """
    store.connection.execute("PRAGMA secure_delete = ON")
    try:
        with lease.hold(store):
            report = erase(store, target, session=session, clock=clock)
            report.cleared = store.clear_deleted()
    finally:
        store.connection.execute("PRAGMA secure_delete = OFF")
    report.backups = tuple(sorted(path.name for path in store.path.parent.glob(f"{store.path.name}.*.backup")))
    return report
