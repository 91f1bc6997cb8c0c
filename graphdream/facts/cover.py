"""Cover: whether one text says all that another does, so that it can stand for it."""

from __future__ import annotations

from functools import lru_cache

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
