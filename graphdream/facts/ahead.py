"""Reading ahead: what facts show by themselves, worked out before it is known who is who."""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.facts.changes import may_tell
from graphdream.facts.frames import frames
from graphdream.facts.holders import word_set
from graphdream.facts.junk import has_words, is_reference, text_signs
from graphdream.facts.model import Fact, Subject
from graphdream.facts.questions import answers
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.statements import StatementMaker
from graphdream.facts.told import former_places


def read_ahead(facts: Sequence[Fact], subjects: Sequence[Subject], memory: ReadingMemory) -> None:
    """Read facts whose entities are not resolved yet, for a `consolidate` that will have them resolved.

    It finds the same with and without this. All that is called here keeps its answers, and most of them do not hang on
    who is who, so that they can be worked out while that is worked out elsewhere.

    Args:
        facts: as for `consolidate`.
        subjects: the entities as they are.
        memory: the one that `consolidate` will be given.
    """
    for statement in StatementMaker(facts, subjects, memory).make(facts):
        reading = statement.reading
        has_words(reading.words)
        is_reference(reading)
        may_tell(reading)
        former_places(reading)
        answers(reading)
        frames(reading, statement.facts[0].content)
    for fact in facts:
        text_signs(fact.content)
        word_set(fact.content)
