"""Times that a question names: a day, a month or a year becomes a window to look in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from graphdream.language.calendar import MONTHS
from graphdream.recall.words import split

_MONTHS = {name: number for number, name in enumerate(MONTHS, 1)}
_AMBIGUOUS = frozenset({"may", "march"})  # a verb, too: a month only beside a number or a word that leads to a time
_LEADS = frozenset("in of on since until till during by before after around last this next late early mid from".split())
# People tell of things afterwards: what was said up to so many days after a time counts for that share.
AFTER_DAYS = 30
AFTER_WINDOW = 0.5

_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")


class Window(NamedTuple):
    """Days from `start` up to but not including `end`, both `2026-04-01`."""

    start: str
    end: str


def names_month(question: str) -> bool:
    """Whether a text may name a month; the years of the memory matter to no other."""
    return not _MONTHS.keys().isdisjoint(split(question))


def windows(question: str, years: Sequence[int]) -> tuple[list[Window], set[str]]:
    """The times a question names.

    Args:
        question: its text.
        years: years that the memory reaches over; a month without a year is looked for in each of them.

    Returns:
        The windows, in order, and the words that named them (in lower case): they say when, not what.
    """
    found: dict[Window, None] = {}
    used: set[str] = set()
    for year, month, day in _ISO.findall(question):
        if window := _window(int(year), int(month), int(day) if day else None):
            found[window] = None
            used.update(part for part in (year, month, day) if part)
    words = split(question)
    for at, word in enumerate(words):
        if word in _MONTHS and _is_month(words, at):
            year, day, spent = _around(words, at)
            used |= {word, *spent}
            for candidate in [year] if year else years:
                if window := _window(candidate, _MONTHS[word], day):
                    found[window] = None
    if not found:
        for word in words:
            if _YEAR.fullmatch(word):
                used.add(word)
                found[Window(f"{word}-01-01", f"{int(word) + 1}-01-01")] = None
    return list(found), used


def within(times: Sequence[Window], moment: str) -> float:
    """How well a moment fits some times: 1 within one of them, AFTER_WINDOW up to AFTER_DAYS after it, else 0."""
    best = 0.0
    for window in times:
        if window.start <= moment < window.end:
            return 1.0
        if moment >= window.end and _days(window.end, moment) < AFTER_DAYS:
            best = AFTER_WINDOW
    return best


def _days(earlier: str, later: str) -> int:
    """Days from one to the other; more than any window has where one is no date, which only who forges a row writes."""
    try:
        return (date.fromisoformat(later[:10]) - date.fromisoformat(earlier[:10])).days
    except ValueError:
        return date.max.toordinal()


def _is_month(words: Sequence[str], at: int) -> bool:
    if words[at] not in _AMBIGUOUS:
        return True
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    return before in _LEADS or before[:1].isdigit() or after[:1].isdigit()


def _around(words: Sequence[str], at: int) -> tuple[int | None, int | None, set[str]]:
    """Year and day beside a month: `13 October 2023`, `October 13th, 2023`, `the 13th of October`."""
    year = day = None
    spent = set()
    for word in words[at + 1 : at + 3]:
        if _YEAR.fullmatch(word):
            year = int(word)
            spent.add(word)
            break
    before = words[at - 1] if at else ""
    if before == "of" and at > 1:
        before = words[at - 2]
    for word in (before, words[at + 1] if at + 1 < len(words) else ""):
        named = _DAY.fullmatch(word)
        if named and 1 <= int(named[1]) <= 31:
            day = int(named[1])
            spent.add(word)
            break
    return year, day, spent


def _window(year: int, month: int, day: int | None) -> Window | None:
    try:
        if day is not None:
            start = date(year, month, day)
            end = start + timedelta(days=1)
        else:
            start, end = date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)
    except (ValueError, OverflowError):  # the day after the last of the calendar is none
        return None
    return Window(start.isoformat(), end.isoformat())
