"""What is known of entities beside their facts: names and aliases, and the verdicts that two are not one."""

from __future__ import annotations

from typing import NamedTuple

from graphdream.graph.names import canonical
from graphdream.graph.tables import ALIAS, DISTINCT_PAIR
from graphdream.mutations.context import Applying

UNTYPED = frozenset({"", "unknown"})
_TAKEN_BACK = "a merge of them was taken back"


class Verdict(NamedTuple):
    """An entity was judged not to be another one: `id` of the pair or of the rejection that says so."""

    id: int
    other: int
    reason: str


def verdicts_on(applying: Applying, entity_id: int) -> list[Verdict]:
    """What an entity is distinct from, or was wrongly merged with once."""
    pairs = applying.rows.where
    return [
        *(Verdict(row["id"], row["second_id"], row["reason"]) for row in pairs(DISTINCT_PAIR, first_id=entity_id)),
        *(Verdict(row["id"], row["first_id"], row["reason"]) for row in pairs(DISTINCT_PAIR, second_id=entity_id)),
        *(Verdict(id_, other, _TAKEN_BACK) for other, id_ in applying.rejected(entity_id).items()),
    ]


def keep_apart(applying: Applying, first: int, second: int, reason: str) -> bool:
    """Put on record that two entities are not one. Returns whether that is news."""
    low, high = sorted((first, second))
    if applying.rows.where(DISTINCT_PAIR, first_id=low, second_id=high):
        return False
    applying.rows.make(DISTINCT_PAIR, first_id=low, second_id=high, reason=reason)
    return True


def keep_name(applying: Applying, entity_id: int, name: str, source: str) -> bool:
    """Keep a further name of an entity. Returns whether that is news."""
    known = applying.connection.execute(
        "SELECT 1 FROM alias WHERE entity_id = ? AND name = ?", (entity_id, name)
    ).fetchone()
    if known is None:
        applying.rows.make(ALIAS, entity_id=entity_id, name=name, canonical=canonical(name), source=source)
    return known is None
