"""Reading ahead: what facts show by themselves, worked out before it is known who is who."""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.facts.asked import answers_around_values
from graphdream.facts.bags import units_of
from graphdream.facts.emptiness import written
from graphdream.facts.model import Fact, Subject
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.statements import StatementMaker
from graphdream.language.labels import label_of


def read_ahead(facts: Sequence[Fact], subjects: Sequence[Subject], memory: ReadingMemory) -> None:
    """Read facts whose entities are not resolved yet, for a `consolidate` that will have them resolved.

    It finds the same with and without this. Most readings, and what follows from a reading or a text alone, do not
    hang on who is who, so that they can be worked out while that is worked out elsewhere. Each function keeps what it
    has worked out.

    Args:
        facts: as for `consolidate`.
        subjects: the entities as they are.
        memory: the one that `consolidate` will be given.
    """
    for statement in StatementMaker(facts, subjects, memory).make(facts):
        units_of(statement.reading)
        answers_around_values(statement.reading)
        written(statement.facts[0].content)
        label_of(statement.facts[0].content)
