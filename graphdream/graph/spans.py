"""Where in the journal the changes of a pass lie: side by side, because passes are written one at a time.

A pass notes the ids of its first and last change, so its changes are a range of the table's own key. An index over
`pass_id` would say the same once for each change, on disk and in the time of every change.
"""

from __future__ import annotations

import sqlite3

_OPEN_END = (1 << 63) - 1  # of a pass that is being written: whatever comes is its own


def of_pass(pass_id: str, change: str = "change") -> str:
    """SQL condition: the row of the journal is a change of a pass.

    Args:
        pass_id: SQL of the pass's id; a parameter has to be a named or numbered one, because it occurs twice.
        change: the name that the table `change` has in the query.
    """
    first, last = (f"(SELECT {end}_change FROM pass WHERE pass.id = {pass_id})" for end in ("first", "last"))
    return f"{change}.id BETWEEN {first} AND {last}"


def span_of(connection: sqlite3.Connection, pass_id: int) -> tuple[int, int]:
    """Ids of the first and the last change of a pass; the last is below the first where it has none."""
    row = connection.execute("SELECT first_change, last_change FROM pass WHERE id = ?", (pass_id,)).fetchone()
    return (row[0], row[1]) if row else (1, 0)


def after_pass(pass_id: str) -> str:
    """SQL condition: the row of the table `change` was written after a pass; every one was after pass 0."""
    return f"change.id > coalesce((SELECT last_change FROM pass WHERE pass.id = {pass_id}), 0)"


def begin_span(connection: sqlite3.Connection, pass_id: int) -> None:
    """From here on changes are those of this pass."""
    connection.execute(
        "UPDATE pass SET first_change = (SELECT coalesce(max(id), 0) + 1 FROM change), last_change = ? WHERE id = ?",
        (_OPEN_END, pass_id),
    )


def end_span(connection: sqlite3.Connection, pass_id: int) -> None:
    """The pass has made its last change; `last_change` is below `first_change` where it has made none."""
    connection.execute(
        "UPDATE pass SET last_change = (SELECT coalesce(max(id), 0) FROM change) WHERE id = ?", (pass_id,)
    )
