"""Times that are told by how far they are from the day of speaking: `two weeks ago`, `il y a trois mois`, `next year`.

How a language says so is the locale data of dateparser (Unicode CLDR), its small numbers are those of `classes.yaml`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from graphdream.language.classes import function_words, words_in_order, words_of
from graphdream.language.folding import fold
from graphdream.language.lexicon import written
from graphdream.language.moments import Moment, moved
from graphdream.language.present import may_be_present

UNSPACED = frozenset(("zh", "ja", "th"))
_KEY = re.compile(r"(in )?(\\1|\d+) (day|week|month|year)( ago)?")
_NUMBER = r"(\d++[.,]?\d*+)"  # as the locale data write it
_LEAST_UNIT = 2  # letters; a single one (`3 m`) may be metres
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W\d_]+)*")
_NO_MOMENT = ("dates", "lasting", "limits", "nearly")
"""Classes of words that make no moment of a distance behind them: `for the last year`, `over a year ago`."""
_JOINS = ("'", "’", "-")  # what makes one word with a time before it
_MOST_BEFORE = 6  # words in which the verb of a sentence is looked for


class _Distance(NamedTuple):
    """One way to tell a distance: a pattern, how many of which unit (None: as its group says), and the direction.

    Attributes:
        takes_article: an article before it makes it no length of time: `il mese scorso`, unlike `the last month`, where
            the word that tells which stands before the unit.
    """

    pattern: re.Pattern[str]
    number: int | None
    unit: str
    sign: int
    takes_article: bool = False


def moments_at_a_distance(sentence: str, today: date, language: str) -> Iterator[Moment]:
    """The times that a sentence tells by how far they are, but for words of one day alone (`yesterday`).

    A number of units to come (`in two weeks`) may also be how long something takes, and what came after something else:
    it counts only where the sentence shows that it speaks of what is to come.
    """
    text = sentence.lower()
    for distance in _distances(language):
        for found in distance.pattern.finditer(text):
            count = distance.number if distance.number is not None else _numbers(language).get(found["count"])
            if count is None or _is_no_moment(text, found, language, takes_article=distance.takes_article):
                continue
            if distance.number is None and distance.sign > 0 and not is_of_what_comes(sentence, language):
                continue
            moment = moved(today, distance.unit, distance.sign * count)
            if moment is not None:
                yield moment


def is_of_what_comes(sentence: str, language: str) -> bool:
    """Whether a sentence shows by its verb that it is of now or of what is to come. The verb is told by its place,
    behind a name, a pronoun, or an article with one noun: `She wrote the tests` has none such."""
    coming = words_of("is", language) | words_of("intends", language)
    before: list[str] = []
    for word in _WORD.findall(sentence)[:_MOST_BEFORE]:
        if word in coming or may_be_present(word, language):
            return _is_subject(before, language)
        before.append(word)
    return False


def _is_subject(words: list[str], language: str) -> bool:
    if not words:
        return False
    if len(words) == 2 and words[0].lower() in words_of("dates", language) | words_of("indefinite", language):
        return True
    function = function_words().get(language, frozenset())
    if len(words) == 1 and words[0].lower() in function:
        return True
    return all(word[:1].isupper() for word in words) and written(words[0].lower(), language) != "lower"


def follows_well(text: str, end: int, language: str) -> bool:
    """Whether what stands behind a time goes on with the sentence and not with its name (`Friday build`)."""
    behind = re.match(r"\s+([^\W\d_]+)", text[end:])
    return text[end:][:1] not in _JOINS and (
        behind is None
        or behind[1] in function_words().get(language, frozenset())
        or behind[1] in words_of("changes", language)
    )


def _is_no_moment(text: str, found: re.Match[str], language: str, *, takes_article: bool) -> bool:
    if text[found.end() :][:1] in _JOINS:
        return True  # `last year's report`
    before = _WORD.findall(text[: found.start()])
    if takes_article and before and before[-1] in words_of("dates", language):
        before.pop()
    return any(word in words_of(name, language) for word in before[-1:] for name in _NO_MOMENT)


@lru_cache(maxsize=8)
def _distances(language: str) -> tuple[_Distance, ...]:
    info = _locale(language)
    found = []
    for key, phrases in info.get("relative-type", {}).items():
        told = _KEY.fullmatch(key)
        if told and told[3] in ("month", "year") and told[2] != "0":
            units = {str(name).lower() for name in info.get(told[3], ())}
            whole = [phrase.lower() for phrase in phrases if "." not in phrase]
            for takes_article in (False, True):
                such = [phrase for phrase in whole if (phrase.split()[0] in units) is takes_article]
                pattern = _pattern(tuple(map(re.escape, such)), language)
                found.append(_Distance(pattern, int(told[2]), told[3], -1 if told[4] else 1, takes_article))
    numbers = _any_of(map(re.escape, _numbers(language)))
    for key, forms in info.get("relative-type-regex", {}).items():
        told = _KEY.fullmatch(key)
        if told:
            written = [form.replace(_NUMBER, f"(?P<count>{numbers})") for form in _forms(info, told[3], forms)]
            found += [
                _Distance(_pattern((one,), language), None, told[3], -1 if told[4] else 1) for one in sorted(written)
            ]
    return tuple(found)


def _forms(info: Mapping[str, Any], unit: str, forms: list[str]) -> set[str]:
    """How a number of units is told, with every form of the unit that is known."""
    found, names = set(), {str(name).lower() for name in info.get(unit, ()) if len(name) > _LEAST_UNIT}
    for form in forms:
        before, _, after = form.partition(_NUMBER)
        named, _, behind = after.strip().partition(" ")
        if " " not in form:
            found.add(form)  # written together: `3天前`
        elif len(named) >= _LEAST_UNIT or not named.isascii():
            found |= {f"{before}{_NUMBER} {name}{' ' + behind if behind else ''}" for name in {named, *names}}
    return found


def _pattern(forms: Iterator[str] | tuple[str, ...], language: str) -> re.Pattern[str]:
    any_form = _any_of(forms)
    return re.compile(any_form if language in UNSPACED else rf"(?<![\w-])(?:{any_form})(?!\w)")


def _any_of(forms: Iterator[str] | tuple[str, ...]) -> str:
    return "|".join(sorted(forms, key=lambda form: (-len(form), form))) or r"(?!)"


@lru_cache(maxsize=8)
def _numbers(language: str) -> Mapping[str, int]:
    """The small numbers of a language, in figures and in words."""
    numbers = {str(number): number for number in range(1, 100)}
    for change in _locale(language).get("simplifications", ()):
        for word, figure in change.items():
            if figure in numbers and re.fullmatch(r"[^\W\d_]+", word):
                numbers[word.lower()] = int(figure)
            elif figure in numbers and re.fullmatch(r"[^\W\d_]*\([^\W\d_]+(?:\|[^\W\d_]+)*\)[^\W\d_]*", word):
                numbers.update(dict.fromkeys(_spelled(word), int(figure)))
    for at, words in enumerate(words_in_order("numerals", language), 2):
        for word in words:
            sign = unicodedata.numeric(word, None) if len(word) == 1 else None
            numbers[word] = numbers[fold(word)] = int(sign) if sign is not None else at
    return numbers


def _spelled(pattern: str) -> list[str]:
    """The words that a pattern with one group of endings stands for: `дв(а|е|ух)`."""
    begin, _, rest = pattern.partition("(")
    endings, _, end = rest.partition(")")
    return [f"{begin}{ending}{end}" for ending in endings.split("|")]


def _locale(language: str) -> Mapping[str, Any]:
    try:
        info: Mapping[str, Any] = import_module(f"dateparser.data.date_translation_data.{language}").info
    except ModuleNotFoundError:
        return {}
    return info
