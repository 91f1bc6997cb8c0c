"""What to do where somebody would take back a pass that there is not: a dream that found nothing to do wrote none."""

from __future__ import annotations

import sqlite3

from graphdream.errors import NotFoundError
from graphdream.journal.last import last_standing


def nothing_to_undo(connection: sqlite3.Connection, pass_id: int | None) -> NotFoundError | None:
    """What to say where there is no such pass to take back, and what to do; None where there is one.

    Args:
        pass_id: the pass; None means the last one that stands.
    """
    newest = connection.execute("SELECT max(id) FROM pass").fetchone()[0] or 0
    standing = last_standing(connection)
    if pass_id is None:
        if standing is not None:
            return None
        if newest:
            hint = "`last` finds none that stands; graphdream passes lists them, and to undo an undo brings one back"
            return NotFoundError("there is no pass to take back any more", hint)
        hint = "nothing was imported or remembered yet: graphdream import FILE, or graphdream remember TEXT"
        return NotFoundError("there is no pass to take back yet", hint)
    if pass_id <= newest:
        return None
    if not newest:
        there = "no pass was ever written"
        hint = "graphdream import FILE, or graphdream remember TEXT, writes the first"
    else:
        there = f"the newest is {newest}"
        hint = "a dream that finds nothing to do writes no pass, so there is nothing of it to take back"
        if standing is not None:
            # Of the pass itself nothing is told: that would have to be compared with its seal.
            what = "the import" if standing.kind == "import" else "the last pass that stands"
            hint += f"\n  graphdream undo {standing.id} takes back {what}, pass {standing.id}"
        else:
            hint += "; graphdream passes lists them"
    return NotFoundError(f"there is no pass {pass_id}; {there}", hint)
