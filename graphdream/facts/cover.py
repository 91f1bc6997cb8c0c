"""Cover: whether one text says all that another does, so that it can stand for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from graphdream.facts.words import DANGLING
from graphdream.graph.names import canonical_text
from graphdream.mutations.grounding import dates_among, lost_specifics


def telling_dates(source: str, replacement: str) -> tuple[str, ...]:
    """The dates that a duplicate has and its survivor lacks: they belong to the telling ("as of May")."""
    if canonical_text(source) == canonical_text(replacement):
        return ()
    return tuple(sorted(dates_among(lost_specifics((source,), replacement, ()), (source,))))


@lru_cache(maxsize=200_000)
def covers(replacement: str, source: str, names: tuple[str, ...]) -> bool:
    """Whether a text has every name, number and identifier of another; its subject's own `names` do not count.

    Kept: a group asks to find its survivor, whoever proposes the merge asks again, and so does every look of a pass.
    """
    return lost_specifics((source,), replacement, names) <= set(telling_dates(source, replacement))


def breaks_off(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a text stops inside a word of another, or at one that nothing ends with: `the port is`."""
    if not one or one[-1] in DANGLING:
        return True
    before, last = one[-2:-1], one[-1]
    after = (word for at, word in enumerate(other) if other[max(0, at - 1) : at] == before)
    return any(word.startswith(last) and word != last for word in after)
