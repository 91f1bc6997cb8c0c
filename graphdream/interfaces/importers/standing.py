"""Which lines that earlier imports brought still stand where new lines came: what stands beside a line was not replaced
by it.

That a line stands is noted of those that a new one may be compared with: the lines under its heading, and such as are
like it anywhere in the notes that were read. Of all others, an import of a long file would change each row for nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

from graphdream.graph.rows import update
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE
from graphdream.interfaces.importers.heirs import LIKE

_MOST_PAIRS = 4_000_000  # lines that stand times new lines; beyond, notes were written anew, not added to


class Standing(NamedTuple):
    """A line that a note has: the id of its fact, where it stands, what it says, and when it was told."""

    fact: str
    place: tuple[str, str]
    text: str
    told: str = ""


def still_standing(known: Sequence[Standing], fresh: Sequence[Standing]) -> dict[str, str]:
    """Fact of a line that stood before -> when the last of those new lines was told that it stands beside.

    Args:
        known: lines that an earlier import brought and that the notes still have.
        fresh: those that this import is the first to bring.
    """
    told: dict[tuple[str, str], str] = {}
    for one in fresh:
        told[one.place] = max(one.told, told.get(one.place, ""))
    out = {one.fact: told[one.place] for one in known if one.place in told}
    if 0 < len(known) * len(fresh) <= _MOST_PAIRS:
        texts = [[one.text.casefold() for one in side] for side in (known, fresh)]
        alike = process.cdist(*texts, scorer=fuzz.ratio, score_cutoff=100 * LIKE)
        for at, other in zip(*(side.tolist() for side in np.nonzero(alike)), strict=True):
            fact = known[at].fact
            out[fact] = max(fresh[other].told, out.get(fact, ""))
    return out


def note_standing(store: Store, told: Mapping[str, str]) -> int:
    """Note in the open pass that facts were told again then, by their ids; one that was absorbed stands in the other.

    Returns:
        Number of rows that were changed.
    """
    changed = 0
    for uid, at in told.items():
        row = _row(store.connection, "uid", uid)
        while row is not None and row["absorbed_into"] is not None:
            row = _row(store.connection, "id", row["absorbed_into"])
        if row is not None and row["status"] == "active" and (row["last_seen"] or row["first_seen"] or "") < at:
            update(store, ATTRIBUTE, row["id"], last_seen=at)
            changed += 1
    return changed


def _row(connection: sqlite3.Connection, column: str, value: str | int) -> sqlite3.Row | None:
    found: sqlite3.Row | None = connection.execute(
        f"SELECT id, status, absorbed_into, first_seen, last_seen FROM attribute WHERE {column} = ?", (value,)
    ).fetchone()
    return found
