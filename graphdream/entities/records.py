"""One entity as the resolver sees it: a name, what is said of it, and what it is linked with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One row that may be another row's duplicate.

    Attributes:
        id: unique among the records of one call; opaque.
        name: surface name as it was extracted, never pre-normalised.
        type: kind of entity, "" if unknown; types are weak evidence because they drift.
        attributes: texts about the entity: facts, source sentences, or `key: value`.
        neighbors: names of the entities that it is linked with.
        aliases: further names that it is already known to bear.
        pinned: a person protected it: it is never folded into another pinned record.
    """

    id: str
    name: str
    type: str = ""
    attributes: tuple[str, ...] = ()
    neighbors: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    pinned: bool = False
