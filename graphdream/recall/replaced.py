"""What was replaced is found by its own words, and answered with what stands now.

Whoever asks in the words of an older statement (`the blue backup drive`) is told what replaced it, though that may
share few of them. So a memory that was dreamed of answers what it answered before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

SHARE = 0.8
"""Of the score of what was replaced, that what stands now has by it: it answers the same question in other words, and
what has these words itself goes before."""
_LONGEST_CHAIN = 100

_STANDING = """
    WITH RECURSIVE chain (first, id, depth) AS (
        SELECT value, value, 0 FROM json_each(?1)
        UNION ALL
        SELECT first, coalesce(absorbed_into, superseded_by), depth + 1 FROM chain JOIN attribute USING (id)
        WHERE status <> 'active' AND coalesce(absorbed_into, superseded_by) IS NOT NULL AND depth < ?2)
    SELECT first, id FROM chain JOIN attribute USING (id) WHERE status = 'active'
"""


def standing(connection: sqlite3.Connection, facts: Iterable[int]) -> dict[int, int]:
    """Each fact -> the active one that says now what it said: itself, or the end of its chain of those that absorbed or
    replaced one another. One whose chain ends in what was archived is left out."""
    return dict(connection.execute(_STANDING, (json.dumps(sorted(facts)), _LONGEST_CHAIN)).fetchall())


def standing_for(connection: sqlite3.Connection, replaced: Mapping[int, float]) -> dict[int, float]:
    """The active facts that stand for some replaced ones.

    Args:
        replaced: score of each replaced fact.

    Returns:
        Fact -> the best score of what it replaced.
    """
    found: dict[int, float] = {}
    for first, fact in standing(connection, replaced).items() if replaced else ():
        found[fact] = max(found.get(fact, 0.0), replaced[first])
    return found
