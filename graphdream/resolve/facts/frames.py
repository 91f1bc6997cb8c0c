"""Frames: statements with one typed value left open and everything else word for word.

`has 283 employees` and `has 277 employees` on one entity answer one question with two numbers. Two such sentences are
the plainest sign of a value that changed, and the only one in a graph that is too small to show which of its relations
have one value at a time. How far the sign carries depends on the kind of value, and on whether the sentence tells what
is or what happened: `we met on May 3` and `we met on June 8` are both true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphdream.resolve.facts.reading import DATE, NAME, NUMBER, TIME, TYPED, Reading
from graphdream.resolve.facts.words import FUNCTION_WORDS

ENTITY = "<entity>"
"""Kind of a name that is a known entity of the graph."""

ONE_AT_A_TIME = {NUMBER: 3.0, ENTITY: 2.0, TIME: 1.0, DATE: 1.0, NAME: 0.4}
"""Nats for one value at a time, from the kind of value alone, where the sentence tells what is.

Measured on generated graphs of two vocabularies, on pairs of statements in one frame (replaced against both true):
numbers 96:0, names of entities 119:1, other names 18:12, dates 24:8. Numbers and entities are set lower than that,
because people also write lists in such sentences (`works with Ada`, `works with Bo`), which the generator hardly does.
"""
_BE = frozenset("is are am be been being 's".split())
_PAST = frozenset(
    "was were had did went came saw got made took gave said told met held ran wrote found left lost sent spent paid "
    "sold bought built won grew fell brought thought taught caught kept felt heard stood sat spoke chose drove flew "
    "ate drank began broke sang swam threw wore woke".split()
)
"""Past forms of common irregular verbs of English; regular ones end in -ed."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One statement with one typed value open.

    Attributes:
        key: the kind of the value and the words before and after it.
        value: the value.
        kind: `<number>`, `<date>`, `<time>`, `<name>` or `<entity>`.
    """

    key: tuple[str, tuple[str, ...], tuple[str, ...]]
    value: str
    kind: str


def frames(reading: Reading, content: str) -> list[Frame]:
    """The frames of one statement that tell what is; none for one that tells what happened.

    A number that only names something (`#12`, `row 17: ...`) is no value.
    """
    if tells_past(reading.words) or len(reading.words) < 2:
        return []
    out = []
    for at, (kind, value) in enumerate(zip(reading.shape, reading.words, strict=True)):
        if kind not in TYPED or (kind == NUMBER and _is_label(reading.words, at, content)):
            continue
        before, after = reading.words[:at], reading.words[at + 1 :]
        if FUNCTION_WORDS.issuperset((*before, *after)):
            continue
        out.append(Frame((kind, before, after), value, kind_of(kind, value)))
    return out


def kind_of(kind: str, value: str) -> str:
    """The kind of a typed value, entities told from other names (their value is `best name@entity`)."""
    return ENTITY if kind == NAME and "@" in value else kind


def tells_past(words: Sequence[str]) -> bool:
    """Whether a sentence tells what happened: a past form that no form of `be` makes a state (`is led by`)."""
    return any(
        word in _PAST or (word.endswith("ed") and len(word) > 4 and before not in _BE)
        for before, word in zip(("", *words), words, strict=False)
    )


def _is_label(words: Sequence[str], at: int, content: str) -> bool:
    return f"#{words[at]}" in content or tuple(words[at + 1 : at + 2]) == (":",)

