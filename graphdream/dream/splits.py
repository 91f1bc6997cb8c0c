"""A person who splits an entity that was merged of several says that the merge was wrong."""

from __future__ import annotations

import sqlite3

from graphdream.graph.names import canonical
from graphdream.graph.rows import parse_handle
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.journal.lineage import hung_on, merge_of, part_of
from graphdream.journal.verdicts import Absorption, Verdict, absorptions_of, verdicts_on
from graphdream.mutations import model
from graphdream.mutations.context import entities_named


def judged_by(connection: sqlite3.Connection, split: model.SplitEntity) -> list[Verdict]:
    """The merges that a split, which is applied already, says were wrong: those of each entity that was merged in and
    of which a name, or every fact that it brought along, went over."""
    parsed = parse_handle(split.entity)
    entity = parsed[1] if parsed is not None and parsed[0] is ENTITY else _named(connection, split.entity)
    merges = [merge_of(connection, row["id"]) for row in part_of(connection, entity)] if entity is not None else []
    names = {canonical(name) for name in (split.name, *split.aliases)}
    facts = {int(reference[1:]) for reference in split.attributes}
    wrong = [
        merge.source
        for merge in merges
        if merge is not None and (names & _names(connection, merge.source) or _gone(connection, merge, facts))
    ]
    if not wrong:
        return []
    absorbed = absorptions_of(connection, {merge.pass_id for merge in merges if merge is not None}, undone=False)
    return verdicts_on(absorbed, wrong)


def _named(connection: sqlite3.Connection, name: str) -> int | None:
    found = entities_named(connection, name)
    return found[0]["id"] if len(found) == 1 else None


def _names(connection: sqlite3.Connection, entity: int) -> set[str]:
    rows = connection.execute(
        "SELECT canonical FROM entity WHERE id = ?1 UNION SELECT canonical FROM alias WHERE entity_id = ?1", (entity,)
    )
    return {row[0] for row in rows}


def _gone(connection: sqlite3.Connection, merge: Absorption, facts: set[int]) -> bool:
    """Whether all facts that an entity brought into a merge, and that still stand, are among those that went over."""
    aspects = hung_on(connection, merge.pass_id, ASPECT, "entity_id", {merge.source})
    own = hung_on(connection, merge.pass_id, ATTRIBUTE, "aspect_id", aspects)
    marks = ", ".join("?" * len(own))
    active = connection.execute(f"SELECT id FROM attribute WHERE status = 'active' AND id IN ({marks})", list(own))
    standing = {row[0] for row in active}
    return bool(standing) and standing <= facts
