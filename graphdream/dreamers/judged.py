"""Views as the judge of facts sees them: facts and what they are about, plain records without a database."""

from __future__ import annotations

from graphdream.dreamers.gathered import Gathered, SeenFact
from graphdream.facts import Fact, Subject


class JudgedFacts:
    """The facts of views of one graph as they are judged; a row that is the same in two views is the same fact.

    Args:
        began: the graph as it is now; what hangs on a pinned entity in it is protected.
    """

    def __init__(self, began: Gathered) -> None:
        self._pinned = {entity.id for entity in began.entities if entity.pinned}
        self._own = {fact.id: fact.entity_id for fact in (*began.facts, *(past.fact for past in began.past))}
        self._made: dict[int, tuple[SeenFact, Fact]] = {}

    def of(self, view: Gathered) -> list[Fact]:
        """Those of a view."""
        rows = [(fact, "active") for fact in view.facts] + [(past.fact, past.status) for past in view.past]
        return [self._fact(seen, status) for seen, status in rows]

    def _fact(self, seen: SeenFact, status: str) -> Fact:
        known = self._made.get(seen.id)
        if known is not None and known[0] is seen and known[1].status == status:
            return known[1]
        own = self._own[seen.id]
        fact = Fact(
            id=seen.id,
            entity=seen.entity_id,
            content=seen.content,
            aspect=seen.aspect,
            kind=seen.kind,
            known_at=seen.known_at,
            source=seen.source,
            session=seen.session or None,
            confidence=seen.confidence,
            protected=status == "active" and (seen.kind == "constraint" or own in self._pinned),
            own_entity=own,
            last_at=seen.last_at,
            successor=seen.successor,
            instead_of=seen.instead_of,
            authority=seen.authority,
            status=status,
        )
        self._made[seen.id] = seen, fact
        return fact


def subjects_of(view: Gathered) -> list[Subject]:
    """The entities of a view as what the facts are about."""
    return [
        Subject(
            id=entity.id,
            names=(entity.name, *entity.aliases),
            type=entity.type,
            pinned=entity.pinned,
            neighbors=entity.neighbors,
        )
        for entity in view.entities
    ]
