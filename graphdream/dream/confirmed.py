"""A person who says of two entities that they are one, which a pass has made one already, says that it was right."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from graphdream.graph.names import canonical
from graphdream.graph.rows import handle, parse_handle
from graphdream.graph.tables import ENTITY
from graphdream.journal.lineage import merge_of, part_of
from graphdream.journal.mergerecord import confirmed_before
from graphdream.journal.verdicts import NOT_OURS, Absorption
from graphdream.mutations.context import entities_named
from graphdream.mutations.model import MergeEntities, Mutation
from graphdream.mutations.outcome import Outcome


def confirmed_by(connection: sqlite3.Connection, mutations: Iterable[Mutation]) -> dict[int, list[Absorption]]:
    """The merges of passes that a person's edits say were right and of which nobody has said so before, by the place of
    the edit.

    They are those of the entities that are asked to be merged and were merged into the same one by a pass.
    """
    found = {
        at: merges
        for at, mutation in enumerate(mutations)
        if isinstance(mutation, MergeEntities) and (merges := _confirmed(connection, mutation))
    }
    known = confirmed_before(connection) if found else set()
    fresh = {at: [merge for merge in merges if merge not in known] for at, merges in found.items()}
    return {at: merges for at, merges in fresh.items() if merges}


def told(outcome: Outcome, merges: Iterable[Absorption]) -> Outcome:
    """What a person is told of an edit that merged nothing, and has put on record that merges were right."""
    said = (
        f"pass {merge.pass_id} merged {handle(ENTITY, merge.source)} into {handle(ENTITY, merge.target)}"
        for merge in merges
    )
    return replace(outcome, message="; ".join(said) + ": that this was right is on record now")


def _confirmed(connection: sqlite3.Connection, mutation: MergeEntities) -> list[Absorption]:
    named = [mutation.target, *mutation.source]
    stands = {_stands_as(connection, reference) for reference in named}
    survivor = stands.pop()
    if stands or survivor is None:
        return []  # not one yet, or nobody
    gone = {row["id"]: row["canonical"] for row in part_of(connection, survivor)}
    meant: set[int] = set()
    for reference in named:
        number = _number(reference)
        if number is None:
            meant.update(own for own, name in gone.items() if name == canonical(reference))
        elif number in gone:
            meant.add(number)
    merges = (merge_of(connection, number) for number in sorted(meant))
    return [merge for merge in merges if merge is not None and _is_ours(connection, merge.pass_id)]


def _number(reference: str) -> int | None:
    parsed = parse_handle(reference)
    return parsed[1] if parsed is not None and parsed[0] is ENTITY else None


def _stands_as(connection: sqlite3.Connection, reference: str) -> int | None:
    """The active entity that a name or handle leads to; None where there is none, or several."""
    number = _number(reference)
    if number is None:
        found = entities_named(connection, reference)
        return found[0]["id"] if len(found) == 1 else None
    row = connection.execute(
        "WITH RECURSIVE up (id) AS (SELECT ? UNION SELECT absorbed_into FROM entity JOIN up USING (id))"
        " SELECT id FROM entity JOIN up USING (id) WHERE status = 'active'",
        (number,),
    ).fetchone()
    return row[0] if row is not None else None


def _is_ours(connection: sqlite3.Connection, pass_id: int) -> bool:
    kind = connection.execute("SELECT kind FROM pass WHERE id = ?", (pass_id,)).fetchone()[0]
    return kind not in NOT_OURS
