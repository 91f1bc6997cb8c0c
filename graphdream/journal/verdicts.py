"""What became of merges: one that a person judged wrong is a verdict that its entities are distinct, and counts as a
false merge."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from graphdream.errors import NotFoundError
from graphdream.graph.rowtext import key_sql
from graphdream.graph.spans import of_pass
from graphdream.graph.tables import ENTITY

# Merges by these are no judgement of graphdream's: a person's own, a file's, and those an undo of an undo does again.
NOT_OURS = ("edit", "import", "undo")

TAKEN_APART = "merges taken apart"  # in the counts of a pass: merges of ours that it took out of another pass

# A change of an entity from "absorbed into nobody" to "absorbed into x".
MERGED = f"kind = {ENTITY.kind} AND op = '~' AND instr(diff, {key_sql(ENTITY, 'absorbed_into', 'null')})"
_INTO = f"""'$."{ENTITY.place("absorbed_into")}"[1]'"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Two entities that a pass made one, and that are not the same: `first_id` < `second_id`.

    `direct`: one of the two was merged into the other; False where both were merged into a third.
    """

    pass_id: int
    first_id: int
    second_id: int
    direct: bool = True


class Absorption(NamedTuple):
    """A pass merged one entity into another."""

    pass_id: int
    source: int
    target: int


def absorptions_of(connection: sqlite3.Connection, passes: Collection[int], *, undone: bool) -> list[Absorption]:
    """The merges of these passes, in order.

    They are read from the row changes, so a merge counts however it was asked for.

    Args:
        undone: these passes are taken back. A merge of an entity that one of them made is left out then: the entity
            goes too, and there is nothing left to tell apart.
    """
    rows = connection.execute(
        f"""
        WITH taken (id) AS (SELECT value FROM json_each(?)),
        merge (pass_id, source, target) AS (
            SELECT pass_id, row_id, json_extract(diff, {_INTO}) FROM taken
            CROSS JOIN change ON {of_pass("taken.id")} AND {MERGED}
        )
        SELECT DISTINCT pass_id, source, target FROM merge
        WHERE source <> target AND NOT (? AND EXISTS (
            SELECT 1 FROM change
            WHERE kind = 1 AND row_id IN (source, target) AND op = '+' AND pass_id IN (SELECT id FROM taken)
        ))
        ORDER BY pass_id, source, target
        """,
        (json.dumps(sorted(passes)), undone),
    )
    return [Absorption(*row) for row in rows]


def verdicts_on(merges: Iterable[Absorption], wrong: Collection[int] | None) -> list[Verdict]:
    """What it means that merges were wrong: every pair of a cluster whose entities are not the same, in order.

    Args:
        merges: oldest pass first.
        wrong: the entities that were wrongly merged: each is none of the others of its cluster. Of the one that
            absorbed the others, it means that no two of the cluster are the same. None: no two of any cluster are.

    Raises:
        NotFoundError: one of `wrong` was not merged.
    """
    cluster: dict[int, set[int]] = {}
    pairs: list[Verdict] = []
    absorbed = set()
    for merge in merges:
        absorbed.add(merge.source)
        one, other = (cluster.setdefault(entity, {entity}) for entity in (merge.source, merge.target))
        if one is other:
            continue
        for first, second in product(sorted(one), sorted(other)):
            direct = (first, second) == (merge.source, merge.target)
            pairs.append(Verdict(merge.pass_id, min(first, second), max(first, second), direct))
        one |= other
        cluster.update(dict.fromkeys(one, one))
    if wrong is not None:
        strange = sorted(set(wrong) - cluster.keys())
        if strange:
            raise NotFoundError(
                f"e{strange[0]} was not merged there", "graphdream show PASS lists the merges of a pass"
            )
        apart = set(wrong).union(*(cluster[entity] for entity in wrong if entity not in absorbed))
        pairs = [pair for pair in pairs if pair.first_id in apart or pair.second_id in apart]
    return sorted(pairs, key=lambda pair: (pair.pass_id, pair.first_id, pair.second_id))


def in_words(rejected: Collection[object]) -> str:
    """How many pairs are remembered, as a line of a report."""
    pairs = "1 pair" if len(rejected) == 1 else f"{len(rejected):,} pairs"
    return f"  remembered as not the same: {pairs} of entities"


def reject(connection: sqlite3.Connection, given_by: int, verdicts: Collection[Verdict]) -> None:
    """Remember that a pass (an undo, an unmerge, a split) judged merges, so that nobody proposes them again."""
    connection.executemany(
        "INSERT INTO rejection (pass_id, merged_by, first_id, second_id, direct) VALUES (?, ?, ?, ?, ?)",
        [(given_by, one.pass_id, one.first_id, one.second_id, int(one.direct)) for one in verdicts],
    )
