"""What a person decides about a file that is not as it was sealed: to take it as it is from now on, on record.

Nobody can tell from the inside whether a file was put back on purpose, moved, copied, or attacked. So nothing is mended
by itself: a pass of kind "trust" says why the file was taken, and what was wrong with it then; from there on it is
sealed anew. Rows of the graph that the journal tells otherwise are put back to what it says, where it is whole.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from graphdream.clock import Clock, utc_now
from graphdream.errors import GraphdreamError, UsageError
from graphdream.events.spool import seal_call, unsealed
from graphdream.graph.capture import trigger_sql
from graphdream.graph.fulltext import reindex_all
from graphdream.graph.mending import make_indexes_anew, put_figures_right
from graphdream.graph.nameindex import reindex_all_names
from graphdream.graph.rowtext import row_sql
from graphdream.graph.store import HASH_BITS, Store, hash_text, row_hash
from graphdream.graph.tables import TABLES, Table
from graphdream.journal.changes import row_name
from graphdream.journal.fold import fold_graph
from graphdream.journal.passes import PassHeader, current_hash, open_pass
from graphdream.journal.soundness import chains_of, not_as_chained
from graphdream.journal.verify import Fault, verify
from graphdream.sealing.keys import Key, current_key


@dataclass(frozen=True, slots=True)
class TrustReport:
    """What was decided.

    Attributes:
        pass_id: the pass that says so.
        accepted: what was wrong with the file, and is not told any more.
        mended: rows that were put back to what the journal says.
        key: id of the key that the file is sealed with from now on.
        calls: what waited beside the file without a seal; the next command takes it in.
        indexes: full-text indexes that were damaged, or that somebody else had written to; they were made anew.
    """

    pass_id: int
    accepted: tuple[Fault, ...]
    mended: tuple[str, ...]
    key: str
    calls: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self)

    def as_text(self) -> str:
        """The report for a person."""
        lines = [f"accepted  {fault.check}: {fault.message}" for fault in self.accepted]
        lines += [f"mended    {row} is again what the journal says" for row in self.mended]
        lines += [f"mended    the full-text index {name} was made anew" for name in self.indexes]
        lines += [f"let in    {call}" for call in self.calls]
        return "\n".join([*lines, f"pass {self.pass_id}: the file is sealed anew, with key {self.key}"])


def trust(store: Store, reason: str, *, key: Key | None = None, clock: Clock = utc_now) -> TrustReport:
    """Take the file as it is from now on, and seal all of it anew.

    Args:
        reason: why, for the record.
        key: what to seal it with; None: the current key.

    Raises:
        UsageError: no reason was given.
        KeyUnavailableError: there is no key to seal it with.
    """
    if not reason.strip():
        raise UsageError("why is the file as it is? Nothing is trusted without a reason", "give it: --reason TEXT")
    key = key or current_key()
    accepted = verify(store).faults
    unchained = [
        fault.pass_id
        for fault in accepted
        if fault.pass_id is not None and (fault.check, fault.message) == ("chain", not_as_chained(fault.pass_id))
    ]
    before, store.seal.accepting = store.seal.accepting, True
    try:
        with store.writing():
            indexes = make_indexes_anew(store.connection)
            put_figures_right(store.connection)
            mended = [] if _of_the_journal(accepted) else _mend(store.connection, store)
            options = {
                "reason": reason.strip(),
                "faults": [[fault.check, fault.message] for fault in accepted],
                "mended": mended,
                "chains": chains_of(store, unchained),
            }
            header = PassHeader("trust", trigger="person", options=options, graph_hash=_hash_of(store.connection))
            with open_pass(store, header, clock=clock) as current:
                current.summary = f"trusted by a person: {reason.strip()}"
            notes = [f"pass {current.id} took the file as it was: {reason.strip()}"] if accepted else None
            store.seal.reseal(key, store.file_id, notes=notes, count=store.seal.last_count(), decided=True)
    finally:
        store.seal.accepting = before
    calls = unsealed(store.path, store.seal)
    for call in calls:
        seal_call(call)
    named = tuple(call.name for call in calls)
    return TrustReport(current.id, accepted, tuple(mended), key.id, named, tuple(indexes))


def _of_the_journal(faults: Iterable[Fault]) -> bool:
    """Whether something is wrong with the journal itself, so that no row is put back to what it says."""
    return any(fault.check == "chain" or fault.row.startswith("pass ") for fault in faults)


# ---------------------------------------------------------------------- rows that the journal tells otherwise


def _mend(connection: sqlite3.Connection, store: Store) -> list[str]:
    """Put back the rows that are not what the journal says, where the journal leads to the hash that was written."""
    try:
        scratch = fold_graph(store)
    except (GraphdreamError, sqlite3.Error):
        return []
    mended: list[str] = []
    try:
        if _hash_of(scratch) != current_hash(connection) or _hash_of(connection) == _hash_of(scratch):
            return []
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for table in TABLES:
            wrong = _wrong(connection, scratch, table)
            if wrong:
                _put_back(connection, scratch, table, wrong)
                mended += [row_name(table, row_id) for row_id in wrong]
    finally:
        scratch.close()
    reindex_all(connection)
    reindex_all_names(connection)
    return mended


def _wrong(connection: sqlite3.Connection, scratch: sqlite3.Connection, table: Table) -> list[int]:
    sql = f"SELECT id, {row_sql(table)}, version FROM {table.name}"
    is_, was = ({row[0]: tuple(row)[1:] for row in one.execute(sql)} for one in (connection, scratch))
    return sorted(row_id for row_id in is_.keys() | was.keys() if is_.get(row_id) != was.get(row_id))


def _put_back(connection: sqlite3.Connection, scratch: sqlite3.Connection, table: Table, ids: Iterable[int]) -> None:
    """Without the triggers that would write it into the journal: there it is right already."""
    for made in ("made", "changed", "deleted"):
        connection.execute(f"DROP TRIGGER IF EXISTS {table.name}_{made}")
    columns = (*table.columns, "version")
    rows = []
    for row_id in ids:
        connection.execute(f"DELETE FROM {table.name} WHERE id = ?", (row_id,))
        rows += scratch.execute(f"SELECT {', '.join(columns)} FROM {table.name} WHERE id = ?", (row_id,)).fetchall()
    marks = ", ".join("?" * len(columns))
    connection.executemany(
        f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks})", [tuple(row) for row in rows]
    )
    for statement in trigger_sql(table).split("\nCREATE "):
        connection.execute(statement if statement.startswith("CREATE ") else f"CREATE {statement}")


def _hash_of(connection: sqlite3.Connection) -> str:
    total = 0
    for table in TABLES:
        for (text,) in connection.execute(f"SELECT {row_sql(table)} FROM {table.name}"):
            total += row_hash(table.kind, text)
    return hash_text(total % (1 << HASH_BITS))
