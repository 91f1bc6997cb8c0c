"""Cover: whether one text says all that another does, so that it can stand for it (FEATURES E8)."""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.graph.names import canonical_text
from graphdream.mutations.grounding import dates_among, lost_specifics


def telling_dates(source: str, replacement: str) -> tuple[str, ...]:
    """The dates that a duplicate has and its survivor lacks: they belong to the telling ("as of May")."""
    if canonical_text(source) == canonical_text(replacement):
        return ()
    return tuple(sorted(dates_among(lost_specifics((source,), replacement, ()), (source,))))


def covers(replacement: str, source: str, names: Sequence[str]) -> bool:
    """Whether a text has every name, number and identifier of another; its subject's own `names` do not count."""
    return lost_specifics((source,), replacement, names) <= set(telling_dates(source, replacement))
