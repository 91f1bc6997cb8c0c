"""The tables of the graph, in the order in which rows can be made (parents first).

The column order is that of the migrations; the journal writes whole rows as arrays in this order, and names a column
by its place in it, so a new column comes last. What most rows leave as it is stands at the end, because the journal
leaves that out (`graphdream.graph.rowtext`).
`version` is left out: it says when a row changed, not what it says, so it is no part of the graph's state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

INSTEAD_OF = "instead_of"
"""Key in the metadata of a fact from a file: the `uid` of the one whose line an edit of the file put it in place of."""


class Table(NamedTuple):
    """One table of the graph.

    Attributes:
        kind: its number in the journal; never reused.
        name: its name in SQL.
        columns: all columns but `version`, in order, `id` first.
        refers: column -> table it points at.
        tail: what the last columns hold in a row that says nothing of them, as the journal takes it for granted: what
            is here once stays, whatever a later migration makes of a default.
        prefix: letter of its handles (`e12`), or "" where rows have none.
    """

    kind: int
    name: str
    columns: tuple[str, ...]
    refers: dict[str, str]
    tail: tuple[Any, ...] = ()
    prefix: str = ""

    def place(self, column: str) -> int:
        """Where a column stands, `id` at 0."""
        return self.columns.index(column)


ENTITY = Table(
    1, "entity",
    ("id", "uid", "name", "canonical", "type", "first_seen", "last_seen", "sessions",
     "mentions", "importance", "pinned", "derived", "metadata", "status", "absorbed_into", "status_reason"),
    {"absorbed_into": "entity"},
    ("[]", 0, 0.5, 0, 0, "{}", "active", None, ""), "e",
)  # fmt: skip
ALIAS = Table(2, "alias", ("id", "entity_id", "name", "canonical", "source"), {"entity_id": "entity"}, ("",))
ASPECT = Table(
    3, "aspect",
    ("id", "uid", "entity_id", "name", "canonical",
     "first_seen", "weight", "metadata", "status", "absorbed_into", "status_reason"),
    {"entity_id": "entity", "absorbed_into": "aspect"},
    (None, 0.5, "{}", "active", None, ""), "s",
)  # fmt: skip
ATTRIBUTE = Table(
    4, "attribute",
    ("id", "uid", "aspect_id", "content", "digest", "confidence", "authority", "first_seen", "last_seen",
     "session_key", "source", "importance", "tags", "metadata", "reinforcement", "kind", "derived", "slot",
     "valid_from", "valid_to", "occurred_at", "time_precision", "review_after", "status", "superseded_by",
     "absorbed_into", "status_reason"),
    {"aspect_id": "aspect", "superseded_by": "attribute", "absorbed_into": "attribute"},
    (None, "", 0.5, "[]", "{}", 1, "attribute", 0, None, None, None, None, None, None, "active", None, None, ""), "a",
)  # fmt: skip
LINK = Table(
    5, "link",
    ("id", "uid", "source_id", "target_id", "type", "confidence", "strength", "first_seen", "last_seen",
     "session_key", "reason", "metadata", "reinforcement", "derived", "target_ref", "status", "absorbed_into",
     "status_reason"),
    {"source_id": "entity", "target_id": "entity", "absorbed_into": "link"},
    (0.8, 0.5, None, None, None, "", "{}", 1, 0, "", "active", None, ""), "l",
)  # fmt: skip
MENTION = Table(6, "mention", ("id", "attribute_id", "entity_id"), {"attribute_id": "attribute", "entity_id": "entity"})
EVIDENCE = Table(
    7, "evidence", ("id", "attribute_id", "session_key", "turn_uid", "quote", "seen_at"),
    {"attribute_id": "attribute"}, ("", "", None),
)  # fmt: skip
DISTINCT_PAIR = Table(
    8, "distinct_pair", ("id", "first_id", "second_id", "reason"), {"first_id": "entity", "second_id": "entity"}, ("",)
)
CONTRADICTION = Table(
    9, "contradiction", ("id", "first_id", "second_id", "slot", "status", "resolution"),
    {"first_id": "attribute", "second_id": "attribute"}, ("", "open", ""),
)  # fmt: skip

TABLES = (ENTITY, ALIAS, ASPECT, ATTRIBUTE, LINK, MENTION, EVIDENCE, DISTINCT_PAIR, CONTRADICTION)
BY_NAME = {table.name: table for table in TABLES}
BY_KIND = {table.kind: table for table in TABLES}
BY_PREFIX = {table.prefix: table for table in TABLES if table.prefix}
