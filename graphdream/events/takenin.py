"""Which of the calls that waited beside the file were taken in, so that none is taken in twice.

Who may read the folder can keep a call's file and put it back later, where its seal fits as before. So the file
remembers the name of each, which the seal covers and no other call has: a short row, less than what the call itself
left. A fact that was remembered is known by its pass.

Names begin with when a call was told, so not all of them need be kept: where there are many, the oldest are forgotten,
and the newest of those that were forgotten stands for all. A call that was told before that one may have been taken in
or not. It is set aside, for a person to look at: one that comes so late was not put there by graphdream.
"""

from __future__ import annotations

import os

from graphdream.clock import shifted, utc_now
from graphdream.errors import GraphdreamError
from graphdream.events.spool import FACTS, spool_path

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from pathlib import Path

    from graphdream.graph.store import Store

KEPT = 1_000  # names of each kind of call that are never forgotten
KEPT_SECONDS = 86_400.0  # for which none is: whatever delays a call or sets a clock right takes less
_STEP = 100  # names that are forgotten together
_KEY = "taken in "  # before the name of a call, in the table `meta`
_FORGOTTEN = "taken in, and forgotten, up to "  # before a kind of calls: the newest name of it that was forgotten


class ForgottenCallError(GraphdreamError):
    """A call was told so long ago that nobody knows whether it was taken in then."""

    def __init__(self, call: Path) -> None:
        at = call.name.partition("Z-")[0]  # the colons of a time are no part of a file's name
        told_at = f"{at[:13]}:{at[13:15]}:{at[15:17]}Z"
        super().__init__(f"it was told at {told_at}, and of calls that old it is not kept any more which were taken in")


def taken_in_at(store: Store, call: Path) -> str:
    """When a call was taken in, "" where it was not; within the transaction that takes it in.

    Raises:
        ForgottenCallError: nobody knows.
        IntegrityError: what tells it is not what was sealed.
    """
    if call.suffix == FACTS:
        row = store.connection.execute(
            "SELECT started_at FROM pass WHERE kind = 'remember' AND json_extract(inputs, '$.call') = ?", (call.name,)
        ).fetchone()
        return "" if row is None else str(row[0])
    from graphdream.graph.sealtables import confirm_tables  # what a hook does without as long as nothing waits

    confirm_tables(store.seal, "meta")
    found = _values(store, _KEY + call.name, _FORGOTTEN + call.suffix)
    at = found.get(_KEY + call.name, "")
    # One of the last day is no old one, whatever was forgotten: then a clock had run ahead.
    if not at and call.name <= found.get(_FORGOTTEN + call.suffix, "") and call.name < _a_day_ago():
        raise ForgottenCallError(call)
    return at


def note_taken_in(store: Store, call: Path) -> None:
    """Remember that a call is taken in, within the transaction that does so, and forget the oldest ones of its kind."""
    store.connection.execute("INSERT INTO meta VALUES (?, ?)", (_KEY + call.name, utc_now()))
    where, bounds = "FROM meta WHERE key BETWEEN ? AND ? AND key LIKE ?", (_KEY, _KEY + "~", f"%{call.suffix}")
    if store.connection.execute(f"SELECT count(*) {where}", bounds).fetchone()[0] >= KEPT + _STEP:
        keys = [row[0] for row in store.connection.execute(f"SELECT key {where} ORDER BY key", bounds)]
        _forget(store, call.suffix, [key.removeprefix(_KEY) for key in keys[:-KEPT]])


def _forget(store: Store, kind: str, oldest: list[str]) -> None:
    """Forget those of some names that are of no use: not of the last day, nor of files that nobody could discard."""
    day_ago, folder = _a_day_ago(), spool_path(store.path)
    gone = [name for name in oldest if name < day_ago and not os.path.lexists(folder / name)]
    if not gone:
        return
    key = _FORGOTTEN + kind
    newest = max(gone[-1], _values(store, key).get(key, ""))
    store.connection.executemany("DELETE FROM meta WHERE key = ?", [(_KEY + name,) for name in gone])
    # Not `OR REPLACE`, which takes a row away without a word to its seal.
    store.connection.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, newest)
    )


def _values(store: Store, *keys: str) -> dict[str, str]:
    marks = ", ".join("?" * len(keys))
    rows = store.connection.execute(f"SELECT key, value FROM meta WHERE key IN ({marks})", keys)
    return {row[0]: str(row[1]) for row in rows}


def _a_day_ago() -> str:
    """How the name of a call begins that was told a day ago (`graphdream.events.spool.put_aside`)."""
    return shifted(utc_now(), -KEPT_SECONDS).replace(":", "")


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
