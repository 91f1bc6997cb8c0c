"""The words of a language for days, months and spans of time, and the day that a sentence means by them.

The words come from the locale data of dateparser (Unicode CLDR and its supplements), loaded when they are asked for.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from importlib import resources
from typing import Any

from graphdream.language.classes import function_words, words_of
from graphdream.language.distances import UNSPACED, follows_well, moments_at_a_distance
from graphdream.language.folding import fold
from graphdream.language.forms import LEAST_STEM, are_forms
from graphdream.language.joined_times import LANGUAGES as JOINED
from graphdream.language.joined_times import joined_moments
from graphdream.language.lexicon import capitalises_nouns
from graphdream.language.moments import Moment, days_on, made, nearest

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
_LEAST_LETTERS = 4  # of a short form; shorter ones are words of the language as well (German `mit`, `die`, `so`)
_LEAST_STEM = 4  # letters that tell forms of one adjective (`nächste`, `nächsten`) from another word
_ISO = re.compile(r"(?<![\d-])((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])")
_TOKEN = re.compile(r"[^\W_]+(?:-[^\W\d_]+)*")
_ORDINAL = re.compile(r"(?<![\d.,:])\d{1,2}\.$")
_WORD = re.compile(r"[^\W\d_]+")
_CAPITALISED_MONTHS = ("de", "en")
"""Languages that write months with a capital; elsewhere what has one is a name (`alle 18. Marco lavora da noi`)."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The words of one language, in lower case.

    Attributes:
        weekdays: name of a day -> 0 for Monday to 6.
        months: names of months.
        days: words and phrases for a day by its distance from today (`yesterday`, `vorgestern`) -> days.
        spans: words for a day and larger units (`week`, `Jahr`).
        next, last: beginnings of the words that stand for the coming and the past one.
    """

    weekdays: Mapping[str, int]
    months: frozenset[str]
    days: Mapping[str, int]
    spans: frozenset[str]
    next: frozenset[str]
    last: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """Every word that stands for a time, none of which names anybody."""
        phrases = {word for phrase in self.days for word in phrase.split()}
        return frozenset({*self.weekdays, *self.months, *phrases, *self.spans})


@lru_cache(maxsize=8)
def calendar_of(language: str) -> Calendar | None:
    """The calendar of a language; None where there is no locale data for it."""
    from importlib import import_module

    try:
        info: dict[str, Any] = import_module(f"dateparser.data.date_translation_data.{language}").info
    except ModuleNotFoundError:
        return None
    relative: dict[str, list[str]] = info.get("relative-type", {})
    days = {}
    for key, phrases in relative.items():
        told = re.fullmatch(r"(in )?(\d+) day( ago)?", key)
        if told:
            days.update({phrase.lower(): int(told[2]) * (-1 if told[3] else 1) for phrase in phrases})
    coming = _direction(relative, r"in 1 (?:week|month|year)", r"[01] (?:week|month|year) ago")
    past = _direction(relative, r"1 (?:week|month|year) ago", r"(?:in 1|0) (?:week|month|year)(?: ago)?")
    unspaced = language in UNSPACED
    return Calendar(
        weekdays={word: at for at, name in enumerate(WEEKDAYS) for word in names_in(info, name, unspaced)},
        months=frozenset(word for name in MONTHS for word in names_in(info, name, unspaced)),
        days=days,
        spans=frozenset(
            word for name in ("day", "week", "month", "year") for word in names_in(info, name, unspaced, 3)
        ),
        next=coming,
        last=past,
    )


def month_called(word: str) -> int | None:
    """The month, 1 to 12, that a folded word names in some language; None where it names none (`months.json`)."""
    return _names("months.json").get(word)


@lru_cache(maxsize=50_000)
def is_weekday(word: str) -> bool:
    """Whether a folded word is a form of the name of a weekday in some language: `thursdays`, `вторникам`."""
    return _is_named(word, "weekdays.json")


@lru_cache(maxsize=50_000)
def is_time_unit(word: str) -> bool:
    """Whether a folded word is a form of the name of a unit of time in some language: `minutes`, `Wochen`."""
    return _is_named(word, "time_units.json")


def _is_named(word: str, file: str) -> bool:
    return word in _names(file) or any(are_forms(word, name) for name in _by_stem(file).get(word[:LEAST_STEM], ()))


def is_within_a_day(before: str, after: str) -> bool:
    """Whether the full stop between two texts stands in the name of a day, and ends no sentence: `am 21. | März`.

    Args:
        before: the text up to the full stop, with it.
        after: what follows, without blanks before it.
    """
    behind = _WORD.match(after) if _ORDINAL.search(before) else None
    if behind is None or month_called(fold(behind.group())) is None:
        return False
    if not behind.group()[:1].isupper():
        return True
    calendars = (calendar_of(language) for language in _CAPITALISED_MONTHS)
    return any(behind.group().lower() in calendar.months for calendar in calendars if calendar is not None)


@lru_cache(maxsize=3)
def _names(file: str) -> Mapping[str, int]:
    """The names that `tools/calendar_names.py` made."""
    found: Mapping[str, int] = json.loads(
        resources.files("graphdream.language").joinpath(file).read_text(encoding="utf-8")
    )
    return found


@lru_cache(maxsize=3)
def _by_stem(file: str) -> Mapping[str, Sequence[str]]:
    """The same names by the letters that each shares with its forms; few words share them with any."""
    found = defaultdict[str, list[str]](list)
    for name in _names(file):
        found[name[:LEAST_STEM]].append(name)
    return found


def names_in(info: Mapping[str, Any], name: str, unspaced: bool, least: int = _LEAST_LETTERS) -> list[str]:
    """The forms of a name: those long enough to be nothing else, and the longest one (`May`, `Mai`)."""
    forms = [word.lower() for word in info.get(name, ())]
    longest = max(map(len, forms), default=0)
    return [word for word in forms if unspaced or len(word) >= min(longest, least)]


def _direction(relative: Mapping[str, Iterable[str]], wanted: str, other: str) -> frozenset[str]:
    """Beginnings of the words that say which way a week, month or year lies: they are in no other such phrase."""

    def stems(pattern: str) -> set[str]:
        phrases = (phrase for key, found in relative.items() if re.fullmatch(pattern, key) for phrase in found)
        return {word[: max(_LEAST_STEM, len(word) - 2)] for phrase in phrases for word in phrase.lower().split()}

    return frozenset(stem for stem in stems(wanted) - stems(other) if len(stem) >= _LEAST_STEM)


def time_meant(sentence: str, told_at: str, language: str | None) -> Moment | None:
    """The one time that a sentence speaks of.

    Args:
        told_at: when it was said, a stamp; `yesterday` is the day before.
        language: code of the sentence's language; without it only days in figures (`2026-03-03`) are read.

    Returns:
        A day, or the month or year of `last month` and `two years ago`; None where it names none, a time that is
        neither (`last week`), several, a day without a year of what comes every year (`born on May 3`), or a weekday
        that may be the coming one as well as the past.
    """
    today = date.fromisoformat(told_at[:10])
    sentence = sentence.replace("’", "'")  # as the locale data write it: `l'année dernière`, `aujourd'hui`
    found = {Moment(day, "day") for match in _ISO.finditer(sentence) if (day := made(*map(int, match.groups())))}
    calendar = calendar_of(language) if language is not None else None
    if calendar is not None and language is not None:
        rest = _ISO.sub(" ", sentence)
        unspaced = language in UNSPACED
        recurs = _is_said(words_of("recurs", language), rest.lower(), unspaced)
        days = {*_relative_days(rest, today, calendar, language)}
        if language in JOINED:
            found |= {*joined_moments(rest, today, language, recurs=recurs)}
        else:
            days |= {*_weekdays(rest, today, calendar)}
            if not recurs:
                days |= {*_weekdays_put_to(rest, today, calendar, language)}
            if {token.lower() for token in _TOKEN.findall(rest)} & calendar.months:
                days |= {*_dates_with_months(rest, today, language, calendar, recurs=recurs)}
            found |= {*moments_at_a_distance(rest, today, language)}
        found |= {Moment(day, "day") for day in days}
    return found.pop() if len(found) == 1 else None


def _is_said(words: Iterable[str], text: str, unspaced: bool) -> bool:
    said = set(_TOKEN.findall(text))
    return any(word in text if unspaced else word in said for word in words)


def _relative_days(sentence: str, today: date, calendar: Calendar, language: str) -> Iterable[date]:
    text = sentence.lower()
    distances = {**calendar.days, **{words.replace("_", " "): 2 for words in words_of("overmorrow", language)}}
    for phrase in sorted(distances, key=len, reverse=True):
        place = re.escape(phrase) if language in UNSPACED else rf"(?<!\w){re.escape(phrase)}(?![\w])"
        found = [one for one in re.finditer(place, text) if not _is_part_of_a_day(sentence, one, language)]
        if found:
            yield days_on(today, distances[phrase])
        text = re.sub(place, lambda one: " " * len(one.group()), text)


def _is_part_of_a_day(sentence: str, found: re.Match[str], language: str) -> bool:
    """Whether a word for tomorrow is the one for morning here, as an article or a capital tells: `por la mañana`,
    `am Morgen`."""
    before = _WORD.findall(sentence[: found.start()])[-1:]
    if not before:
        return False
    is_noun = capitalises_nouns(language) and sentence[found.start() : found.start() + 1].isupper()
    return is_noun or before[0].lower() in words_of("mornings", language)


def _weekdays(sentence: str, today: date, calendar: Calendar) -> Iterable[date]:
    """Weekdays that say whether the coming or the past one is meant; a bare one may be either."""
    tokens = [token.lower() for token in _TOKEN.findall(sentence)]
    for at, token in enumerate(tokens):
        if token not in calendar.weekdays:
            continue
        beside = [*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2]]
        coming = any(word.startswith(stem) for word in beside for stem in calendar.next)
        past = any(word.startswith(stem) for word in beside for stem in calendar.last)
        distance = (calendar.weekdays[token] - today.weekday()) % 7
        if coming and not past:
            yield days_on(today, distance or 7)
        elif past and not coming:
            yield days_on(today, distance - 7)


def _weekdays_put_to(sentence: str, today: date, calendar: Calendar, language: str) -> Iterable[date]:
    """Bare weekdays to which something was moved, which is to come: `moved the deadline to Friday`."""
    text = sentence.lower()
    named = [name for name in calendar.weekdays if _is_said((name,), text, False)]
    if len({calendar.weekdays[name] for name in named}) != 1 or not _is_said(
        words_of("changes", language), text, False
    ):
        return  # `now works from Monday to Friday`
    goals = _any_of(words_of("to", language) | words_of("towards", language))
    article = _any_of(words_of("dates", language))
    for name in named:
        weekday = calendar.weekdays[name]
        place = rf"(?<!\w)(?:{goals})\s+(?:(?:{article})\s+)?{name}(?!\w)"
        for found in re.finditer(place, text) if goals else ():
            if follows_well(sentence, found.end(), language):
                yield days_on(today, (weekday - today.weekday()) % 7 or 7)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _dates_with_months(
    sentence: str, today: date, language: str, calendar: Calendar, *, recurs: bool
) -> Iterable[date]:
    """Days with a month's name: `le 3 mars`; one without a year is the nearest, and none of what comes every year."""
    from dateparser.search import search_dates

    base = datetime(today.year, today.month, today.day)
    settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "current_period", "RETURN_AS_TIMEZONE_AWARE": False}
    dated = _bare_dates(sentence, language)
    for fragment, moment in search_dates(dated, languages=[language], settings=settings) or ():
        text = fragment.lower()
        tokens = set(_TOKEN.findall(text))
        figures = [int(figure) for figure in re.findall(r"\d+", text)]
        if tokens & calendar.months and any(1 <= figure <= 31 for figure in figures):
            has_year = any(figure > 31 for figure in figures)
            if has_year or not recurs:
                day = moment.date()
                yield day if has_year else nearest(day.month, day.day, today) or day


def _bare_dates(sentence: str, language: str) -> str:
    """A sentence whose dates stand alone, as dateparser needs them: without the hours that words of grammar join to
    them (it takes `9` of `am 14. April um 9 Uhr` for the day), and without a word for a day (`dia 14 de abril`). What
    stands before another month is of another date, and what is behind *and* or *until* may be."""
    return _date_and_hour(language).sub(lambda found: found["date"] + (";" if found["hour"] else ""), sentence)


@lru_cache(maxsize=8)
def _date_and_hour(language: str) -> re.Pattern[str]:
    calendar = calendar_of(language)
    assert calendar is not None, "dates are asked for where a calendar is"
    months, unit = rf"(?:{_any_of(calendar.months)})", rf"(?:(?:{_any_of(calendar.spans)})\s+)?"
    leads = rf"(?:(?:{_any_of(words_of('dates', language))})\s+)?" if words_of("dates", language) else ""
    day = rf"(?<![\d.,:/–-])\d{{1,2}}[^\W\d]{{0,2}}[.ºª°]?\s+{leads}{months}"
    dates = rf"{day}|{months}\s+\d{{1,2}}(?:st|nd|rd|th)?" if language == "en" else day
    apart = words_of("joins", language) | words_of("limits", language)
    joining = _any_of((function_words().get(language, frozenset()) - apart) | words_of("hours", language))
    hour = rf"(?:(?:{joining})\.?\s+){{1,2}}\d{{1,2}}(?:[:.]\d\d)?(?![\d:])(?!\.?\s+{leads}{months})"
    return re.compile(
        rf"(?<!\w){unit}(?P<date>(?:{dates})(?!\w)(?:,?\s+{leads}\d{{4}}(?!\d))?)(?P<hour>,?\s+{hour})?", re.IGNORECASE
    )
