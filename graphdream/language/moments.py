"""A time that a sentence speaks of: a day, a month or a year."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal, NamedTuple

Unit = Literal["year", "month", "day"]
_HALF_A_YEAR = timedelta(days=183)


class Moment(NamedTuple):
    """A time: its first day, and how exactly it is known."""

    first: date
    precision: Unit


def moved(today: date, unit: str, by: int) -> Moment | None:
    """The time that is so many days, weeks, months or years from a day; None where no calendar has it."""
    try:
        if unit in ("day", "week"):
            return Moment(today + timedelta(days=by * (7 if unit == "week" else 1)), "day")
        months = today.year * 12 + today.month - 1 + by * (12 if unit == "year" else 1)
        first = date(months // 12, months % 12 + 1 if unit == "month" else 1, 1)
    except (ValueError, OverflowError):
        return None
    return Moment(first, "month" if unit == "month" else "year")


def days_on(today: date, days: int) -> date:
    """The day so many days on; the first or the last of the calendar, where it ends before."""
    try:
        return today + timedelta(days=days)
    except OverflowError:
        return date.max if days > 0 else date.min


def made(year: int, month: int, day: int) -> date | None:
    """The day of these numbers; None where there is none."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def nearest(month: int, day: int, today: date) -> date | None:
    """The day of that month and number that lies nearest to today; None where no year near has it."""
    near = [one for year in (today.year - 1, today.year, today.year + 1) if (one := made(year, month, day))]
    return min(near, key=lambda one: abs(one - today), default=None)
