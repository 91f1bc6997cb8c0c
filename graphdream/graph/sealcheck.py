"""Whether a file is what was sealed, as far as one look in constant time can tell: its head against the code over it,
the file against its head, and the head against the anchor. Each row by itself is looked at when it is read or written.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from operator import itemgetter

from graphdream.graph.objects import MENDED_BY
from graphdream.graph.rowseal import RowSealer
from graphdream.graph.sealanchor import FileAnchor
from graphdream.graph.sealed import BY_NAME, SEALED
from graphdream.graph.sealfault import (
    SealFault,
    changed_constraints,
    changed_figures,
    changed_index,
    changed_unread,
)
from graphdream.graph.sealhead import newest_pass, opened_head, read_head
from graphdream.graph.sealindexes import CONSTRAINTS, TALK, UNREAD, changed
from graphdream.sealing.keys import KeyUnavailableError
from graphdream.sealing.tree import BrokenTreeError

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from graphdream.graph.sealhead import OpenedHead
    from graphdream.graph.sealwitness import FileWitness
    from graphdream.sealing.anchor import Note
    from graphdream.sealing.keys import Key
    from graphdream.sealing.tree import Tree

_COUNTED = 2_000  # rows of a table up to which they are counted on every look: a hundredth of a millisecond
_COUNTED_OF_LARGER = 20_000  # rows that are counted of larger tables, the smallest ones first: a tenth of one
_SINGLE = tuple(table for table in SEALED.values() if table.single)
_LOOKED_AT, _MOST_NAMED = 200, 20  # newest rows of a table whose fault is told, and how many of them are named
_FIRST_WRITTEN = ("pass", "session", "entity", "observed", "working_memory")


def look(
    connection: sqlite3.Connection,
    anchor: FileAnchor,
    note: Note | None,
    find: Callable[[str], Key | None],
    *,
    version: int,
    count_rows: bool,
    witness: FileWitness | None = None,
) -> tuple[list[SealFault], OpenedHead | None]:
    """What is wrong with the file, [] where nothing is, and its head, None where it has none that can be trusted.
    Within one transaction.

    A file that no write has sealed yet has no fault, unless one at its place had been sealed.

    Args:
        note: of the anchor, read before the transaction began (`FileAnchor.note`), or `NOT_COMPARED`.
        find: the key of an id.
        version: `PRAGMA data_version` as it is now.
        count_rows: count those of small tables, too.
        witness: where there is one, which was asked before the transaction began.
    """
    head = read_head(connection)
    if head is None:
        return _unsealed(connection, anchor, note, witness), None
    try:
        key = find(head.key)
        if key is None:
            return [SealFault("key", f"the file is sealed with the key {head.key}, which is not here")], None
        file_key = head.file_key(key)
        if not head.fits(file_key):
            return [SealFault("head", "the head of the file is not what was sealed")], None
        opened = opened_head(connection, head, key, file_key, version)
        faults = [*_ends(connection, head.state), *_rows(connection, head.state, count_rows=count_rows)]
        faults += [_of_list(connection, opened, file_key, name) for name in changed(connection, head.state)]
        faults += anchor.faults(head, note)
        if witness is not None:
            faults += witness.faults(connection, head)
    except KeyUnavailableError as fault:
        return [SealFault("key", str(fault))], None
    except (KeyError, TypeError, ValueError, AttributeError, sqlite3.Error) as fault:
        return [SealFault("head", f"the head of the file cannot be read: {fault}")], None
    return faults, opened


def _of_list(connection: sqlite3.Connection, opened: OpenedHead, file_key: bytes, name: str) -> SealFault:
    """What is said of an index or a list that is not what the head says."""
    if name == UNREAD:
        return changed_unread([*_unsound_newest(connection, opened.tree, RowSealer(file_key))][:_MOST_NAMED])
    if name == CONSTRAINTS:
        return changed_constraints()
    return changed_figures() if name == TALK else changed_index(name)


def _unsound_newest(connection: sqlite3.Connection, tree: Tree, sealer: RowSealer) -> Iterator[str]:
    """What was recorded last and is not as it was sealed, as `turn 2`."""
    for table in (BY_NAME[name] for name in ("summary", "turn", "observation")):
        rows = connection.execute(
            f"SELECT id, {table.text_sql()} FROM {table.name} ORDER BY id DESC LIMIT {_LOOKED_AT}"
        )
        for row_id, text in rows:
            with suppress(BrokenTreeError):
                if tree.get(table.kind, row_id) != sealer.seal(table.kind, text):
                    yield f"{table.name} {row_id}"


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
    """Where the file's id or its newest pass is another than the head says."""
    known = connection.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()
    if known is None or known[0] != state["file"]:
        yield SealFault("file", "the file bears another file's id than the one it was sealed with")
    found = newest_pass(connection)
    if found != state["pass"]:
        yield SealFault("passes", _passes_words(found, state["pass"]))


def _rows(connection: sqlite3.Connection, state: Mapping[str, Any], *, count_rows: bool) -> Iterator[SealFault]:
    """Where the last row of a table is another than the head says, or, if that is asked, how many it has. All in one
    question, the parts of which cost more than what they ask."""
    sealed = _trees(state)
    counts = {table.name: sealed.get(table.kind, (0, 0))[0] for table in SEALED.values()}
    counted = _to_count(counts) if count_rows else []
    parts = [f"SELECT '{name}', 'last', max(id) FROM {name}" for name in ("change", *(one.name for one in _SINGLE))]
    # By each index of a table, as SQLite reads an index in its place: one may not have been made of all rows.
    parts += [f"SELECT '{name}', 'rows', count(*) FROM {name}" for name in counted]
    indexes = [(name, index) for name, index in _whole_indexes(connection) if name in counted]
    parts += [f"SELECT '{name}', '{index}', count(*) FROM {name} INDEXED BY {index}" for name, index in indexes]
    found = {(name, what): value for name, what, value in connection.execute(" UNION ALL ".join(parts))}
    last_change = found["change", "last"] or 0
    if last_change != state["change"]:
        words = f"the journal ends with change {last_change}, but change {state['change']} was the last that was sealed"
        yield SealFault("passes", words)
    for table in _SINGLE:
        (rows, newest), last = sealed.get(table.kind, (0, 0)), found[table.name, "last"]
        if (last or 0) != newest:
            words = f"the last row of {table.name} is {last or 0}, but {newest} was the last that was sealed"
            yield SealFault("rows", words, (f"{table.name} {max(last or 0, newest)}",))
        elif last is not None and not rows:
            yield SealFault("rows", f"{table.name} has a row 0, but none was sealed", (f"{table.name} 0",))
    for name, index in indexes:
        if found[name, index] != counts[name] == found[name, "rows"]:
            words = f"the index {index} has {found[name, index]:,} of {counts[name]:,} rows of {name}"
            yield SealFault("rows", f"{words}: {MENDED_BY} makes it anew")
    for name in counted:
        if found[name, "rows"] != counts[name]:
            yield SealFault("rows", f"{name} has {found[name, 'rows']:,} rows, but {counts[name]:,} were sealed")


def _whole_indexes(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Table and name of each index that has all rows of its table."""
    sql = "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND instr(sql, ' WHERE ') = 0"
    return [(table, index) for table, index in connection.execute(sql) if table in BY_NAME]


def _to_count(counts: Mapping[str, int]) -> list[str]:
    """The tables whose rows are counted, by the numbers that were sealed: so many that it takes no longer in a larger
    file. Not those that were empty and have a last row: that one tells as much."""
    left, named = _COUNTED_OF_LARGER, list[str]()
    for name, rows in sorted(counts.items(), key=itemgetter(1)):
        if rows > _COUNTED:
            left -= rows
        if left >= 0 and (rows or not BY_NAME[name].single):
            named.append(name)
    return named


def _trees(state: Mapping[str, Any]) -> dict[int, tuple[int, int]]:
    """Number of rows, and id of the last, for each kind, as the head says."""
    return {int(kind): (rows, last) for kind, (_, _, rows, last) in state["trees"].items()}


def _passes_words(found: list[Any], sealed: list[Any]) -> str:
    if found[0] > sealed[0]:
        return f"pass {found[0]} was written by something else: the last that was sealed is pass {sealed[0]}"
    if found[0] < sealed[0]:
        return f"the journal ends with pass {found[0]}, but pass {sealed[0]} was sealed: its end was cut off"
    return f"pass {found[0]} is not the one that was sealed"
