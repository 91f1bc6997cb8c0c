"""The tables of the graph, in the order in which rows can be made (parents first).

The column order is that of the migrations; the journal writes whole rows as arrays in this order.
`version` is left out: it says when a row changed, not what it says, so it is no part of the graph's state.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the graph.

    Attributes:
        kind: its number in the journal; never reused.
        name: its name in SQL.
        columns: all columns but `version`, in order, `id` first.
        refers: column -> table it points at.
        prefix: letter of its handles (`e12`), or "" where rows have none.
    """

    kind: int
    name: str
    columns: tuple[str, ...]
    refers: dict[str, str]
    prefix: str = ""


ENTITY = Table(
    1, "entity",
    ("id", "uid", "name", "canonical", "type", "pinned", "importance", "mentions", "status", "absorbed_into",
     "status_reason", "first_seen", "last_seen", "sessions", "derived", "metadata"),
    {"absorbed_into": "entity"}, "e",
)  # fmt: skip
ALIAS = Table(2, "alias", ("id", "entity_id", "name", "canonical", "source"), {"entity_id": "entity"})
ASPECT = Table(
    3, "aspect",
    ("id", "uid", "entity_id", "name", "canonical", "weight", "status", "absorbed_into", "status_reason",
     "first_seen", "metadata"),
    {"entity_id": "entity", "absorbed_into": "aspect"}, "s",
)  # fmt: skip
ATTRIBUTE = Table(
    4, "attribute",
    ("id", "uid", "aspect_id", "content", "digest", "kind", "status", "superseded_by", "absorbed_into",
     "status_reason", "slot", "confidence", "importance", "tags", "metadata", "authority", "derived", "session_key",
     "source", "first_seen", "last_seen", "reinforcement", "valid_from", "valid_to", "occurred_at",
     "time_precision", "review_after"),
    {"aspect_id": "aspect", "superseded_by": "attribute", "absorbed_into": "attribute"}, "a",
)  # fmt: skip
LINK = Table(
    5, "link",
    ("id", "uid", "source_id", "target_id", "target_ref", "type", "strength", "confidence", "reason", "status",
     "absorbed_into", "status_reason", "session_key", "first_seen", "last_seen", "reinforcement", "derived",
     "metadata"),
    {"source_id": "entity", "target_id": "entity", "absorbed_into": "link"}, "l",
)  # fmt: skip
MENTION = Table(6, "mention", ("id", "attribute_id", "entity_id"), {"attribute_id": "attribute", "entity_id": "entity"})
EVIDENCE = Table(
    7, "evidence", ("id", "attribute_id", "session_key", "turn_uid", "quote", "seen_at"),
    {"attribute_id": "attribute"},
)  # fmt: skip
DISTINCT_PAIR = Table(
    8, "distinct_pair", ("id", "first_id", "second_id", "reason"), {"first_id": "entity", "second_id": "entity"}
)
CONTRADICTION = Table(
    9, "contradiction", ("id", "first_id", "second_id", "slot", "status", "resolution"),
    {"first_id": "attribute", "second_id": "attribute"},
)  # fmt: skip

TABLES = (ENTITY, ALIAS, ASPECT, ATTRIBUTE, LINK, MENTION, EVIDENCE, DISTINCT_PAIR, CONTRADICTION)
BY_NAME = {table.name: table for table in TABLES}
BY_KIND = {table.kind: table for table in TABLES}
BY_PREFIX = {table.prefix: table for table in TABLES if table.prefix}
