"""Whether a newer statement tells that something moved from one day to another, and the older says neither day."""

from __future__ import annotations

from graphdream.facts.pairreadings import led_in
from graphdream.facts.reading import DATE, Reading
from graphdream.facts.telling import leads_from, places

_FROM_AND_TO = 2
"""Days in a telling of from when to when something moved."""


def moved_another(before: Reading, after: Reading) -> bool:
    """Whether the newer tells from which day to which something moved, and the older has neither: `the club meets on 12
    January`, then `the meeting moved from 3 June to 10 June`. What happens more than once moves one time of it."""
    days, others = _days(before), _days(after)
    from_and_to = len(others) >= _FROM_AND_TO and not _days_over(after).isdisjoint(others)
    return from_and_to and bool(days) and days.isdisjoint(others)


def _days(one: Reading) -> frozenset[str]:
    return frozenset(word for kind, word in places(one) if kind == DATE)


def _days_over(one: Reading) -> frozenset[str]:
    """The days that a statement leads in as over, and other words that it does."""
    leads = leads_from(one.words)
    return led_in(one.words) | {word for at, word in enumerate(one.words[1:]) if one.words[at] in leads}
