"""Whether a file is what was sealed, as far as one look in constant time can tell: its head against the code over it,
the file against its head, and the head against the anchor. Each row by itself is looked at when it is read or written.
"""

from __future__ import annotations

import sqlite3

from graphdream.graph.sealanchor import FileAnchor
from graphdream.graph.sealed import SEALED
from graphdream.graph.sealfault import SealFault
from graphdream.graph.sealhead import last_ids, newest_pass, read_head
from graphdream.sealing.keys import KeyUnavailableError

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from graphdream.graph.sealwitness import FileWitness
    from graphdream.sealing.anchor import Note
    from graphdream.sealing.keys import Key

_COUNTED = 2_000  # rows of a table up to which they are counted on every look: some hundredths of a millisecond
_SINGLE = tuple(table for table in SEALED.values() if table.single)
_FIRST_WRITTEN = ("pass", "session", "entity", "observed", "working_memory")


def look(
    connection: sqlite3.Connection,
    anchor: FileAnchor,
    note: Note | None,
    find: Callable[[str], Key | None],
    *,
    count_rows: bool,
    witness: FileWitness | None = None,
) -> list[SealFault]:
    """What is wrong with the file; [] where nothing is. Within one transaction.

    A file that no write has sealed yet has no fault, unless one at its place had been sealed.

    Args:
        note: of the anchor, read before the transaction began (`FileAnchor.note`), or `NOT_COMPARED`.
        find: the key of an id.
        count_rows: count those of small tables, too.
        witness: where there is one, which was asked before the transaction began.
    """
    head = read_head(connection)
    if head is None:
        return _unsealed(connection, anchor, note, witness)
    try:
        key = find(head.key)
        if key is None:
            return [SealFault("key", f"the file is sealed with the key {head.key}, which is not here")]
        if not head.fits(head.file_key(key)):
            return [SealFault("head", "the head of the file is not what was sealed")]
        faults = [*_ends(connection, head.state)]
        if count_rows:
            faults += _counts(connection, head.state)
        faults += anchor.faults(head, note)
        return faults if witness is None else [*faults, *witness.faults(connection, head)]
    except KeyUnavailableError as fault:
        return [SealFault("key", str(fault))]
    except (KeyError, TypeError, ValueError, AttributeError, sqlite3.Error) as fault:
        return [SealFault("head", f"the head of the file cannot be read: {fault}")]


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever told to the file."""
    some = " OR ".join(f"EXISTS (SELECT 1 FROM {table})" for table in _FIRST_WRITTEN)
    return not connection.execute(f"SELECT {some}").fetchone()[0]


def _unsealed(
    connection: sqlite3.Connection, anchor: FileAnchor, note: Note | None, witness: FileWitness | None
) -> list[SealFault]:
    if _has_rows(connection, "seal_node") or _has_rows(connection, "seal"):
        return [SealFault("unsealed", "the head of the file was taken away")]
    missed = anchor.missed_seal(note)
    if missed is None and witness is not None:
        missed = witness.missed_seal()
    if missed is not None and not is_empty(connection):
        return [missed]
    older = anchor.older_fault(connection)
    return [] if older is None else [older]


def _has_rows(connection: sqlite3.Connection, table: str) -> bool:
    try:
        return bool(connection.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0])
    except sqlite3.Error:
        return False


def _ends(connection: sqlite3.Connection, state: Mapping[str, Any]) -> Iterator[SealFault]:
    """Where the file's id, its newest pass or the last row of a table is another than the head says."""
    known = connection.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()
    if known is None or known[0] != state["file"]:
        yield SealFault("file", "the file bears another file's id than the one it was sealed with")
    found = newest_pass(connection)
    if found != state["pass"]:
        yield SealFault("passes", _passes_words(found, state["pass"]))
    last_change, *lasts = last_ids(connection, ["change", *(table.name for table in _SINGLE)])
    if last_change != state["change"]:
        words = f"the journal ends with change {last_change}, but change {state['change']} was the last that was sealed"
        yield SealFault("passes", words)
    sealed = _trees(state)
    for table, found_last in zip(_SINGLE, lasts, strict=True):
        _, newest = sealed.get(table.kind, (0, 0))
        if found_last != newest:
            words = f"the last row of {table.name} is {found_last}, but {newest} was the last that was sealed"
            yield SealFault("rows", words, (f"{table.name} {max(found_last, newest)}",))


def _counts(connection: sqlite3.Connection, state: Mapping[str, Any]) -> Iterator[SealFault]:
    """Where a small table has more rows, or fewer, than the head says."""
    sealed = _trees(state)
    rows = {table.name: sealed.get(table.kind, (0, 0))[0] for table in SEALED.values()}
    small = [name for name, count in rows.items() if count <= _COUNTED]
    if not small:
        return
    counts = ", ".join(f"(SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {_COUNTED + 1}))" for name in small)
    for name, counted in zip(small, connection.execute(f"SELECT {counts}").fetchone(), strict=True):
        if counted != rows[name]:
            found = f"{counted:,}" if counted <= _COUNTED else f"over {_COUNTED:,}"
            yield SealFault("rows", f"{name} has {found} rows, but {rows[name]:,} were sealed")


def _trees(state: Mapping[str, Any]) -> dict[int, tuple[int, int]]:
    """Number of rows, and id of the last, for each kind, as the head says."""
    return {int(kind): (rows, last) for kind, (_, _, rows, last) in state["trees"].items()}


def _passes_words(found: list[Any], sealed: list[Any]) -> str:
    if found[0] > sealed[0]:
        return f"pass {found[0]} was written by something else: the last that was sealed is pass {sealed[0]}"
    if found[0] < sealed[0]:
        return f"the journal ends with pass {found[0]}, but pass {sealed[0]} was sealed: its end was cut off"
    return f"pass {found[0]} is not the one that was sealed"
