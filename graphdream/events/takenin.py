"""Which of the calls that waited beside the file were taken in, so that none is taken in twice.

Who may read the folder can keep a call's file and put it back later, where its seal fits as before. So the file
remembers the name of each, which the seal covers and no other call has: a short row, less than what the call itself
left. A fact that was remembered is known by its pass.
"""

from __future__ import annotations

from graphdream.clock import utc_now
from graphdream.events.spool import FACTS

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from pathlib import Path

    from graphdream.graph.store import Store

_KEY = "taken in "  # before the name of a call, in the table `meta`


def taken_in_at(store: Store, call: Path) -> str:
    """When a call was taken in, "" where it was not; within the transaction that takes it in.

    Raises:
        IntegrityError: what tells it is not what was sealed.
    """
    if call.suffix == FACTS:
        row = store.connection.execute(
            "SELECT started_at FROM pass WHERE kind = 'remember' AND json_extract(inputs, '$.call') = ?", (call.name,)
        ).fetchone()
    else:
        from graphdream.graph.sealtables import confirm_tables  # what a hook does without as long as nothing waits

        confirm_tables(store.seal, "meta")
        row = store.connection.execute("SELECT value FROM meta WHERE key = ?", (_KEY + call.name,)).fetchone()
    return "" if row is None else str(row[0])


def note_taken_in(store: Store, call: Path) -> None:
    """Remember that a call is taken in, within the transaction that does so."""
    store.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY + call.name, utc_now()))


def was_put_back(call: Path, taken_in: str) -> bool:
    """Whether the file of a call came to its place after the call was taken in. One that a program had no time to
    discard lies there since before.

    Args:
        taken_in: when the call was taken in; "": just now.
    """
    if not taken_in:
        return False
    from datetime import UTC, datetime  # what a hook does without

    try:
        came = call.lstat().st_ctime  # which nobody can set, as they can the time of the last write
    except OSError:
        return False
    return datetime.fromtimestamp(came, UTC) > datetime.fromisoformat(taken_in)
