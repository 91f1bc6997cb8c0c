"""Times in Chinese, Japanese and Korean by their distance from the day of speaking: `三天后`, `来週の金曜日`, `지난달`.

These languages write number, unit and direction as one, so that no word and no blank tells where a time begins or
ends; what does is data, with its sources (`joined_times.yaml`). In doubt nothing is read: `手術の3日後` is counted from
another event, and which Sunday `下周日` is depends on the day that a week begins with.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from graphdream.language.moments import Moment, days_on, made, moved, nearest
from graphdream.language.tables import table

LANGUAGES = frozenset(("zh", "ja", "ko"))
_SENTENCE_END = " \t。．.!！」』”\"'"
_TO = r"[~〜\-–—至到、か]?\s*$"  # what stands behind the first of two numbers, between which something is
_DATE = {
    "zh": r"(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]",
    "ja": r"(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
    "ko": r"(?P<month>\d{1,2})월\s?(?P<day>\d{1,2})일",
}
_YEAR = {"zh": r"\d{4})年", "ja": r"\d{4})年", "ko": r"\d{4})년\s?"}


@dataclass(frozen=True, slots=True)
class _Counted:
    """So many units from today: `三天后`, `이틀 전에`; the number stands in the group `count`."""

    pattern: re.Pattern[str]
    unit: str
    sign: int


@dataclass(frozen=True, slots=True)
class _Times:
    """How one language tells times; see `joined_times.yaml`, whose names these are.

    Attributes:
        numbers: word -> number.
        counted: a number of units.
        weekday_of_week, calendar_day, month_or_year: patterns of times that are named.
        distances: word for a week, month or year -> how far it is.
        weekdays: name -> 0 for Monday to 6.
        weekday: pattern of these names.
        put_to: a weekday to which something is moved.
        data: the entry itself, for what needs no preparation.
    """

    numbers: Mapping[str, int]
    counted: Sequence[_Counted]
    weekday_of_week: re.Pattern[str]
    calendar_day: re.Pattern[str]
    month_or_year: re.Pattern[str]
    distances: Mapping[str, int]
    weekdays: Mapping[str, int]
    weekday: re.Pattern[str]
    put_to: re.Pattern[str]
    data: Mapping[str, Any]


def joined_moments(sentence: str, today: date, language: str, *, recurs: bool) -> Iterator[Moment]:
    """The times that a sentence in one of `LANGUAGES` tells, but for words of one day alone (`明天`).

    Args:
        recurs: whether it speaks of what comes every year, of which a date without a year tells no moment.
    """
    times = _times(language)
    text = unicodedata.normalize("NFKC", sentence).strip(_SENTENCE_END)  # `３日後`
    if _has(text, times.data["until"]):
        return
    recurs = recurs or _has(text, times.data["again"])
    left = _Left(text)
    yield from _calendar_days(left, today, times, recurs=recurs)
    if not recurs:
        yield from _weekdays(left, today, times)
        yield from _counted(left, today, times)
    for found in left.take(times.month_or_year):
        by = times.distances[found["month"] or found["year"]]
        if by and not _is_open(found, times) and not _is_behind(found, times, "owner"):
            yield from _moved(today, found.lastgroup or "", by)


class _Left:
    """What of a sentence no time was found in yet; each sign of it keeps its place."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Each place of a pattern; a later pattern finds nothing there."""
        for found in list(pattern.finditer(self.text)):
            yield found
            self.text = f"{self.text[: found.start()]}{' ' * len(found.group())}{self.text[found.end() :]}"


def _calendar_days(left: _Left, today: date, times: _Times, *, recurs: bool) -> Iterator[Moment]:
    for found in left.take(times.calendar_day):
        year = int(found["year"]) if found["year"] else None
        if year is None and found["named_year"]:
            year = today.year + times.distances[found["named_year"]]
        month, number = int(found["month"]), int(found["day"])
        day = nearest(month, number, today) if year is None else made(year, month, number)
        if day is not None and not _is_open(found, times) and not (year is None and recurs):
            yield Moment(day, "day")


def _weekdays(left: _Left, today: date, times: _Times) -> Iterator[Moment]:
    """The day of a named week, and a bare one to which something is moved; of two in one sentence neither."""
    named = {times.weekdays[name] for name in times.weekday.findall(left.text)}
    for found in left.take(times.weekday_of_week):
        days = {
            days_on(begin, 7 * times.distances[found["week"]] + (times.weekdays[found["weekday"]] - first) % 7)
            for first, begin in _beginnings_of_week(today)
        }
        if len(days) == 1 and len(named) == 1 and not _is_open(found, times):
            yield Moment(days.pop(), "day")
    if len(named) == 1:
        for found in left.take(times.put_to):
            distance = (times.weekdays[found["weekday"]] - today.weekday()) % 7
            if not _is_open(found, times):
                yield Moment(days_on(today, distance or 7), "day")


def _beginnings_of_week(today: date) -> Iterator[tuple[int, date]]:
    """The first day of this week, for weeks from Monday on and from Sunday on; both are usual there."""
    for first in (0, 6):
        yield first, days_on(today, -((today.weekday() - first) % 7))


def _counted(left: _Left, today: date, times: _Times) -> Iterator[Moment]:
    whole = left.text
    for counted in times.counted:
        for found in left.take(counted.pattern):
            before, behind = whole[: found.start()].rstrip(), whole[found.end() :]
            if _is_open(found, times) or _is_behind(found, times, "owner") or _is_one_of_several(before, times):
                continue
            if _is_to_come(before, behind, times) if counted.sign > 0 else _is_past(before, behind, times):
                yield from _moved(today, counted.unit, counted.sign * times.numbers[found["count"]])


def _is_to_come(before: str, behind: str, times: _Times) -> bool:
    """Whether a number of units is counted from the day of speaking on, and not from what happened once."""
    data = times.data
    if re.search(data["sure"], before):
        return True
    if re.search(data["past"], before + behind) or not re.search(data["comes"], behind):
        return False
    return bool(re.search(data["opens"], before) or (not before and re.search(data["head"], behind)))


def _is_past(before: str, behind: str, times: _Times) -> bool:
    """Whether a number of units is counted back from the day of speaking, and not from a deadline or an event."""
    return bool(re.search(times.data["ago_opens"], before)) and not re.search(times.data["rule"], before + behind)


def _is_one_of_several(before: str, times: _Times) -> bool:
    """Whether the number is the last of several, as in `三四天后` and `3~5日後`."""
    return re.search(rf"(?:\d|{_any_of(times.numbers)}){_TO}", before) is not None


def _is_open(found: re.Match[str], times: _Times) -> bool:
    """Whether a time is an approximate one, or the beginning or end of a span."""
    before = found.string[: found.start()].rstrip()
    return (
        before.endswith((*_words(times.data, "nearly"), *_words(times.data, "no_start")))
        or _is_behind(found, times, "about")
        or re.match(r"\s*[~〜～–—至-]\s*\d", found.string[found.end() :]) is not None
    )


def _is_behind(found: re.Match[str], times: _Times, name: str) -> bool:
    return found.string[found.end() :].startswith(_words(times.data, name))


def _has(text: str, words: str) -> bool:
    return any(word in text for word in words.split())


def _moved(today: date, unit: str, by: int) -> Iterator[Moment]:
    moment = moved(today, unit, by)
    if moment is not None:
        yield moment


@lru_cache(maxsize=3)
def _times(language: str) -> _Times:
    data: dict[str, Any] = dict(table("joined_times.yaml")[language])
    data["opens"] = data["opens"].replace("{surnames}", "|".join(_words(data, "surnames")))
    numbers = _numbers(data)
    distances = {form: by for name in ("weeks", "months", "years") for form, by in _in_order(data[name], -2)}
    weekdays = dict(_in_order(data["weekdays"], 0))
    ends, blank = data["ends"], "" if language == "ja" else r"\s?"
    day = rf"(?P<weekday>{_any_of(weekdays)})"
    weeks, months, years = (_any_of(dict(_in_order(data[name], 0))) for name in ("weeks", "months", "years"))
    of = f"(?:{data['of']})?" if data["of"] else ""
    to = rf"(?:{data['put']}{day})" if data["put"] else rf"(?:{day}{data['put_to']})"
    return _Times(
        numbers=numbers,
        counted=tuple(_counted_patterns(data, numbers)),
        weekday_of_week=re.compile(rf"(?P<week>{weeks}){of}{blank}{day}(?:{ends})"),
        calendar_day=re.compile(_calendar_day(years, language) + f"(?:{ends})"),
        month_or_year=re.compile(rf"(?:(?P<month>{months})|(?P<year>{years}))(?:{ends})"),
        distances=distances,
        weekdays=weekdays,
        weekday=re.compile(_any_of(weekdays)),
        put_to=re.compile(to),
        data=data,
    )


def _calendar_day(years: str, language: str) -> str:
    """A date with its month and number, and perhaps its year in figures or in a word: `去年5月3日`."""
    return rf"(?<!\d)(?:(?P<year>{_YEAR[language]}|(?P<named_year>{years})\s?)?{_DATE[language]}"


def _counted_patterns(data: Mapping[str, Any], numbers: Mapping[str, int]) -> Iterator[_Counted]:
    goes_on = f"(?![{''.join(_words(data, 'joins_on'))}])" if data["joins_on"] else ""
    days = _any_of(dict(_in_order(data.get("days", ""), 1)))
    for name, sign in (("ahead", 1), ("ago", -1)):
        direction = rf"\s?(?:{_any_of(_words(data, name))}){goes_on}(?:{data['ends']})"
        for unit, words in data["units"].items():
            count = rf"(?P<count>{_any_of(numbers)})\s?(?:{_any_of(words.split())})"
            yield _Counted(re.compile(rf"(?<![\d.,/:]){count}{direction}"), unit, sign)
        yield _Counted(re.compile(rf"(?P<count>{days}){direction}"), "day", sign)


def _numbers(data: Mapping[str, Any]) -> Mapping[str, int]:
    """The numbers up to 99, in figures and in words; words of one sign are put together: `二十五`."""
    numbers = {str(number): number for number in range(1, 100)} | dict(_in_order(data["numbers"], 1))
    signs = {number: word for word, number in numbers.items() if not word.isdecimal() and len(word) == 1}
    if len(signs) == 10:
        ones = {0: "", **{number: signs[number] for number in range(1, 10)}}
        numbers |= {
            f"{ones[tens]}{signs[10]}{ones[one]}": 10 * tens + one for tens in range(2, 10) for one in range(10)
        }
        numbers |= {f"{signs[10]}{ones[one]}": 10 + one for one in range(10)}
    return numbers | dict(_in_order(data.get("days", ""), 1))


def _in_order(words: str, first: int) -> Iterator[tuple[str, int]]:
    """Words that stand in the order of their numbers, from `first` on; those of one number are joined by strokes."""
    for at, forms in enumerate(words.split(), first):
        for form in forms.split("/"):
            yield from ((spelling, at) for spelling in {form.replace("_", " "), form.replace("_", "")})


def _words(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(data.get(name, "").split())


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))) or r"(?!)"
