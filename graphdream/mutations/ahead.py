"""What runs of mutations read ahead, with a few queries instead of some for each: shared by operations.

What is missed here is read when it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY, EVIDENCE, LINK, MENTION
from graphdream.mutations.bulk_rows import Values, WorkingRows


def facts_with_owners(rows: WorkingRows, facts: Iterable[int]) -> list[Values]:
    """Read facts with their aspects and entities. Returns the aspects."""
    found = rows.load(ATTRIBUTE, "id", facts)
    aspects = rows.load(ASPECT, "id", (fact["aspect_id"] for fact in found))
    rows.load(ENTITY, "id", (aspect["entity_id"] for aspect in aspects))
    return aspects


def links_with_ends(rows: WorkingRows, links: Iterable[int]) -> None:
    """Read links with the entities that they connect."""
    found = rows.load(LINK, "id", links)
    rows.load(ENTITY, "id", (end for link in found for end in (link["source_id"], link["target_id"]) if end))


def what_is_shared(rows: WorkingRows, facts: Iterable[int]) -> None:
    """Read what a fact gives to the one that absorbs it."""
    listed = list(facts)
    rows.bring(EVIDENCE, "attribute_id", listed)
    rows.bring(MENTION, "attribute_id", listed)


def repeated(rows: Sequence[Values], column: str) -> list[Values]:
    """The rows whose value another one has too."""
    count = Counter([row[column] for row in rows])
    return [row for row in rows if count[row[column]] > 1]
