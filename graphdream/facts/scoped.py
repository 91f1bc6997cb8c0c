"""Whether a newer statement gives another answer for a part alone: `parking costs 4 euros`, `6 euros for buses now`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import DATE, MEASURED, NAME, TYPED, Reading
from graphdream.facts.telling import has_form_of, kind_told, places, tells
from graphdream.facts.words import FROM_NOW_ON, FUNCTION_WORDS, LEADS_FROM, OF, PRONOUNS, RESTRICTIONS
from graphdream.language.calendar import is_time_unit, is_weekday
from graphdream.language.classes import closed_class

_WHERE = closed_class("where") - PRONOUNS  # Polish `we`
_LEADS_IN = FUNCTION_WORDS - LEADS_FROM


@lru_cache(maxsize=50_000)
def is_of_a_part_alone(before: Reading, after: Reading) -> bool:
    """Whether the newer lacks something that the older says, and says of itself that it is so on a day of the week; or
    has another figure, and words of its own that something leads in to (`for buses`, `during the holidays`, `in den
    Ferien`). Nothing shows that the older is over for all others.

    A unit of time (`560 euros a month`) belongs to the figure, and what a mark sets off is said besides.
    """
    over = [at for at in _telling(before) if not has_form_of(after, (before.words[at],))]
    anew = [at for at in _telling(after) if not has_form_of(before, (after.words[at],))]
    if not over or not anew:
        return False
    if any(is_weekday(after.words[at]) and after.words[at - 1] not in RESTRICTIONS for at in anew):
        return not any(kind_told(kind, word) == DATE for kind, word in places(before))
    figures = [at for at in anew if after.shape[at] in MEASURED]
    if not figures or before.shape[over[0]] not in MEASURED:
        return False
    end = next((mark for mark in sorted(after.marks) if mark > figures[0]), len(after.words))
    return any(_narrows(after, at, figures[0]) for at in anew if at < end and at not in figures)


def _narrows(after: Reading, at: int, figure: int) -> bool:
    """Whether a word of the newer is led in to, and tells for whom, where or when the figure is so. Before the figure
    it may be a verb, which an auxiliary leads in to (`is set at 9`), so an adposition has to stand before it; and
    right before it, it is what the figure is of (`at version 6`)."""
    if is_time_unit(after.words[at]) or after.shape[at] in TYPED - {NAME}:
        return False
    first = at
    while first > 0 and after.words[first - 1] in _LEADS_IN:
        first -= 1
    led_in = after.words[first:at]
    if not led_in or led_in[0] in OF:
        return False  # `56 percent of members`
    return at > figure or (at + 1 < figure and not _WHERE.isdisjoint(led_in))


def _telling(one: Reading) -> list[int]:
    """Places of what tells something, but for what is of now."""
    return [at for at, (kind, word) in enumerate(places(one)) if tells(kind, word) and word not in FROM_NOW_ON]
