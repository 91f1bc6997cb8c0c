"""Which words of a statement tell something: values, and what is no function word, no colon and not its subject."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from graphdream.facts.reading import DATE, LABEL, NAME, SUBJECT, TYPED, Reading
from graphdream.facts.words import FUNCTION_WORDS, TIMES, WAS
from graphdream.language.calendar import is_time_unit, is_weekday
from graphdream.language.classes import spoken_class
from graphdream.language.forms import share_stem

POSSESSIVE = "'s"
"""What stands behind who has something, as a word of its own."""
ADVERBIAL = "ly"
"""What most English adverbs end in (`currently lives in Husum`), and units of time that say how often."""


def tells(kind: str, word: str) -> bool:
    """Whether a place of a reading, by its shape and its word, tells something."""
    return kind in TYPED or not (kind == SUBJECT or word == LABEL or word in FUNCTION_WORDS)


def tells_what(kind: str, word: str) -> bool:
    """Whether a place tells something, and not only when it holds."""
    return tells(kind, word) and (kind in TYPED or word not in TIMES)


def kind_told(kind: str, word: str) -> str:
    """The kind of a place; a weekday is a date, and so is an English word for how often (`weekly`)."""
    is_figure = kind in TYPED and kind != NAME  # a weekday may be written like a name
    return kind if is_figure or not (is_weekday(word) or says_how_often(word)) else DATE


def leads_from(words: tuple[str, ...]) -> frozenset[str]:
    """The words that say in the language of a statement where a change came from; the copula of what was is none."""
    return spoken_class("from", words) - WAS


def leads_to(words: tuple[str, ...]) -> frozenset[str]:
    """The words that say in the language of a statement where a change goes."""
    return spoken_class("to", words) | spoken_class("towards", words)


def value_places(one: Reading) -> list[int]:
    """The places of the values of a statement."""
    return [at for at, kind in enumerate(one.shape) if kind in TYPED]


def says_how_often(word: str) -> bool:
    """Whether an English word says how often, by a unit of time: `weekly`, `monthly`."""
    return word.endswith(ADVERBIAL) and is_time_unit(word.removesuffix(ADVERBIAL))


def places(reading: Reading, low: int = 0, high: int | None = None) -> Iterable[tuple[str, str]]:
    """Shape and word of the places low..high-1, in order."""
    return zip(reading.shape[low:high], reading.words[low:high], strict=True)


def has_form_of(reading: Reading, about: Collection[str]) -> bool:
    """Whether a telling word of a statement, or a part of a name in it, is a form of any of these words."""
    mine = {part for word in reading.words if word not in FUNCTION_WORDS for part in word.split()}
    return any(one == other or share_stem(one, other) for one in about for other in mine)
