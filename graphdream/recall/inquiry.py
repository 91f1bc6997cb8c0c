"""One question put to the memory: what was read out of it, and what each of its terms weighs there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graphdream.recall.postings import Matches, rarity
from graphdream.recall.question import Question


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What every ranking needs to know.

    Attributes:
        weights: rarity of each of the question's terms, among the documents of all indexes that were searched, so that
            their scores can be compared.
        mass: sum of the weights of the terms that occur anywhere; what speaks for a result beside its words is a share
            of it, so that no such thing outweighs the words of a longer question.
        limit: how many results are wanted.
        as_of: a moment in the past that is asked about, or None for now.
        scale: by which weights of an index alone were multiplied (`within`); other weights beside them are, too.
        passed_over: handles of what an index found and a row keeps out of the answer, as one that says that the fact
            was put aside; to be looked at, since a row that was forged hides a fact in this way. Rankings add to it.
    """

    question: Question
    weights: tuple[float, ...]
    mass: float
    limit: int
    as_of: str | None = None
    scale: float = 1.0
    passed_over: set[str] = field(default_factory=set)

    def within(self, index: Matches) -> Inquiry:
        """The question weighed by what one index alone holds of its terms, on the same scale.

        What another index holds changes all scores by one factor then, and the order of none.
        """
        frequencies = index.frequency
        weights = [rarity(index.documents, frequency) for frequency in frequencies]
        held = sum(weight for weight, frequency in zip(weights, frequencies, strict=True) if frequency)
        before = sum(weight for weight, frequency in zip(self.weights, frequencies, strict=True) if frequency)
        if not held:
            return self
        scale = before / held
        return replace(self, weights=tuple(weight * scale for weight in weights), mass=before, scale=scale)


def inquire(question: Question, indexes: Sequence[Matches], *, limit: int, as_of: str | None = None) -> Inquiry:
    """Weigh a question's terms by what the indexes hold of them; at least one index."""
    documents = sum(index.documents for index in indexes)
    frequencies = [sum(counts) for counts in zip(*(index.frequency for index in indexes), strict=True)]
    weights = tuple(rarity(documents, frequency) for frequency in frequencies)
    held = sum(weight for weight, frequency in zip(weights, frequencies, strict=True) if frequency)
    return Inquiry(question, weights, held or 1.0, limit, as_of)
