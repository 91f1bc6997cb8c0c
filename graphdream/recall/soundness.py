"""What recall serves is as it was sealed: each row is looked at before it is told, or else left out."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealread import unsound_rows
from graphdream.graph.store import Store

T = TypeVar("T")
_TABLES = {"sum": "summary", "a": "attribute", "t": "turn"}  # by the beginning of a handle, the longest first


def sound(store: Store, found: Sequence[T], handles: Callable[[T], Iterable[str]]) -> list[T]:
    """Those whose rows are as they were sealed; what is left out is noted in `store.seal.left_out`.

    Of a fact, its aspect and its entity count as well, since they say whom it is about. Within the transaction that
    read the rows; where a file has no seal that could tell, everything is told.

    Args:
        handles: of the rows that one of them tells.
    """
    if store.seal.off:
        return list(found)
    named = {handle for one in found for handle in handles(one)}
    wrong = _unsound(store, named)
    if not wrong:
        return list(found)
    store.seal.left_out.update(wrong)
    return [one for one in found if wrong.isdisjoint(handles(one))]


def _unsound(store: Store, handles: Iterable[str]) -> set[str]:
    wanted: dict[str, list[int]] = defaultdict(list)
    for handle in handles:
        for letters, table in _TABLES.items():
            if handle.startswith(letters) and handle[len(letters) :].isdigit():
                wanted[table].append(int(handle[len(letters) :]))
                break
    rows: dict[tuple[int, int], bytes | None] = {}
    owners: dict[tuple[int, int], set[str]] = defaultdict(set)
    for table, ids in wanted.items():
        _look(store.connection, table, ids, rows)
        prefix = next(letters for letters, name in _TABLES.items() if name == table)
        for row_id in ids:
            owners[BY_NAME[table].kind, row_id].add(f"{prefix}{row_id}")
    if facts := wanted.get("attribute"):
        for fact, aspect, entity in store.connection.execute(
            "SELECT attribute.id, aspect.id, entity.id FROM attribute JOIN aspect ON aspect.id = aspect_id"
            f" JOIN entity ON entity.id = entity_id WHERE attribute.id IN ({', '.join('?' * len(facts))})",
            facts,
        ).fetchall():
            for table, row_id in (("aspect", aspect), ("entity", entity)):
                owners[BY_NAME[table].kind, row_id].add(f"a{fact}")
        for table in ("aspect", "entity"):
            kind = BY_NAME[table].kind
            _look(store.connection, table, [row_id for of, row_id in owners if of == kind], rows)
    wrong = unsound_rows(store.seal, ((kind, row_id, text) for (kind, row_id), text in rows.items()))
    return {handle for row in wrong for handle in owners[row]}


def _look(
    connection: sqlite3.Connection, name: str, ids: Sequence[int], rows: dict[tuple[int, int], bytes | None]
) -> None:
    table = BY_NAME[name]
    sql = f"SELECT id, {table.text_sql()} FROM {name} WHERE id IN ({', '.join('?' * len(ids))})"
    rows.update(((table.kind, row_id), None) for row_id in ids)
    rows.update(((table.kind, row[0]), row[1]) for row in connection.execute(sql, ids))
