"""Is a sentence known already, in other words? Then the fact that says so was seen again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from graphdream.dreamers.gathered import Gathered, SeenEntity, SeenFact
from graphdream.dreamers.reading.evidence_turns import content_words
from graphdream.facts import Fact, Subject, consolidate

LEAST_SHARED = 0.5  # of the fewer content words; texts that share less are not compared
_NEW = 0  # id of the sentence among the facts it is compared with


class Known:
    """The facts of the entities that the sessions speak of, the newest of each."""

    def __init__(self, gathered: Gathered) -> None:
        around = gathered.around
        self._entities = {entity.id: entity for entity in around.entities} if around is not None else {}
        self._facts: dict[int, list[SeenFact]] = defaultdict(list)
        for fact in around.facts if around is not None else ():
            self._facts[fact.entity_id].append(fact)

    def saying(self, text: str, entity_id: int) -> int | None:
        """Id of the fact of an entity that says the same as a text, None where none does."""
        entity = self._entities.get(entity_id)
        said = content_words(text)
        near = [fact for fact in self._facts[entity_id] if _share(said, content_words(fact.content)) >= LEAST_SHARED]
        return _same(near, entity, text) if entity is not None and near else None


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _same(near: Sequence[SeenFact], entity: SeenEntity, text: str) -> int | None:
    facts = [
        Fact(
            id=fact.id, entity=entity.id, content=fact.content, aspect=fact.aspect, kind=fact.kind,
            known_at=fact.known_at, source=fact.source, session=fact.session or None, confidence=fact.confidence,
            protected=True,
        )
        for fact in near
    ]  # fmt: skip
    fresh = Fact(
        id=_NEW, entity=entity.id, content=text, aspect=near[0].aspect, kind="attribute", known_at="9999", source="",
        session=None, confidence=1.0, protected=False,
    )  # fmt: skip
    subject = Subject(entity.id, (entity.name, *entity.aliases), entity.type, pinned=entity.pinned)
    found = consolidate([*facts, fresh], [subject])
    return next((survivor for loser, survivor, _ in found.duplicates if loser == _NEW), None)
