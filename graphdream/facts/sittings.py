"""Sittings: what is told one after another without a session is told on one occasion, as in a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphdream.facts.model import Fact
from graphdream.facts.moments import days

_PAUSE_MINUTES = 25.5
"""Minutes without a word after which what is told next is told at another time. Source: Catledge and Pitkow,
"Characterizing browsing strategies in the World-Wide Web", 1995: how long people pause within a session."""
_DAY_MINUTES = 24 * 60


def in_sittings(facts: Sequence[Fact]) -> list[Fact]:
    """Facts, with its sitting as the session of each that was told by itself and without one.

    Lines of files and of other systems stay as they are: they have the time of a commit or of a row, which says nothing
    of when they were typed.
    """
    sitting = _sittings(fact.known_at for fact in facts if _is_told_alone(fact))
    return [replace(fact, session=sitting[fact.known_at]) if _is_told_alone(fact) else fact for fact in facts]


def _is_told_alone(fact: Fact) -> bool:
    return not fact.session and not fact.source and bool(fact.known_at)


def _sittings(moments: Iterable[str]) -> dict[str, str]:
    """When something was told -> its sitting, which is named after its first moment."""
    out: dict[str, str] = {}
    before, sitting = float("-inf"), ""
    for at, moment in sorted((days(moment), moment) for moment in set(moments)):
        if (at - before) * _DAY_MINUTES > _PAUSE_MINUTES:
            sitting = f"told from {moment}"
        before = at
        out[moment] = sitting
    return out
