"""What facts rest on, and what stands against them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from graphdream.recall.hit import Other


class Source(NamedTuple):
    """A turn that a fact rests on: its row and the transcript's own id."""

    turn: int
    uid: str


def sources_of(connection: sqlite3.Connection, facts: Sequence[int]) -> dict[int, list[Source]]:
    """The turns on record that each fact rests on, in the order spoken; facts without any are left out."""
    found: dict[int, list[Source]] = {}
    for fact, turn, uid in connection.execute(
        "SELECT evidence.attribute_id, turn.id, turn.uid FROM json_each(?)"
        " JOIN evidence ON evidence.attribute_id = json_each.value"
        " JOIN session ON session.key = evidence.session_key"
        " JOIN turn ON turn.uid = evidence.turn_uid AND turn.session_id = session.id"
        " WHERE evidence.turn_uid <> '' ORDER BY evidence.attribute_id, turn.id",
        (json.dumps(facts),),
    ):
        found.setdefault(fact, []).append(Source(turn, uid))
    return found


def contradictions_of(connection: sqlite3.Connection, facts: Sequence[int]) -> dict[int, tuple[Other, ...]]:
    """For each fact the facts that say otherwise, as long as nobody has decided; facts without any are left out."""
    found: dict[int, tuple[Other, ...]] = {}
    for fact, other, text in connection.execute(
        "WITH wanted (id) AS (SELECT value FROM json_each(?)), pair (id, other) AS ("
        " SELECT first_id, second_id FROM wanted JOIN contradiction ON first_id = wanted.id WHERE status = 'open' UNION"
        " SELECT second_id, first_id FROM wanted JOIN contradiction ON second_id = wanted.id WHERE status = 'open')"
        " SELECT pair.id, attribute.id, attribute.content FROM pair JOIN attribute ON attribute.id = pair.other"
        " WHERE attribute.status IN ('active', 'superseded') ORDER BY pair.id, attribute.id",
        (json.dumps(facts),),
    ):
        found[fact] = (*found.get(fact, ()), Other(f"a{other}", text))
    return found
