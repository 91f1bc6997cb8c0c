"""Which documents fit a question best by the weights of its terms alone: a first look at thousands, in few steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphdream.recall.postings import Occurrences


def add_strength(
    strength: dict[int, float], weights: Sequence[float], found: Sequence[Occurrences], *, in_part: bool = False
) -> None:
    """Add to each document the weights of the terms that occur in it.

    Args:
        weights: of each term.
        found: for each term its occurrences.
        in_part: what counts less than once (kin, or a word of a path) adds as much less.
    """
    for weight, occurrences in zip(weights, found, strict=True):
        if not occurrences:
            continue
        if not in_part or min(occurrences.values()) >= 1.0:
            added = dict.fromkeys(occurrences, weight)
        else:
            added = {document: weight * min(times, 1.0) for document, times in occurrences.items()}
        both = strength.keys() & added.keys()  # few: most documents hold one term
        added.update({document: strength[document] + added[document] for document in both})
        strength.update(added)


def strongest(strength: Mapping[int, float], number: int) -> list[int]:
    """The documents with the highest strength, best first; among equals the newest."""
    documents: list[int] | Mapping[int, float] = strength
    if len(strength) > number:
        least = sorted(strength.values(), reverse=True)[number - 1]
        documents = [document for document, value in strength.items() if value >= least]
    return sorted(documents, key=lambda document: (strength[document], document), reverse=True)[:number]
