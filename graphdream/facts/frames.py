"""Frames: what a statement asks, with one typed value of it left open.

`has 283 employees` and `has 277 employees` on one entity answer one question with two numbers. Two such sentences are
the plainest sign of a value that changed, and the only one in a graph that is too small to show which of its relations
have one value at a time. How far the sign carries depends on the kind of value, and on whether the sentence tells what
is or what happened: `we met on May 3` and `we met on June 8` are both true.

A frame is the free words around the value, whatever their order and endings: `admin: Ada`, `Ada administers it` and
`is administered by Ada` ask the same. Who does and who is done to is kept apart (`reports to Ada`, `Ada reports to
it`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from graphdream.facts.reading import DATE, NAME, NUMBER, SUBJECT, TIME, TYPED, Reading
from graphdream.facts.words import AUXILIARIES, FUNCTION_WORDS, INTENT, NEGATIONS

ENTITY = "<entity>"
"""Kind of a name that is a known entity of the graph."""

DEFINITE = "<the>"
"""Kind of the answers to a question that grammar shows to have one (questions.py)."""

ONE_AT_A_TIME = {DEFINITE: 3.3, NUMBER: 3.3, ENTITY: 2.0, TIME: 1.0, DATE: 1.0, NAME: 0.4}
"""Nats for one value at a time, from the kind of value alone, where the sentence tells what is.

Measured on generated graphs of two vocabularies, on pairs of statements in one frame (replaced against both true):
numbers 96:0, names of entities 119:1, other names 18:12, dates 24:8; answers to definite questions 140:1 (eight graphs
of three vocabularies). Entities are set lower than that, because people also write lists in such sentences (`works with
Ada`, `works with Bo`), which the generator hardly does. What reaches 27 to 1 (slots.py) needs no second entity.
"""
NOT_SO = NEGATIONS | INTENT
"""Words of a sentence that denies something, or wants it."""
_BE = frozenset("is are am be been being 's".split())
_PAST = frozenset(
    "was were had did went came saw got made took gave said told met held ran wrote found left lost sent spent paid "
    "sold bought built won grew fell brought thought taught caught kept felt heard stood sat spoke chose drove flew "
    "ate drank began broke sang swam threw wore woke".split()
)
"""Past forms of common irregular verbs of English; regular ones end in -ed."""


_MOST_WORDS = 4
"""Free words of a frame, at most: a longer sentence tells a story that happens to have a value in it."""
_NOW = frozenset("now today currently nowadays presently".split())
"""Words that say no more than that a sentence is true when it is said."""
_LETTERS = 5
"""First letters of a word that its forms share: `admin`, `administers`, `administered`."""
_EQUALS = frozenset((":", "=")) | _BE
_DEFINITE = frozenset(("the", ":", "=", "'s"))


@dataclass(frozen=True, slots=True)
class Frame:
    """One statement with one typed value open.

    Attributes:
        key: the kind of the value, its part in the sentence, and the free words and other values around it.
        value: the value.
        kind: `<number>`, `<date>`, `<time>`, `<name>` or `<entity>`.
    """

    key: tuple[str, ...]
    value: str
    kind: str


@lru_cache(maxsize=100_000)
def frames(reading: Reading, content: str) -> tuple[Frame, ...]:
    """The frames of one statement that tells what is; none for one that tells what happened, or should, or is not.

    A number that only names something is no value. Where the question is definite (`the retry
    limit`, `timeout:`), a number is also read with its unit.
    """
    words, shape = reading.words, reading.shape
    if tells_past(words) or not NOT_SO.isdisjoint(words):
        return ()
    out = []
    for at, (kind, value) in enumerate(zip(shape, words, strict=True)):
        if kind not in TYPED or (kind == NUMBER and _is_label(reading, at, content)):
            continue
        around = _around(reading, {at})
        if around:
            part = _part(reading, at) if kind == NAME else ""
            out.append(Frame((kind, part, *around), value, kind_of(kind, value)))
        setting = _setting(reading, at) if kind == NUMBER else None
        if setting is not None:
            out.append(Frame(("setting", "", setting), value, kind))
        unit = at + 1
        if kind == NUMBER and unit < len(words) and is_free(shape[unit]) and not _DEFINITE.isdisjoint(words):
            around = _around(reading, {at, unit})
            if around:
                out.append(Frame(("quantity", "", *around), f"{value} {words[unit]}", NUMBER))
    return tuple(out)


def _setting(reading: Reading, at: int) -> str | None:
    """The key of a program (`PAGE_SIZE`) whose value the number at a place is, whatever the verb before the key.

    Nothing but function words and marks stands between the two, and nothing is counted: `parse_rows takes 2 arguments`
    and `PAGE_SIZE is 3 words long` say something else of a name.
    """
    shape, words = reading.shape, reading.words
    if at + 1 < len(shape) and is_free(shape[at + 1]):
        return None
    before = next((place for place in range(at - 1, -1, -1) if shape[place] in TYPED or is_free(shape[place])), None)
    is_key = before is not None and shape[before] == NAME and _KEY.fullmatch(words[before])
    return words[before] if before is not None and is_key else None


_KEY = re.compile(r"[^\W\d]\w*_\w+")


def _around(reading: Reading, inside: set[int]) -> tuple[str, ...]:
    """The free words, cut to what their forms share, and the other values; sorted. Empty where there are too many."""
    found = [
        word if kind in TYPED else _stem(word)
        for at, (kind, word) in enumerate(zip(reading.shape, reading.words, strict=True))
        if at not in inside and word not in _NOW and (kind in TYPED or is_free(kind))
    ]
    return tuple(sorted(found)) if len(found) <= _MOST_WORDS else ()


def _stem(word: str) -> str:
    """What the forms of a word share: `leads` and `lead`, `administers` and `administered`."""
    return (word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word)[:_LETTERS]


def is_free(kind: str) -> bool:
    """Whether a token of this kind is a word that neither grammar nor a type accounts for."""
    return kind not in FUNCTION_WORDS and kind not in (":", SUBJECT) and kind not in TYPED


def _part(reading: Reading, at: int) -> str:
    """Whether a name does or is what the sentence tells, or is told of."""
    before = reading.words[at - 1] if at else ""
    does = (at == 0 and SUBJECT in reading.words) or before == "by"
    return "does" if does or before in _EQUALS else "is told of"


def kind_of(kind: str, value: str) -> str:
    """The kind of a typed value, entities told from other names (their value is `best name@entity`)."""
    return ENTITY if kind == NAME and "@" in value else kind


@lru_cache(maxsize=100_000)
def tells_past(words: tuple[str, ...]) -> bool:
    """Whether a sentence tells what happened: a past form that no form of `be` makes a state (`is led by`)."""
    return any(
        word in _PAST or (word.endswith("ed") and len(word) > 4 and before not in _BE)
        for before, word in zip(("", *words), words, strict=False)
    )


def _is_label(reading: Reading, at: int, content: str) -> bool:
    """Whether a number only tells one thing from others of its name: `#12`, `row 17: ...`, `room 4 is for guests`,
    `Pilot G-2 0.38`."""
    words = reading.words
    after = words[at + 1] if at + 1 < len(words) else ""
    counted = after in AUXILIARIES and at > 0 and is_free(reading.shape[at - 1])
    in_name = at > 0 and reading.shape[at - 1] == NAME and at not in reading.marks
    return f"#{words[at]}" in content or after == ":" or counted or in_name
