"""A difference between two points of the graph, entity by entity: as data, as text and as a picture."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from graphdream.shown import printable

MOST_TOLD = 50  # entities that the text spells out; JSON holds all of them
_SHOWN = 100  # characters of a fact in the text


@dataclass(frozen=True, slots=True)
class FactDiff:
    """What became of one fact.

    Attributes:
        what: added, superseded, absorbed, archived, restored, reworded, moved, changed or removed.
    """

    handle: str
    what: str
    content: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LinkDiff:
    """What became of one link. `what`: added, absorbed, archived, restored, redirected, changed or removed."""

    handle: str
    what: str
    source: str
    type: str
    target: str
    detail: str = ""


@dataclass(slots=True)
class EntityDiff:
    """What became of one entity and of what hangs on it.

    Attributes:
        handle: `e12`.
        name: at the later point, or the last one it had.
        type: likewise.
        fate: made, merged, archived, restored, removed, or changed where only something of it changed.
        into: handle of the entity it was merged into, or "".
        marks: what happened to the entity itself, in words.
        aspects: what happened to its aspects, in words.
        facts: what happened to its facts.
        links: what happened to the links that start here.
    """

    handle: str
    name: str
    type: str
    fate: str = "changed"
    into: str = ""
    marks: list[str] = field(default_factory=list)
    aspects: list[str] = field(default_factory=list)
    facts: list[FactDiff] = field(default_factory=list)
    links: list[LinkDiff] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Number of things that changed."""
        return len(self.marks) + len(self.aspects) + len(self.facts) + len(self.links)


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """The net difference between the graph after pass `before` and the graph after pass `after`; 0 is the empty graph.

    Attributes:
        before: number of the earlier pass.
        after: number of the later one.
        counts: "entities merged" -> number, and so on, in a fixed order.
        entities: those that changed, or with something of theirs changed; in order of id.
    """

    before: int
    after: int
    counts: dict[str, int]
    entities: tuple[EntityDiff, ...]

    def as_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return asdict(self)

    def text(self, *, most: int = MOST_TOLD) -> str:
        """The difference for a person: the counts, then the `most` entities that changed most, in order of id.

        A line each, with nothing in it that would steer a terminal.
        """
        lines = [f"pass {self.before} → pass {self.after}: the same graph"]
        if self.entities or self.counts:
            lines = [f"pass {self.before} → pass {self.after}: "]
            lines[0] += ", ".join(f"{what} {number:,}" for what, number in self.counts.items())
        told = set(map(id, sorted(self.entities, key=lambda entity: -entity.size)[:most]))
        for entity in self.entities:
            if id(entity) in told:
                lines.extend(_told(entity))
        if len(self.entities) > most:
            lines.append(f"… and {len(self.entities) - most} more entities (--json has all of them)")
        return "".join(printable(line) + "\n" for line in lines)

    def svg(self) -> str:
        """The difference as a picture (`graphdream.journal.picture`)."""
        from graphdream.journal.picture import picture

        return picture(self)


def _told(entity: EntityDiff) -> list[str]:
    lines = [f"{entity.handle} {entity.name}" + (f" ({entity.type})" if entity.type else "")]
    lines += [f"  {mark}" for mark in entity.marks]
    lines += [f"  aspect {aspect}" for aspect in entity.aspects]
    for fact in entity.facts:
        sign = {"added": "+", "restored": "+", "removed": "-", "archived": "-"}.get(fact.what, "~")
        lines.append(
            f"  {sign} {fact.handle} {fact.what}: {_short(fact.content)}"
            + (f"  [{_short(fact.detail)}]" if fact.detail else "")
        )
    for link in entity.links:
        lines.append(
            f"  → {link.handle} {link.what}: {link.type} {_short(link.target)}"
            + (f"  [{_short(link.detail)}]" if link.detail else "")
        )
    return lines


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
