"""Triggers that write every change of a graph row into the journal, and refuse a change outside a pass.

The triggers are part of the migrations as plain SQL; this module makes that text from the tables, so that the next
migration can be written by one command and a test can compare:

    python -m graphdream.graph.capture

A trigger calls functions that only graphdream's own connection has (`Store`): `gd_row` and `gd_rows` add to the
graph's hash and see to it that the row bears the open pass as its version, `gd_pass()` names that pass. Any other
program that tries to write a graph row is refused by SQLite ("no such function"), so a row cannot change without its
journal entry.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.graph.rowtext import row_sql
from graphdream.graph.tables import TABLES, Table

_TOGETHER = 5  # columns that are passed over in one step where none of them has changed; most have not


def _diff(table: Table) -> str:
    """SQL of the changed columns as members of a JSON object, each after a comma."""
    columns = list(enumerate(table.columns))[1:]  # the id of a row is never changed
    groups = [columns[start : start + _TOGETHER] for start in range(0, len(columns), _TOGETHER)]
    return "\n            || ".join(_changed_among(group) for group in groups)


def _changed_among(columns: Sequence[tuple[int, str]]) -> str:
    old, new = (", ".join(f"{side}.{column}" for _, column in columns) for side in ("old", "new"))
    each = "\n            || ".join(_changed(place, column) for place, column in columns)
    return each if len(columns) == 1 else f"CASE WHEN ({old}) IS NOT ({new}) THEN {each} ELSE '' END"


def _changed(place: int, column: str) -> str:
    return (
        f"CASE WHEN old.{column} IS NOT new.{column} "
        f"THEN ',\"{place}\":' || json_array(old.{column}, new.{column}) ELSE '' END"
    )


def trigger_sql(table: Table) -> str:
    """The three capture triggers of a table: a row made, a row changed, a row deleted."""
    name, kind = table.name, table.kind
    into = "INSERT INTO change (pass_id, kind, row_id, op, diff)"
    diff = _diff(table)
    return f"""CREATE TRIGGER {name}_made AFTER INSERT ON {name}
BEGIN
    {into}
    VALUES (new.version, {kind}, new.id, '+', gd_row({kind}, {row_sql(table, "new.")}, 1, new.version));
END;
CREATE TRIGGER {name}_changed AFTER UPDATE ON {name}
WHEN gd_rows({kind}, {row_sql(table, "old.")}, {row_sql(table, "new.")}, new.version)
BEGIN
    {into}
    VALUES (new.version, {kind}, new.id, '~', '{{' || substr(
            {diff}, 2) || '}}');
END;
CREATE TRIGGER {name}_deleted AFTER DELETE ON {name}
BEGIN
    {into}
    VALUES (gd_pass(), {kind}, old.id, '-', gd_row({kind}, {row_sql(table, "old.")}, -1, gd_pass()));
END;
"""


def all_triggers() -> str:
    """The capture triggers of every table of the graph, as one SQL script."""
    return "\n".join(trigger_sql(table) for table in TABLES)


if __name__ == "__main__":
    print(all_triggers())
