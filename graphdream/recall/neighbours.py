"""Facts over links: what is known of the entities around those that an answer is about.

They come after every direct hit. In systems that add the links' weight to the score, whatever hangs on a hub outranks
the fact that was asked for ("Traversal Scoring Dominance" in the specification of Signet, an agent memory).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from graphdream.recall.facts import Known, known_fact, read_facts

HOPS = 2
_MAX_ENTITIES = 30
_LINKS_OF_ONE = 50  # a hub's strongest; all of them would be the whole graph


class Reached(NamedTuple):
    """A fact over links, and the entity of the answer from which it was reached."""

    fact: Known
    start: int


def facts_around(
    connection: sqlite3.Connection, entities: Sequence[int], *, limit: int, without: Collection[int]
) -> list[Reached]:
    """Facts of entities linked to some others, over at most two links.

    Args:
        connection: any connection to the file.
        entities: ids to start from, the most important first.
        limit: how many facts at most.
        without: ids of facts that are in the answer already.

    Returns:
        Nearest entities first, then by strength of the links, then by importance of the fact.
    """
    reached = _reach(connection, entities) if limit > 0 else {}
    if not reached:
        return []
    rows = connection.execute(
        "SELECT attribute.id, aspect.entity_id FROM json_each(?) JOIN aspect ON aspect.entity_id = json_each.value"
        " JOIN attribute ON attribute.aspect_id = aspect.id"
        " WHERE attribute.status = 'active' AND aspect.status = 'active'"
        " ORDER BY json_each.key, attribute.importance DESC, attribute.reinforcement DESC, attribute.id LIMIT ?",
        (json.dumps(list(reached)), limit + len(without)),
    )
    entity_of = dict([(fact, entity) for fact, entity in rows if fact not in without][:limit])
    found = []
    for row in read_facts(connection, list(entity_of)):
        start, strength = reached[entity_of[row["id"]]]
        found.append(Reached(known_fact(row, {"links": strength}), start))
    return found


def _reach(connection: sqlite3.Connection, entities: Sequence[int]) -> Mapping[int, tuple[int, float]]:
    """Entities within `HOPS` links -> where they were reached from, and the product of the links' strengths."""
    reached: dict[int, tuple[int, float]] = {}
    edge = {entity: (entity, 1.0) for entity in entities}
    for _ in range(HOPS):
        fresh: dict[int, tuple[int, float]] = {}
        for entity, (start, strength) in edge.items():
            for other, share in connection.execute(
                "SELECT other, max(strength) FROM (SELECT target_id AS other, strength FROM link"
                " WHERE source_id = :e AND status = 'active' AND target_id IS NOT NULL UNION ALL"
                " SELECT source_id, strength FROM link WHERE target_id = :e AND status = 'active')"
                " GROUP BY other ORDER BY max(strength) DESC, other LIMIT :n",
                {"e": entity, "n": _LINKS_OF_ONE},
            ):
                if other in reached or other in entities:
                    continue
                if other not in fresh or fresh[other][1] < strength * share:
                    fresh[other] = (start, strength * share)
        strongest = sorted(fresh, key=lambda entity: (-fresh[entity][1], entity))[: _MAX_ENTITIES - len(reached)]
        edge = {entity: fresh[entity] for entity in strongest}
        reached.update(edge)
    return reached
