"""The graph as a model reads it: one line a row, handles first, a fraction of the tokens of the same rows as JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphdream.dreamers.gathered import Gathered, SeenEntity, SeenFact, SeenLink

MOST_ALIASES = 8  # other names of an entity that a card lists; the rest is counted
_DAY = len("2026-04-01")
LEGEND = (
    "eN name (type; marks) = other names; then one line for each aspect, below it its facts as `aN day: text`,"
    " `!` marks a constraint; `lN type > eN name` is a link"
)


def one_line(text: str) -> str:
    """A text on one line, so that nothing in it can pass for a row of its own."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Card:
    """What is shown of one entity. `text` ends in a line break; `hidden` counts facts that it does not show."""

    entity_id: int
    text: str
    hidden: int = 0


class GraphText:
    """Cards of the entities of a view.

    Args:
        gathered: the view.
        names: names of entities outside the view, for links that lead there.
    """

    def __init__(self, gathered: Gathered, names: dict[int, str] | None = None) -> None:
        self._entities = {entity.id: entity for entity in gathered.entities}
        self._names = {**(names or {}), **{entity.id: entity.name for entity in gathered.entities}}
        self._facts: dict[int, list[SeenFact]] = defaultdict(list)
        for fact in gathered.facts:
            self._facts[fact.entity_id].append(fact)
        self._links: dict[int, list[SeenLink]] = defaultdict(list)
        for link in gathered.links:
            self._links[link.source_id].append(link)

    def __contains__(self, entity_id: int) -> bool:
        return entity_id in self._entities

    def card(self, entity_id: int, *, most_facts: int | None = None, links: bool = True) -> Card:
        """The card of an entity of the view.

        Args:
            most_facts: show at most so many facts, constraints and the newest first; None: all.
            links: show its links, too.
        """
        facts = self._facts[entity_id]
        shown = facts if most_facts is None or len(facts) <= most_facts else _foremost(facts, most_facts)
        lines = [head_line(self._entities[entity_id]), *_fact_lines(shown)]
        hidden = len(facts) - len(shown)
        if hidden:
            lines.append(f"... {hidden} more")
        if links:
            lines += [_link_line(link, self._names) for link in self._links[entity_id]]
        return Card(entity_id, "\n".join(lines) + "\n", hidden)

    def whole(self) -> str:
        """Every card, in the order of the handles."""
        return "".join(self.card(entity_id).text for entity_id in sorted(self._entities))


def head_line(entity: SeenEntity) -> str:
    """Handle, name, type, marks and other names of an entity."""
    marks = "; pinned" if entity.pinned else ""
    line = f"e{entity.id} {one_line(entity.name)} ({one_line(entity.type)}{marks})"
    aliases = [one_line(alias) for alias in entity.aliases[:MOST_ALIASES]]
    if len(entity.aliases) > MOST_ALIASES:
        aliases.append(f"{len(entity.aliases) - MOST_ALIASES} more")
    return line + (f" = {'; '.join(aliases)}" if aliases else "")


def fact_line(fact: SeenFact) -> str:
    """Handle, day of learning and text of a fact."""
    mark = "!" if fact.kind == "constraint" else ""
    day = f" {fact.known_at[:_DAY]}" if fact.known_at else ""
    return f"a{fact.id}{mark}{day}: {one_line(fact.content)}"


def _fact_lines(facts: Sequence[SeenFact]) -> Iterable[str]:
    by_aspect: dict[str, list[SeenFact]] = defaultdict(list)
    for fact in facts:
        by_aspect[fact.aspect].append(fact)
    for aspect, group in by_aspect.items():
        yield f"{one_line(aspect)}:"
        yield from map(fact_line, group)


def _foremost(facts: Sequence[SeenFact], count: int) -> list[SeenFact]:
    ranked = sorted(facts, key=lambda fact: fact.id, reverse=True)
    ranked.sort(key=lambda fact: fact.known_at, reverse=True)
    ranked.sort(key=lambda fact: fact.kind != "constraint")
    return sorted(ranked[:count], key=lambda fact: fact.id)


def _link_line(link: SeenLink, names: dict[int, str]) -> str:
    if link.target_id is None:
        return f"l{link.id} {one_line(link.type)} > nothing"
    name = names.get(link.target_id)
    return f"l{link.id} {one_line(link.type)} > e{link.target_id}" + (f" {one_line(name)}" if name else "")
