"""Tellings: on which occasions a thing was said. What was told when is the strongest sign of a change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from graphdream.facts.model import Fact
from graphdream.facts.moments import days


@dataclass(frozen=True, slots=True)
class Told:
    """When one thing was told: days since 1970 of the first and last time; `occasions`: sessions and moments."""

    first: float
    last: float
    times: int
    occasions: frozenset[str]

    def before(self, other: Told) -> bool:
        """Whether the other was first told when this had been told for the last time, at another occasion."""
        return self.last < other.first and self.occasions.isdisjoint(other.occasions)


def _occasions(fact: Fact) -> tuple[str, ...]:
    again = (fact.last_at,) if fact.last_at > fact.known_at else ()
    return (fact.known_at, fact.session, *again) if fact.session else (fact.known_at, *again)


class Tellings:
    """When each statement was told.

    Args:
        told: of each statement.
    """

    def __init__(self, told: Sequence[Told]) -> None:
        self._of = told

    def __getitem__(self, at: int) -> Told:
        return self._of[at]

    def joined(self, places: Iterable[int]) -> Told:
        """When the one thing that several statements say was told."""
        parts = [self._of[at] for at in places]
        if len(parts) == 1:
            return parts[0]
        return Told(
            min(part.first for part in parts),
            max(part.last for part in parts),
            sum(part.times for part in parts),
            frozenset().union(*(part.occasions for part in parts)),
        )


def told_by(facts: Iterable[Fact], times: Iterable[str]) -> Told:
    """When a thing was told that some facts say.

    Args:
        facts: who says it.
        times: when each of them held, ISO 8601.
    """
    moments = [days(time) for time in times]
    return Told(min(moments), max(moments), len(moments), frozenset(chain.from_iterable(map(_occasions, facts))))
