"""Five fields of cron: minute, hour, day of the month, month, weekday; each `*`, `5`, `1-5`, `*/15` or a list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from graphdream.errors import UsageError

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_LONGEST_DAYS = 8 * 366  # a 29 February that falls on one weekday comes after at most so many days or never


@dataclass(frozen=True, slots=True)
class Cron:
    """When something is to happen, in local time. Where both days are told, either of them does, as cron has it."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    @classmethod
    def parse(cls, text: str) -> Cron:
        """Read the five fields. Raises UsageError, naming the field that is wrong."""
        fields = text.split()
        if len(fields) != len(_FIELDS):
            raise UsageError(f"{text!r} is no cron: it has {len(fields)} fields", "for example 0 */12 * * *")
        minutes, hours, days, months, weekdays = (
            _values(field, *bounds) for field, bounds in zip(fields, _FIELDS, strict=True)
        )
        # Both 0 and 7 are Sunday.
        return cls(
            minutes, hours, days, months, frozenset(day % 7 for day in weekdays), fields[2] == "*", fields[4] == "*"
        )

    def next_after(self, moment: datetime) -> datetime:
        """The first minute after a moment that fits. Raises UsageError where none ever does."""
        at = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        for _ in range(_LONGEST_DAYS):
            if at.month in self.months and self._fits_day(at):
                for hour in sorted(hour for hour in self.hours if hour >= at.hour):
                    first = at.minute if hour == at.hour else 0
                    for minute in sorted(minute for minute in self.minutes if minute >= first):
                        return at.replace(hour=hour, minute=minute)
            at = (at + timedelta(days=1)).replace(hour=0, minute=0)
        raise UsageError("the cron fits no day at all", "look at its day and month")

    def _fits_day(self, at: datetime) -> bool:
        day, weekday = at.day in self.days, at.isoweekday() % 7 in self.weekdays
        if self.any_day or self.any_weekday:
            return day and weekday
        return day or weekday


def _values(field: str, name: str, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        try:
            begin, end = (low, high) if span == "*" else (int(first), int(last or (high if step else first)))
            by = int(step or 1)
        except ValueError:
            raise UsageError(f"cron: {part!r} is no {name}", "for example 0 */12 * * *") from None
        if not low <= begin <= end <= high or by < 1:
            raise UsageError(f"cron: {part!r} is no {name} of {low} to {high}")
        found |= set(range(begin, end + 1, by))
    return frozenset(found)
