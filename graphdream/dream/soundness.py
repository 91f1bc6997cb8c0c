"""Before a pass thinks: what it was shown is as it was sealed, or nothing comes of it.

A compaction reads the whole graph, so all of it is looked at; an incremental pass the entities that it is shown and the
sessions that it reads, so that its cost follows what is new. Sessions that it is not shown, because a row says that
they were read, are looked at as far back as something was recorded since the last pass that read. Of plans, before one
is told, decided, or heeded.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator

from graphdream.graph.sealed import BY_NAME, PARTS
from graphdream.graph.sealfault import SealFault, refusal
from graphdream.graph.sealread import unsound_rows, unsound_together
from graphdream.graph.sealwalk import MOST, confirm_sound
from graphdream.graph.served import unsound
from graphdream.graph.store import Store

# The rows of entities that a pass is shown.
_OF_ENTITIES = {
    "entity": "id IN (SELECT value FROM json_each(?1))",
    "alias": "entity_id IN (SELECT value FROM json_each(?1))",
    "aspect": "entity_id IN (SELECT value FROM json_each(?1))",
    "attribute": "aspect_id IN (SELECT id FROM aspect WHERE entity_id IN (SELECT value FROM json_each(?1)))",
    "link": "source_id IN (SELECT value FROM json_each(?1))",
}
_TOLD = ("summary", "turn", "observation")
_AT_ONCE, _MOST_AT_ONCE = 200, 25  # rows of a table that are looked at together, and how often that is gone on with


def confirm_shown(store: Store, entities: Collection[int] | None, sessions: Iterable[str]) -> None:
    """See to it that what a pass was shown is what was sealed; within the transaction that read it.

    Args:
        entities: ids of those that it is shown; None: the whole graph.
        sessions: keys of those that it reads.

    Raises:
        IntegrityError: it is not; the rows are named. Not where that was accepted.
    """
    seal = store.seal
    if seal.off or seal.accepting or not seal.is_sealed():
        return
    if entities is None:
        confirm_sound(seal)
    faults = [*_graph_faults(store, entities or ()), *_session_faults(store, sessions)]
    if faults:
        raise refusal(store.path, faults[:MOST])


def confirm_plan(store: Store, pass_id: int) -> None:
    """Raise IntegrityError where a plan is not the one that was made."""
    from graphdream.journal.soundness import wrong_among  # what a hook does not load

    if not store.seal.accepting and (wrong_among(store, [pass_id]) or not is_plan_as_made(store, pass_id)):
        raise refusal(store.path, [SealFault("row", f"plan {pass_id} is not the one that was made")])


def is_plan_as_made(store: Store, pass_id: int) -> bool:
    """Whether the items of a plan, with what was decided of them, are as they were sealed."""
    table = BY_NAME["planned"]
    rows = store.connection.execute(f"SELECT {table.text_sql()} FROM planned WHERE pass_id = ?", (pass_id,))
    return not unsound_together(store.seal, table.kind, pass_id, [(table.kind, row[0]) for row in rows])


def confirm_newest(store: Store) -> None:
    """See to it that what was recorded last is what was told, with its session, whether or not it says that it was
    read: one that was forged to say so would never be read. From the newest row of each table back to where all were
    read, up to 5,000 rows. Within the transaction that reads them.

    Raises:
        IntegrityError: it is not; the rows are named. Where that was accepted, what is written next says so.
    """
    known = set(store.seal.left_out)
    _meet(store, unsound_newest(store), known)


def confirm_told(store: Store, handles: Iterable[str]) -> None:
    """See to it that rows by which something is decided are as they were sealed. Raises as `confirm_newest`.

    Args:
        handles: of the rows, as for `graphdream.graph.served.unsound`.
    """
    known = set(store.seal.left_out)
    _meet(store, unsound(store, handles), known)


def _meet(store: Store, wrong: Collection[str], known: Collection[str]) -> None:
    store.seal.left_out.intersection_update(known)  # nothing is told here that could be left out
    words = "was changed behind graphdream's back"
    store.seal.meet(SealFault("row", f"{row} {words}", (row,)) for row in sorted(wrong)[:MOST])


def unsound_newest(store: Store) -> set[str]:
    """The rows, as `summary 3`, for which `confirm_newest` would raise; they are noted in `store.seal.left_out`. Within
    the transaction that reads them."""
    wrong = set[str]()
    if store.seal.off or not store.seal.is_sealed():
        return wrong
    for name in _TOLD:
        last = store.connection.execute(f"SELECT max(id) FROM {name}").fetchone()[0] or 0
        for upto in range(last, max(0, last - _AT_ONCE * _MOST_AT_ONCE), -_AT_ONCE):
            ids = range(max(1, upto - _AT_ONCE + 1), upto + 1)
            wrong |= unsound(store, (f"{name} {row_id}" for row_id in ids))
            unread = f"SELECT EXISTS (SELECT 1 FROM {name} WHERE id BETWEEN ? AND ? AND read_by IS NULL)"
            if not store.connection.execute(unread, (ids[0], ids[-1])).fetchone()[0]:
                break
    return wrong


def _graph_faults(store: Store, entities: Collection[int]) -> Iterator[SealFault]:
    if not entities:
        return
    wanted = json.dumps(sorted(entities))
    for name, condition in _OF_ENTITIES.items():
        table = BY_NAME[name]
        rows = store.connection.execute(f"SELECT id, {table.text_sql()} FROM {name} WHERE {condition}", (wanted,))
        for _, row_id in sorted(unsound_rows(store.seal, ((table.kind, row[0], row[1]) for row in rows))):
            yield SealFault("row", f"{name} {row_id} is not what was sealed", (f"{name} {row_id}",))


def _session_faults(store: Store, keys: Iterable[str]) -> Iterator[SealFault]:
    connection, header = store.connection, BY_NAME["session"]
    for key in keys:
        row = connection.execute(f"SELECT id, {header.text_sql()} FROM session WHERE key = ?", (key,)).fetchone()
        if row is None:
            continue
        texts = [one for name in _TOLD for one in _texts(connection, name, row[0])]
        own = (header.kind, row[0], row[1])
        if unsound_rows(store.seal, [own]) or unsound_together(store.seal, PARTS, row[0], texts):
            words = f"what is on record of the session {key!r} is not what was told"
            yield SealFault("row", words, (f"session {row[0]}",))


def _texts(connection: sqlite3.Connection, name: str, session_id: int) -> list[tuple[int, bytes]]:
    table = BY_NAME[name]
    rows = connection.execute(f"SELECT {table.text_sql()} FROM {name} WHERE session_id = ?", (session_id,))
    return [(table.kind, row[0]) for row in rows]
