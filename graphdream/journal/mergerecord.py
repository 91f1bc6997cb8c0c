"""How graphdream's own merges fared with the people who looked at them: the live false-merge rate."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from graphdream.intervals import wilson
from graphdream.journal.lineage import merge_of
from graphdream.journal.verdicts import NOT_OURS, TAKEN_APART, Absorption, absorptions_of

_NOT_OURS = str(NOT_OURS)  # reads as SQL
CONFIRMED = "confirmed"  # in the inputs of an edit: merges that it says were right, each as [pass, source, target]


def _read(column: str) -> str:
    """A JSON column, as SQL; one that cannot be read, written behind graphdream's back, says nothing."""
    return f"CASE WHEN json_valid({column}) THEN {column} ELSE '{{}}' END"


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """How graphdream's own merges fared.

    Attributes:
        merges: entities merged away that stand, and those judged wrong.
        judged: merges on which a person has given a verdict: right or wrong.
        rejected: of these, those judged wrong.
        rate: rejected / judged in 0..1; None as long as none was judged.
        low: lower end of the 95 % interval of the rate; 0 as long as none was judged.
        high: upper end; 1 as long as none was judged.
    """

    merges: int
    judged: int
    rejected: int
    rate: float | None
    low: float
    high: float


def live_merge_record(connection: sqlite3.Connection) -> MergeRecord:
    """Merges, those judged by a person, and those judged wrong so far; its cost follows the number of passes and of
    verdicts, not the graph.

    A merge was judged wrong by `--wrong`, by a split, or as an item of a plan that was rejected; it was judged right as
    an item of a plan that was approved, or by `same` of what is one already. The last verdict holds. One that nobody
    looked at, or that was taken back without a verdict, says nothing either way.
    """
    stand = connection.execute(
        f"""
        SELECT coalesce(sum(json_extract({_read("counts")}, '$.rows."entity merged"')), 0)
            - coalesce(sum(json_extract({_read("counts")}, '$."{TAKEN_APART}"')), 0)
        FROM pass WHERE status = 'applied' AND undone_by IS NULL AND kind NOT IN {_NOT_OURS}
        """
    ).fetchone()[0]
    # A merge that was judged by splitting the entity is still among those that stand.
    wrong = connection.execute(
        f"""
        SELECT merged_by, first_id, second_id, coalesce(judge.kind = 'edit', 0) FROM rejection
        JOIN pass ON pass.id = rejection.merged_by LEFT JOIN pass AS judge ON judge.id = rejection.pass_id
        WHERE revoked_by IS NULL AND direct AND pass.kind NOT IN {_NOT_OURS}
        """
    ).fetchall()
    right = _judged_right(connection, {(row[0], frozenset(row[1:3])) for row in wrong})
    refused = _refused_in_plans(connection) - {(f"e{merge.source}", f"e{merge.target}") for merge in right}
    rejected = len(wrong) + len(refused)
    judged = rejected + len(right)
    low, high = wilson(rejected, judged)
    merges = stand - sum(row[3] for row in wrong) + len(wrong)
    return MergeRecord(merges, judged, rejected, rejected / judged if judged else None, low, high)


def confirmed_before(connection: sqlite3.Connection) -> set[Absorption]:
    """The merges that a person said were right, by edits that stand."""
    rows = connection.execute(
        f"""
        SELECT told.value FROM pass, json_each({_read("pass.inputs")}, '$.{CONFIRMED}') AS told
        WHERE told.type = 'array' AND status = 'applied' AND undone_by IS NULL AND kind = 'edit'
        """
    )
    told = (json.loads(row[0]) for row in rows)
    return {Absorption(*one) for one in told if len(one) == len(Absorption._fields)}


def _judged_right(connection: sqlite3.Connection, wrong: set[tuple[int, frozenset[int]]]) -> set[Absorption]:
    """The merges that a person approved or confirmed, that stand, and of which nobody said later they were wrong."""
    approving = connection.execute(
        "SELECT id FROM pass WHERE status = 'applied' AND undone_by IS NULL"
        f" AND json_extract({_read('inputs')}, '$.plan') > 0"
    )
    told = set(absorptions_of(connection, [row[0] for row in approving], undone=False)) | confirmed_before(connection)
    return {
        merge
        for merge in told
        if (merge.pass_id, frozenset((merge.source, merge.target))) not in wrong and _stands(connection, merge)
    }


def _stands(connection: sqlite3.Connection, merge: Absorption) -> bool:
    row = connection.execute("SELECT status FROM entity WHERE id = ?", (merge.source,)).fetchone()
    return row is not None and row[0] == "absorbed" and merge_of(connection, merge.source) == merge


def _refused_in_plans(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """What plans would have merged, and a person rejected, by a pass that stands: source and target, as the plan named
    them."""
    rows = connection.execute(
        f"""
        SELECT source.value, json_extract({_read("body")}, '$.target')
        FROM planned, json_each({_read("body")}, '$.source') AS source
        WHERE op = 'merge_entities' AND verdict = 'rejected'
        AND decided_by IS NOT (SELECT id FROM pass WHERE pass.id = decided_by AND undone_by IS NOT NULL)
        """
    )
    return {(str(source), str(target)) for source, target in rows}
