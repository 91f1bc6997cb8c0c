"""An operation whose handler asks nothing: whatever column it sets, nothing that is protected changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from graphdream.graph.store import Store
from graphdream.graph.tables import ALIAS, ASPECT, ATTRIBUTE, BY_NAME, ENTITY, LINK, Table
from graphdream.mutations.base import Mutation
from graphdream.mutations.context import Applying
from graphdream.mutations.op import Op
from graphdream.mutations.outcome import Outcome
from graphdream.mutations.registry import registered
from tests.support.graphs import apply, codes, dump, entity

CODES = {"pinned", "constraint", "authority", "reserved"}


class Scribble(Mutation):
    """Sets one column of one row."""

    op: Literal["scribble"] = "scribble"
    table: str
    row: int
    column: str
    value: str | int | float | None = None
    gone: bool = False


def scribble(mutation: Scribble, applying: Applying) -> Outcome:
    if mutation.gone:
        applying.rows.drop(BY_NAME[mutation.table], mutation.row)
    else:
        applying.rows.change(BY_NAME[mutation.table], mutation.row, **{mutation.column: mutation.value})
    return Outcome("applied", "ok", "scribbled")


OP = Op(Scribble, scribble, example={"op": "scribble", "table": "entity", "row": 1, "column": "type", "value": "tool"})

PINNED: tuple[tuple[Table, int], ...] = ((ENTITY, 1), (ASPECT, 1), (ATTRIBUTE, 1), (ALIAS, 1), (LINK, 1))
A_CONSTRAINT, TOLD = 4, 5  # of somebody who is not pinned
HOW_IT_IS_KEPT = {"slot", "derived", "session_key", "source", "metadata", "time_precision", "review_after"}
"""Columns of what a person told that say neither what it says nor whether it holds."""
COLUMNS = [(table, row, column) for table, row in PINNED for column in table.columns[1:]]
FACTS = [
    (ATTRIBUTE, row, column)
    for row, spared in ((A_CONSTRAINT, set[str]()), (TOLD, HOW_IT_IS_KEPT))
    for column in ATTRIBUTE.columns[1:]
    if column not in spared
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Ada (e1) and Bo (e2) are pinned, Ada knows Bo (l1); Cy (e3) is not, with a constraint (a4) and what a person
    told (a5)."""
    with Store.open(Path(tmp_path_factory.mktemp("careless")) / "memory.db") as store:
        made = apply(store, [entity("Ada", general=["knows Bo well"]), entity("Bo", general=["plays chess"])])
        made += apply(store, [entity("Cy", general=["likes tea", "is never called before nine"])])
        made += apply(
            store,
            [
                {"op": "create_attribute", "entity": "e3", "aspect": "general", "content": "lives in Oslo"},
                {"op": "link", "source": "e1", "target": "e2", "type": "knows"},
                {"op": "link", "source": "e2", "target": "e1", "type": "knows"},
                {"op": "add_alias", "entity": "e1", "name": "Countess"},
                {"op": "mark_constraint", "attribute": "a4"},
                {"op": "pin", "entity": "e1"},
                {"op": "pin", "entity": "e2"},
            ],
            actor="person",
        )
        assert all(outcome.status == "applied" for outcome in made), made
        told = {
            row[0]: (row[1], row[2]) for row in store.connection.execute("SELECT id, kind, authority FROM attribute")
        }
        assert (told[A_CONSTRAINT][0], told[TOLD][1]) == ("constraint", "user")
        yield store


def another(table: Table, column: str, value: object) -> object:
    """A value that is not this one; of a column that names a row, another row."""
    if column in table.refers:
        return 1 if value == 2 else 2
    return value + 1 if isinstance(value, (int, float)) else f"{value or ''}x"


@pytest.mark.parametrize(
    ("table", "row", "column"), [*COLUMNS, *FACTS], ids=lambda part: getattr(part, "name", str(part))
)
def test_a_handler_that_asks_nothing_changes_no_column_of_what_is_protected(
    store: Store, table: Table, row: int, column: str
) -> None:
    before = dump(store)
    (was,) = store.connection.execute(f"SELECT {column} FROM {table.name} WHERE id = ?", (row,)).fetchone()
    with registered(OP):
        body = {
            "op": "scribble",
            "table": table.name,
            "row": row,
            "column": column,
            "value": another(table, column, was),
        }
        ((status, code),) = codes(store, body)
    assert (status, code in CODES) == ("skipped", True), code
    assert dump(store) == before


@pytest.mark.parametrize(("table", "row"), [*PINNED, (ATTRIBUTE, A_CONSTRAINT), (ATTRIBUTE, TOLD)], ids=str)
def test_nor_does_it_drop_a_row(store: Store, table: Table, row: int) -> None:
    before = dump(store)
    with registered(OP):
        ((status, code),) = codes(
            store, {"op": "scribble", "table": table.name, "row": row, "column": "", "gone": True}
        )
    assert (status, code in CODES) == ("skipped", True), code
    assert dump(store) == before


def test_what_is_not_protected_it_changes(store: Store) -> None:
    with registered(OP):
        assert codes(store, {"op": "scribble", "table": "entity", "row": 3, "column": "type", "value": "tool"}) == [
            ("applied", "ok")
        ]
