"""What the journal leaves out of a row goes without saying: everything comes back, whatever the columns hold."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphdream.graph.rowtext import key_sql, row_of, row_sql, whole_row, without_tail
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, TABLES, Table

# Texts that look like the ends of rows, and like the keys of changes.
LOOKALIKES = ("", "[]", "{}", ',""]', ',null,""]', '"', '\\","active",null,""]', '"23":["active",', "]", "active")
VALUES = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(-1e6, 1e6).map(lambda real: round(real, 6)),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0")), st.sampled_from(LOOKALIKES),
)  # fmt: skip


@st.composite
def rows(draw: st.DrawFn) -> tuple[Table, list[Any]]:
    """A row of any table; many of its last columns hold what a bare row holds."""
    table = draw(st.sampled_from(TABLES))
    bare = (None,) * (len(table.columns) - len(table.tail)) + table.tail
    return table, [draw(st.one_of(st.just(value), VALUES)) for value in bare]


def text_of(table: Table, row: list[Any]) -> bytes:
    """The row's text as SQLite writes it in a trigger."""
    named = ", ".join(f"?{place} AS {column}" for place, column in enumerate(table.columns, 1))
    text: bytes = (
        sqlite3.connect(":memory:").execute(f"SELECT {row_sql(table)} FROM (SELECT {named})", row).fetchone()[0]
    )
    return text


@given(rows())
def test_a_row_comes_back_whole(drawn: tuple[Table, list[Any]]) -> None:
    table, row = drawn
    written = without_tail(table.kind, text_of(table, row))
    assert list(row_of(table, written).values()) == row
    *kept, last = json.loads(written)
    beyond = len(kept) - len(table.columns)  # counts from the end of the row
    assert -beyond > len(table.tail) or json.dumps(last) != json.dumps(table.tail[beyond])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_what_goes_without_saying_is_what_a_bare_row_holds(table: Table, tmp_path: Path) -> None:
    """The journal keeps to it for ever; a migration that changes a default must not change `Table.tail`."""
    with Store.open(tmp_path / "new.db") as store:
        defaults = {
            row["name"]: row["dflt_value"] for row in store.connection.execute(f"PRAGMA table_info({table.name})")
        }
        bare = store.connection.execute(
            "SELECT " + ", ".join(f"{defaults[column] or 'NULL'}" for column in table.columns)
        ).fetchone()
    assert tuple(bare)[len(table.columns) - len(table.tail) :] == table.tail


def test_an_array_of_another_length_is_no_row() -> None:
    shortest = len(ATTRIBUTE.columns) - len(ATTRIBUTE.tail)
    for length in (0, shortest - 1, len(ATTRIBUTE.columns) + 1):
        with pytest.raises(ValueError, match="are not a row of attribute"):
            whole_row(ATTRIBUTE, [1] * length)
    assert len(whole_row(ATTRIBUTE, [1] * shortest)) == len(ATTRIBUTE.columns)


@given(st.sampled_from(ATTRIBUTE.columns[1:]), st.sampled_from(ATTRIBUTE.columns[1:]), st.sampled_from(LOOKALIKES))
def test_a_column_is_found_in_a_change_only_where_it_was_set(asked: str, changed: str, said: str) -> None:
    connection = sqlite3.connect(":memory:")
    found = connection.execute(
        f"SELECT instr('{{\"' || ? || '\":' || json_array(?, ?) || '}}', {key_sql(ATTRIBUTE, asked)}) > 0",
        (ATTRIBUTE.place(changed), said, "other"),
    ).fetchone()[0]
    assert bool(found) == (asked == changed)
