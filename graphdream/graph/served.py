"""What is served is as it was sealed: each row is looked at before it is told, or else left out and named."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from graphdream.graph.rows import row_number
from graphdream.graph.sealed import BY_NAME, SEALED, SealedTable
from graphdream.graph.sealfault import SealFault, refusal
from graphdream.graph.sealread import unsound_rows
from graphdream.graph.sqlitefaults import says_damaged
from graphdream.graph.store import Store

T = TypeVar("T")
# By the beginning of a handle, the longest first; rows that have no handle are named by their table: `alias 5`.
_TABLES = {"sum": "summary", "a": "attribute", "t": "turn", "e": "entity", "l": "link", "s": "aspect"}
_BY_TABLE = frozenset(table.name for table in SEALED.values() if table.single) - {"pass"}  # which its chain seals, too
_OF_A_SESSION = "SELECT {0}.id, session_id FROM json_each(?) JOIN {0} ON {0}.id = value"
_ABOUT: dict[str, tuple[tuple[str, ...], str]] = {
    "attribute": (
        ("aspect", "entity"),
        "SELECT attribute.id, aspect_id, entity_id FROM json_each(?) JOIN attribute ON attribute.id = value"
        " LEFT JOIN aspect ON aspect.id = aspect_id",
    ),
    "link": (
        ("entity", "entity"),
        "SELECT link.id, source_id, target_id FROM json_each(?) JOIN link ON link.id = value",
    ),
    "aspect": (("entity",), "SELECT aspect.id, entity_id FROM json_each(?) JOIN aspect ON aspect.id = value"),
    **{name: (("session",), _OF_A_SESSION.format(name)) for name in ("summary", "turn", "observation")},
}
"""Of what says something of others, or is told with them: their tables, and which of their rows, whether these are
there or not."""


def sound(store: Store, found: Sequence[T], handles: Callable[[T], Iterable[str]]) -> list[T]:
    """Those whose rows are as they were sealed; what is left out is noted in `store.seal.left_out`.

    Of a fact, its aspect and its entity count as well, since they say whom it is about; of a link, its two ends; of
    what was said or summed up, its session, which says where and when. Within the transaction that read the rows; where
    a file has no seal that could tell, everything is told.

    Args:
        handles: of the rows that one of them tells, `a12` or, of what has no handle, `alias 5`.
    """
    wrong = unsound(store, (handle for one in found for handle in handles(one)))
    return [one for one in found if wrong.isdisjoint(handles(one))] if wrong else list(found)


def unsound(store: Store, handles: Iterable[str]) -> set[str]:
    """Which rows are not as they were sealed; they are noted in `store.seal.left_out`. Otherwise as `sound`."""
    if store.seal.off:
        return set()
    wrong = _unsound(store, set(handles))
    store.seal.left_out.update(wrong)
    return wrong


def left_out_words(store: Store) -> str:
    """What was left out since `store.seal.left_out` was last cleared, for a person; "" where nothing was."""
    named = ", ".join(sorted(store.seal.left_out))
    return f"left out, not being as it was sealed: {named}" if named else ""


def confirm_served(store: Store, handles: Iterable[str]) -> None:
    """See to it that rows which are told together, or not at all, are as they were sealed. Raises IntegrityError."""
    if wrong := unsound(store, handles):
        store.seal.left_out.difference_update(wrong)
        rows = tuple(sorted(wrong))
        raise refusal(store.path, [SealFault("row", f"{', '.join(rows)}: changed behind graphdream's back", rows)])


def unsound_entities(store: Store, ids: Iterable[int]) -> set[int]:
    """Which entities are not, with their names, facts and links, as they were sealed. Otherwise as `unsound`."""
    held = _held_by(store, ids)
    return {entity for handle in unsound(store, held) for entity in held[handle]}


def confirm_entities(store: Store, ids: Iterable[int]) -> None:
    """See to it that entities are as they were sealed, with their names, facts and links. Raises IntegrityError."""
    confirm_served(store, _held_by(store, ids))


def _held_by(store: Store, ids: Iterable[int]) -> dict[str, set[int]]:
    """Handle of each row of some entities -> these entities."""
    held: dict[str, set[int]] = defaultdict(set)
    if store.seal.off:
        return held
    wanted = json.dumps(sorted(ids))
    for prefix, select in _OF_ENTITY:
        for entity, row_id in store.connection.execute(select, (wanted,)):
            held[f"{prefix}{row_id}"].add(entity)
    return held


_OF_ENTITY = (
    ("e", "SELECT value, value FROM json_each(?)"),
    ("alias ", "SELECT entity_id, alias.id FROM json_each(?) JOIN alias ON entity_id = value"),
    (
        "a",
        "SELECT entity_id, attribute.id FROM json_each(?) JOIN aspect ON entity_id = value"
        " JOIN attribute ON aspect_id = aspect.id",
    ),
    ("l", "SELECT source_id, link.id FROM json_each(?) JOIN link ON source_id = value"),
)
"""The beginning of a handle, and the rows of some entities that bear it."""


def _unsound(store: Store, handles: Iterable[str]) -> set[str]:
    rows: dict[tuple[int, int], bytes | None] = {}
    owners: dict[tuple[int, int], set[str]] = defaultdict(set)
    about: dict[str, set[int]] = defaultdict(set)
    for name, named in _by_table(handles).items():
        _look(store.connection, name, named, rows)
        for row_id, handle in named.items():
            owners[BY_NAME[name].kind, row_id].add(handle)
        if name in _ABOUT:
            tables, select = _ABOUT[name]
            for own, *others in store.connection.execute(select, (json.dumps(list(named)),)).fetchall():
                for table, row_id in zip(tables, others, strict=True):
                    if row_id is not None:
                        owners[BY_NAME[table].kind, row_id].add(named[own])
                        about[table].add(row_id)
    for name, ids in about.items():
        _look(store.connection, name, ids, rows)
    wrong = unsound_rows(store.seal, ((kind, row_id, text) for (kind, row_id), text in rows.items()))
    return {handle for row in wrong for handle in owners[row]}


def _by_table(handles: Iterable[str]) -> dict[str, dict[int, str]]:
    """Table -> id -> how the row was named. What names no row is passed over."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for handle in handles:
        table, blank, number = handle.partition(" ")
        if not blank:
            letters = next((letters for letters in _TABLES if handle.startswith(letters)), "")
            table, number = _TABLES.get(letters, ""), handle[len(letters) :]
        elif table not in _BY_TABLE:
            continue
        row_id = row_number(number)
        if table and row_id is not None:
            found[table][row_id] = handle
    return found


def _look(
    connection: sqlite3.Connection, name: str, ids: Iterable[int], rows: dict[tuple[int, int], bytes | None]
) -> None:
    table = BY_NAME[name]
    wanted = list(ids)
    rows.update(((table.kind, row_id), None) for row_id in wanted)
    rows.update(((table.kind, row_id), text) for row_id, text in texts_of(connection, table, wanted))


def texts_of(connection: sqlite3.Connection, table: SealedTable, ids: Sequence[int]) -> list[tuple[int, bytes]]:
    """Id and text (`SealedTable.text_sql`) of those rows that are there; a row of which there can be none, since it
    holds bytes where there should be text, is left out."""
    sql = f"SELECT id, {table.text_sql()} FROM {table.name} WHERE id IN (SELECT value FROM json_each(?))"
    try:
        return [(row[0], row[1]) for row in connection.execute(sql, (json.dumps(ids),))]
    except sqlite3.OperationalError as fault:
        if not says_damaged(fault) or not ids:
            raise
        if len(ids) == 1:
            return []
        half = len(ids) // 2
        return [*texts_of(connection, table, ids[:half]), *texts_of(connection, table, ids[half:])]
