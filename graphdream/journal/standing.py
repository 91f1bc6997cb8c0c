"""Which passes stand, and which of them are in the way of an undo.

The graph is what the passes say that were never taken back. A pass is taken back while an undo that names it stands;
an undo that is itself undone names nobody. So the newest pass stands, and going back from there decides the rest.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping

from graphdream.graph.spans import of_pass


def undoers(undoes: Mapping[int, Collection[int]]) -> dict[int, int]:
    """Which pass took each pass back, by what every undo names.

    Args:
        undoes: undo -> the passes it names, all of them older.

    Returns:
        Pass -> the newest standing undo that names it; passes that stand are left out.
    """
    taken: dict[int, int] = {}
    for undo in sorted(undoes, reverse=True):
        if undo not in taken:
            for named in undoes[undo]:
                taken.setdefault(named, undo)
    return taken


def read_undoes(connection: sqlite3.Connection) -> dict[int, frozenset[int]]:
    """What every undo names: undo -> passes. Passes that are no undo are left out."""
    rows = connection.execute("SELECT id, undoes FROM pass WHERE undoes <> '[]' AND status = 'applied'")
    return {undo: frozenset(json.loads(named)) for undo, named in rows}


def grown(connection: sqlite3.Connection, taken: Collection[int]) -> set[int]:
    """The passes to take back together with `taken`, because they changed the same rows later and stand.

    An undo among the later ones is in the way only where it took back something older than what is taken back now:
    otherwise it and the passes it names cancel out. Taking back an undo brings passes back, and those may be in the
    way in their turn.
    """
    together = set(taken)
    undoes = read_undoes(connection)
    # A purge only takes away, and what it took has no journal any more: it is in nobody's way by its rows.
    listed = connection.execute("SELECT id FROM pass WHERE status = 'applied' AND kind <> 'purge' ORDER BY id")
    applied = [row[0] for row in listed]
    beyond = max(applied, default=0) + 1
    sharing: dict[int, set[int]] = {}
    while True:
        gone = undoers({**undoes, beyond: together})
        found: set[int] = set()
        for own in together:
            later = [other for other in applied if other > own and other not in together and other not in gone]
            if later and own not in sharing:
                sharing[own] = _sharing(connection, own)
            found.update(other for other in later if _in_the_way(own, undoes.get(other), other, sharing[own]))
        if not found:
            return together
        together |= found


def _in_the_way(own: int, names: frozenset[int] | None, other: int, sharing: set[int]) -> bool:
    if names is None:
        return other in sharing
    return any(named <= own and (named == own or named in sharing) for named in names)


def _sharing(connection: sqlite3.Connection, own: int) -> set[int]:
    """The passes that changed a row which this one changed too."""
    rows = connection.execute(
        f"""
        SELECT DISTINCT other.pass_id FROM change AS own
        CROSS JOIN change AS other ON other.kind = own.kind AND other.row_id = own.row_id
        WHERE {of_pass(":own", "own")} AND other.pass_id <> :own
        """,
        {"own": own},
    )
    return {row[0] for row in rows}
