"""What became of merges: an undone one is a verdict that its entities are distinct, and counts as a false merge."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from graphdream.graph.rowtext import key_sql
from graphdream.graph.spans import of_pass
from graphdream.graph.tables import ENTITY

Z_95 = 1.959963984540054  # two-sided 95 % of the normal distribution

# Merges by these are no judgement of graphdream's: a person's own, a file's, and those an undo of an undo does again.
_NOT_OURS = "('edit', 'import', 'undo')"

# A change of an entity from "absorbed into nobody" to "absorbed into x".
MERGED = f"kind = {ENTITY.kind} AND op = '~' AND instr(diff, {key_sql(ENTITY, 'absorbed_into', 'null')})"
_INTO = f"""'$."{ENTITY.place("absorbed_into")}"[1]'"""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two entities that a pass made one: `first_id` < `second_id`."""

    pass_id: int
    first_id: int
    second_id: int


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """How graphdream's own merges fared (J8).

    Attributes:
        merges: entities merged away that stand, and those rejected.
        rejected: of these, those that an undo rejected.
        rate: rejected / merges in 0..1; None before the first merge.
        low: lower end of the 95 % interval of the rate.
        high: upper end.
    """

    merges: int
    rejected: int
    rate: float | None
    low: float
    high: float


def merges_of(connection: sqlite3.Connection, passes: Collection[int]) -> list[Merge]:
    """The merges of these passes, in order.

    They are read from the row changes, so a merge counts however it was asked for. A merge of an entity that one of
    these passes made is left out: with them the entity goes too, and there is nothing left to tell apart.
    """
    rows = connection.execute(
        f"""
        WITH taken (id) AS (SELECT value FROM json_each(?)),
        merge (pass_id, source, target) AS (
            SELECT pass_id, row_id, json_extract(diff, {_INTO}) FROM taken
            CROSS JOIN change ON {of_pass("taken.id")} AND {MERGED}
        )
        SELECT DISTINCT pass_id, min(source, target) AS first_id, max(source, target) AS second_id FROM merge
        WHERE source <> target AND NOT EXISTS (
            SELECT 1 FROM change
            WHERE kind = 1 AND row_id IN (source, target) AND op = '+' AND pass_id IN (SELECT id FROM taken)
        )
        ORDER BY pass_id, first_id, second_id
        """,
        (json.dumps(sorted(passes)),),
    )
    return [Merge(*row) for row in rows]


def reject(connection: sqlite3.Connection, undo: int, merges: Collection[Merge]) -> None:
    """Remember that `undo` rejected these merges, so that nobody proposes them again."""
    connection.executemany(
        "INSERT INTO rejection (pass_id, merged_by, first_id, second_id) VALUES (?, ?, ?, ?)",
        [(undo, merge.pass_id, merge.first_id, merge.second_id) for merge in merges],
    )


def live_merge_record(connection: sqlite3.Connection) -> MergeRecord:
    """Merges and rejections so far; its cost follows the number of passes and of rejections, not the graph.

    A merge that was undone without a verdict says nothing either way and is not counted.

    Source: the interval is Wilson's (Journal of the American Statistical Association 22, 1927, 209-212), which holds
    for small counts and for rates near 0.
    """
    stand = connection.execute(
        f"""
        SELECT coalesce(sum(json_extract(counts, '$.rows."entity merged"')), 0) FROM pass
        WHERE status = 'applied' AND undone_by IS NULL AND kind NOT IN {_NOT_OURS}
        """
    ).fetchone()[0]
    rejected = connection.execute(
        f"""
        SELECT count(*) FROM rejection JOIN pass ON pass.id = rejection.merged_by
        WHERE revoked_by IS NULL AND pass.kind NOT IN {_NOT_OURS}
        """
    ).fetchone()[0]
    merges = stand + rejected
    low, high = wilson(rejected, merges)
    return MergeRecord(merges, rejected, rejected / merges if merges else None, low, high)


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a rate, each end in 0..1; (0, 1) without trials."""
    if not trials:
        return 0.0, 1.0
    rate, square = hits / trials, Z_95 * Z_95
    middle = rate + square / (2 * trials)
    half = Z_95 * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)
