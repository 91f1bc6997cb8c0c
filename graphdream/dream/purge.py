"""A person's purge from start to end: no pass runs meanwhile, the old pages leave the file afterwards, and the backups
beside it lose what it lost."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from graphdream.clock import Clock, utc_now
from graphdream.dream import lease
from graphdream.dream.later import take_in_before
from graphdream.errors import BusyError, GraphdreamError, NotFoundError
from graphdream.events.spool import refused
from graphdream.graph.mending import mend
from graphdream.graph.place import make_private
from graphdream.graph.store import Store
from graphdream.journal.purge import UNFINISHED, PurgeReport, erase
from graphdream.journal.soundness import confirm_journal
from graphdream.observed import observing
from graphdream.room import confirm_disk
from graphdream.sealing import anchor
from graphdream.sealing.places import place_of


@observing("purge")
def purge(store: Store, target: str, *, session: bool = False, clock: Clock = utc_now) -> PurgeReport:
    """Erase a fact, an entity or a session for good, from the graph, the journal, the events and the file's pages, and
    from the backups that graphdream made beside the file.

    What lies elsewhere is out of reach: exports, copies, and what a file system or a disk keeps of old blocks.

    Args:
        target: handle of a fact or an entity (`a12`, `e3`), or the id of a session.
        session: the target is a session's id, even if it looks like a handle.

    Raises:
        ConflictError: it could be either.
        NotFoundError: there is no such row or session.
        BusyError: a pass is running, or another program keeps writing.
        UnwritableError: the disk has too little room; nothing was begun.
        IntegrityError: the file, or its journal, is not as it was sealed, and that was not accepted.
    """
    confirm_disk(store.path)
    confirm_journal(store)  # what it says of the target is what is erased
    finish(store)
    take_in_before(store)  # what waits beside the file may say it, too
    store.connection.execute("PRAGMA secure_delete = ON")
    try:
        with lease.hold(store):
            report = erase(store, target, session=session, clock=clock)
            try:
                report.cleared = _clear(store)
            except (BusyError, sqlite3.OperationalError) as fault:
                report.why_not_cleared = str(fault)  # the purge itself is committed
    finally:
        store.connection.execute("PRAGMA secure_delete = OFF")
    kept = [f"{call.parent.name}/{call.name}" for call in refused(store.path)]
    for backup in sorted(store.path.parent.glob(f"{store.path.name}.*.backup")):
        purged = _purged_in(backup, target, session=session, clock=clock, accepting=store.seal.accepting)
        (report.backups_purged if purged else kept).append(backup.name)
    report.backups = tuple(kept)
    return report


def finish(store: Store) -> bool:
    """Clear the old pages of a purge that was ended in the middle, or met another program that was writing.

    Returns:
        Whether there was one.

    Raises:
        BusyError: another program keeps writing.
    """
    if store.connection.execute("SELECT 1 FROM meta WHERE key = ?", (UNFINISHED,)).fetchone() is None:
        return False
    _clear(store)
    return True


def _clear(store: Store) -> bool:
    """Whether nothing of the old pages is left; else the last program that closes the file clears them."""
    cleared = store.clear_deleted()
    with store.writing():
        store.connection.execute("DELETE FROM meta WHERE key = ?", (UNFINISHED,))
    return cleared


def _purged_in(backup: Path, target: str, *, session: bool, clock: Clock, accepting: bool) -> bool:
    """Purge a backup too: rows keep their handles for good, so the target is the same row in it. Whether it holds
    nothing of it afterwards; it has the present schema then, put right. One that cannot be purged is left as it is."""
    with (
        TemporaryDirectory(dir=backup.parent, prefix=f".{backup.name[:40]}.") as folder,
        suppress(GraphdreamError, sqlite3.Error, OSError),
    ):
        copy = Path(folder) / "copy.db"
        make_private(copy).write_bytes(backup.read_bytes())
        mend(copy, clock())  # one from before its file was mended has the foreign schema still, and is not written to
        with Store.open(copy) as store:
            store.connection.execute("PRAGMA secure_delete = ON")
            store.seal.accepting = accepting  # a copy of what is damaged may be damaged, too
            try:
                erase(store, target, session=session, clock=clock)
            except NotFoundError:
                return True  # it is older than what is purged
            _clear(store)
        os.replace(copy, backup)  # from here on it is sealed as a copy that came from elsewhere
        anchor.forget(place_of(copy))
        return True
    return False
