"""What `graphdream undo last` means: the newest pass that stands, unless it is an import."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from graphdream.errors import ConflictError, NotFoundError


@dataclass(frozen=True, slots=True)
class Standing:
    """A pass that stands: `summary` is its own, in one line."""

    id: int
    kind: str
    summary: str

    def as_text(self) -> str:
        """`pass 3 (dream): 2 entities merged`."""
        return f"pass {self.id} ({self.kind})" + (f": {self.summary}" if self.summary else "")


def last_standing(connection: sqlite3.Connection) -> Standing | None:
    """The newest pass that changed something and was not taken back; None where there is none. None of these: an undo,
    and that a person took a file as it is, of which rows that were put right would go wrong again."""
    row = connection.execute(
        "SELECT id, kind, summary FROM pass WHERE status = 'applied' AND undone_by IS NULL"
        " AND kind NOT IN ('undo', 'trust') ORDER BY id DESC LIMIT 1"
    ).fetchone()
    return Standing(row[0], row[1], " ".join(row[2].split())[:100]) if row is not None else None


def last_to_undo(connection: sqlite3.Connection) -> Standing:
    """The pass that `undo last` takes back.

    What came by an import is the ground that everything since stands on, and is often all that is left when somebody
    says `undo last` once more: it goes only where it is named.

    Raises:
        NotFoundError: no pass stands.
        ConflictError: the newest that stands is an import.
    """
    newest = last_standing(connection)
    if newest is None:
        raise NotFoundError("there is no pass to take back yet", "graphdream passes lists them")
    if newest.kind == "import":
        raise ConflictError(
            f"the last pass that stands is an import, pass {newest.id}; `last` takes back none",
            f"by its number it goes: graphdream undo {newest.id}",
        )
    return newest


def what_is_next(connection: sqlite3.Connection) -> str:
    """What `undo last` would do now, as a line of a report."""
    newest = last_standing(connection)
    if newest is None:
        return "  nothing is left to take back"
    if newest.kind == "import":
        return f"  `undo last` would take back nothing more: pass {newest.id} is an import, undone by its number alone"
    return f"  `undo last` would take back {newest.as_text()} next"
