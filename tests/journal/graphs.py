"""Random changes of a graph, written as plain SQL inside passes, and dumps to compare graphs by."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from graphdream.graph import rows
from graphdream.graph.names import text_digest
from graphdream.graph.store import Store
from graphdream.graph.tables import (
    ALIAS,
    ASPECT,
    ATTRIBUTE,
    CONTRADICTION,
    DISTINCT_PAIR,
    ENTITY,
    EVIDENCE,
    LINK,
    MENTION,
    TABLES,
    Table,
)
from graphdream.journal.changes import carry_out, changes_of
from graphdream.journal.fold import fold_graph
from graphdream.journal.passes import PassHeader, open_pass

Act = tuple[str, int, int, int]
WORDS = ("", "amber", "birch", "cedar", 'quote " and \\', "NUL\x00in it", "Ωmega 🜁", '{"absorbed_into":[null,1]}')
REALS = (0.0, 1.0, 0.333333, 0.5, 123456.789012, -0.000001)


def clock() -> str:
    return "2026-01-01T00:00:00.000Z"


def new_store(folder: Path, template: Path | None = None) -> Store:
    """An empty file, migrated; copied from a template where one is given, which is quicker."""
    path = folder / "memory.db"
    for old in folder.glob("memory.db*"):
        old.unlink()
    if template is not None:
        shutil.copy(template, path)
    return Store.open(path)


def write_pass(store: Store, acts: Sequence[Act], kind: str = "dream") -> int:
    """One pass of acts. An act that the schema refuses leaves no trace."""
    with open_pass(store, PassHeader(kind=kind), clock=clock) as current:
        for act in acts:
            try:
                with store.savepoint():
                    _ACTS[act[0]](store, *act[1:])
            except sqlite3.IntegrityError:
                continue
    return current.id


def dump(connection: sqlite3.Connection, *, version: bool = False) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the graph."""
    return {
        table.name: [
            tuple(row)
            for row in connection.execute(
                f"SELECT {', '.join(table.columns)}{', version' if version else ''} FROM {table.name} ORDER BY id"
            )
        ]
        for table in TABLES
    }


def folded(store: Store, upto: int | None = None, *, version: bool = False) -> dict[str, list[tuple[Any, ...]]]:
    """The dump of a graph folded from the journal."""
    with closing(fold_graph(store, upto)) as scratch:
        return dump(scratch, version=version)


def dump_of(store: Store, passes: Collection[int]) -> dict[str, list[tuple[Any, ...]]]:
    """The graph that these passes alone would make."""
    with closing(fold_graph(store, 0)) as scratch:
        for pass_id in sorted(passes):
            carry_out(scratch, changes_of(store.connection, pass_id))
        return dump(scratch)


def standing(store: Store) -> list[int]:
    """The passes that wrote something themselves and were not taken back."""
    found = store.connection.execute("SELECT id FROM pass WHERE undone_by IS NULL AND undoes = '[]'")
    return [row[0] for row in found]


acts: st.SearchStrategy[Act] = st.deferred(
    lambda: st.tuples(st.sampled_from(sorted(_ACTS)), *(st.integers(0, 6) for _ in range(3)))
)


# ---------------------------------------------------------------- the acts: numbers pick rows, words and values


def _pick(store: Store, table: Table, number: int) -> int:
    ids = [row[0] for row in store.connection.execute(f"SELECT id FROM {table.name} ORDER BY id")]
    if not ids:
        raise sqlite3.IntegrityError("nothing to pick from")
    return int(ids[number % len(ids)])


def _word(number: int) -> str:
    return WORDS[number % len(WORDS)]


def _set(store: Store, table: Table, row_id: int, **values: Any) -> None:
    """An update that does not touch a row which is that way already."""
    sets = ", ".join(f"{column} = ?" for column in values)
    differs = " OR ".join(f"{column} IS NOT ?" for column in values)
    store.connection.execute(
        f"UPDATE {table.name} SET {sets}, version = ? WHERE id = ? AND ({differs})",
        (*values.values(), store.pass_id, row_id, *values.values()),
    )


def _make_entity(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, ENTITY, name=_word(a), canonical=_word(a), importance=REALS[b % len(REALS)])


def _make_aspect(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, ASPECT, entity_id=_pick(store, ENTITY, a), name=_word(b), canonical=_word(b))


def _make_fact(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, ATTRIBUTE, aspect_id=_pick(store, ASPECT, a), content=_word(b), digest=text_digest(_word(b)))


def _make_link(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, LINK, source_id=_pick(store, ENTITY, a), target_id=_pick(store, ENTITY, b), type=_word(c))


def _make_alias(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, ALIAS, entity_id=_pick(store, ENTITY, a), name=_word(b), canonical=_word(b))


def _make_mention(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, MENTION, attribute_id=_pick(store, ATTRIBUTE, a), entity_id=_pick(store, ENTITY, b))


def _make_evidence(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, EVIDENCE, attribute_id=_pick(store, ATTRIBUTE, a), session_key=_word(b))


def _make_distinct(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, DISTINCT_PAIR, first_id=_pick(store, ENTITY, a), second_id=_pick(store, ENTITY, b))


def _make_contradiction(store: Store, a: int, b: int, c: int) -> None:
    rows.insert(store, CONTRADICTION, first_id=_pick(store, ATTRIBUTE, a), second_id=_pick(store, ATTRIBUTE, b))


def _rename_entity(store: Store, a: int, b: int, c: int) -> None:
    _set(store, ENTITY, _pick(store, ENTITY, a), name=_word(b), canonical=_word(b), importance=REALS[c % len(REALS)])


def _rename_aspect(store: Store, a: int, b: int, c: int) -> None:
    _set(store, ASPECT, _pick(store, ASPECT, a), name=_word(b), canonical=_word(b))


def _move_aspect(store: Store, a: int, b: int, c: int) -> None:
    _set(store, ASPECT, _pick(store, ASPECT, a), entity_id=_pick(store, ENTITY, b))


def _move_fact(store: Store, a: int, b: int, c: int) -> None:
    _set(store, ATTRIBUTE, _pick(store, ATTRIBUTE, a), aspect_id=_pick(store, ASPECT, b))


def _move_alias(store: Store, a: int, b: int, c: int) -> None:
    _set(store, ALIAS, _pick(store, ALIAS, a), entity_id=_pick(store, ENTITY, b))


def _retarget_link(store: Store, a: int, b: int, c: int) -> None:
    _set(store, LINK, _pick(store, LINK, a), target_id=_pick(store, ENTITY, b), strength=REALS[c % len(REALS)])


def _supersede(store: Store, a: int, b: int, c: int) -> None:
    _set(store, ATTRIBUTE, _pick(store, ATTRIBUTE, a), status="superseded", superseded_by=_pick(store, ATTRIBUTE, b))


def _absorb(store: Store, a: int, b: int, c: int) -> None:
    table = (ENTITY, ASPECT, ATTRIBUTE, LINK)[c % 4]
    _set(store, table, _pick(store, table, a), status="absorbed", absorbed_into=_pick(store, table, b))


def _archive(store: Store, a: int, b: int, c: int) -> None:
    table = (ENTITY, ASPECT, LINK)[c % 3]
    _set(store, table, _pick(store, table, a), status="archived", absorbed_into=None, status_reason=_word(b))


def _restore(store: Store, a: int, b: int, c: int) -> None:
    table = (ENTITY, ASPECT, LINK)[c % 3]
    _set(store, table, _pick(store, table, a), status="active", absorbed_into=None, status_reason="")


def _reword(store: Store, a: int, b: int, c: int) -> None:
    _set(store, ATTRIBUTE, _pick(store, ATTRIBUTE, a), content=_word(b), digest=text_digest(_word(b)), slot=None)


def _drop(store: Store, a: int, b: int, c: int) -> None:
    table = (ALIAS, MENTION, EVIDENCE)[c % 3]
    store.connection.execute(f"DELETE FROM {table.name} WHERE id = ?", (_pick(store, table, a),))


_ACTS: dict[str, Callable[[Store, int, int, int], None]] = {
    act.__name__.lstrip("_"): act
    for act in (
        _make_entity, _make_aspect, _make_fact, _make_link, _make_alias, _make_mention, _make_evidence, _make_distinct,
        _make_contradiction, _rename_entity, _rename_aspect, _move_aspect, _move_fact, _move_alias, _retarget_link,
        _supersede, _absorb, _archive, _restore, _reword, _drop,
    )
}  # fmt: skip
