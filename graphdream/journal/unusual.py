"""What is unusual about a pass: far more of one thing than the passes before it did."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from statistics import median

_FEWEST_PASSES = 3  # before there is a usual
_MOST_PASSES = 12  # that the usual is taken from
_FEWEST = 20  # of a thing, below which nothing is unusual
_FACTOR = 4.0
_DONE = {
    "merge_entities": "merged entities", "delete_entity": "archived", "delete_attribute": "archived",
    "delete_aspect": "archived", "unlink": "archived", "supersede_attribute": "replaced facts",
    "merge_attributes": "folded facts", "update_aspect": "reworded facts", "create_entity": "made entities",
    "create_attribute": "added facts",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unusual:
    """One thing that a pass did far more of.

    Attributes:
        did: in words: "archived", "merged entities".
        count: in this pass.
        usual: the median of the passes before it.
        passes: how many passes that is.
    """

    did: str
    count: int
    usual: float
    passes: int

    @property
    def words(self) -> str:
        """`this pass archived 353, eight times the usual 44`."""
        if self.usual < 1:
            return f"this pass {self.did}: {self.count:,}; the {self.passes} passes before it as good as none"
        times = self.count / self.usual
        return f"this pass {self.did}: {self.count:,}, {times:,.0f} times the usual ({self.usual:,.0f})"


def unusual_in(connection: sqlite3.Connection, pass_id: int) -> list[Unusual]:
    """What an applied dream did at least four times as much of as the last passes of its kind and mode, most first.

    Nothing where fewer than three such passes came before it; one that was undone since counts as well: it was usual.
    """
    row = connection.execute("SELECT kind, mode, status FROM pass WHERE id = ?", (pass_id,)).fetchone()
    if row is None or row["kind"] != "dream" or row["status"] != "applied":
        return []
    earlier = [
        found[0]
        for found in connection.execute(
            "SELECT id FROM pass WHERE id < ? AND kind = ? AND mode = ? AND status = 'applied'"
            " ORDER BY id DESC LIMIT ?",
            (pass_id, row["kind"], row["mode"], _MOST_PASSES),
        )
    ]
    if len(earlier) < _FEWEST_PASSES:
        return []
    then = [_done(connection, one) for one in earlier]
    found = []
    for did, count in _done(connection, pass_id).items():
        usual = float(median(one[did] for one in then))
        if count >= _FEWEST and count >= _FACTOR * max(usual, 1.0):
            found.append(Unusual(did, count, usual, len(earlier)))
    return sorted(found, key=lambda one: -one.count / max(one.usual, 1.0))


def _done(connection: sqlite3.Connection, pass_id: int) -> Counter[str]:
    done: Counter[str] = Counter()
    for op, number in connection.execute(
        "SELECT op, count(*) FROM mutation WHERE pass_id = ? AND status = 'applied' GROUP BY op", (pass_id,)
    ):
        done[_DONE.get(op, op.replace("_", " "))] += number
    return done
