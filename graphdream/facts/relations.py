"""Relations: sentence forms joined by sure links, and what each statement says in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from graphdream.facts.links import Link, WordRoles
from graphdream.facts.reading import TYPED, Reading
from graphdream.facts.skeletons import Skeletons
from graphdream.facts.statements import Statement
from graphdream.facts.words import FUNCTION_WORDS

_SURE_LINK = 1.0
"""Nats a link needs before its two forms are one relation."""
_FRAME = 0.6
"""Share of frame votes of a word that is only a way of saying it."""
_SURE_FRAME = 0.8
"""Share of frame votes of a word that is no part of a value."""
_LONGEST_VALUE = 6
"""Tokens in an open span that is still one value."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A statement as an instance of a relation.

    Attributes:
        relation: number of the relation.
        parts: (kind, value) of the open span (kind `*`) and of each typed value outside it, sorted.
    """

    relation: int
    parts: tuple[tuple[str, str], ...]


def find_instances(
    said: Sequence[Statement], found: Skeletons, links: Iterable[Link], roles: WordRoles
) -> list[list[Instance]]:
    """What each statement says in a relation; a span that holds more than one value says nothing in it."""
    up: dict[int, int] = {}

    def root(key: int) -> int:
        while up.setdefault(key, key) != key:
            up[key] = up[up[key]]
            key = up[key]
        return key

    for link in sorted(links, key=lambda link: (link.key_a, link.key_b)):
        if link.evidence >= _SURE_LINK:
            a, b = root(link.key_a), root(link.key_b)
            up[max(a, b)] = min(a, b)
    rows: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    joined = np.isin(found.key, np.array(sorted(up), dtype=np.int64))
    columns = (column[joined].tolist() for column in (found.statement, found.key, found.low, found.high))
    for statement, key, low, high in zip(*columns, strict=True):
        rows[statement].append((low, high, root(key)))
    frames, sure = roles.frames(_FRAME), roles.frames(_SURE_FRAME)
    return [_instances(s.reading, rows[s.at], frames, sure) if s.at in rows else [] for s in said]


def _instances(
    reading: Reading, rows: Sequence[tuple[int, int, int]], frames: frozenset[str], sure: frozenset[str]
) -> list[Instance]:
    """One instance per relation, from spans that hold one value and swallow no frame.

    `is *` says little of `is led by Ada` where `is led by <name>` is known too.
    """
    out: dict[int, Instance] = {}
    for low, high, relation in rows:
        if _one_value(reading, low, high, sure) and not _swallows(reading.words, low, high, rows, frames):
            span = [("*", " ".join(reading.words[low:high]))] if high > low else []
            places = enumerate(zip(reading.shape, reading.words, strict=True))
            typed = [(s, w) for at, (s, w) in places if s in TYPED and not low <= at < high]
            out.setdefault(relation, Instance(relation, tuple(sorted(span + typed))))
    return list(out.values())


def _swallows(
    words: tuple[str, ...], low: int, high: int, rows: Sequence[tuple[int, int, int]], frames: frozenset[str]
) -> bool:
    """Whether a span has a word that only frames, outside of another span that is narrower."""
    if frames.isdisjoint(words[low:high]):
        return False
    for low_in, high_in, _ in rows:
        inside = high_in == low_in or (low <= low_in and high_in <= high)
        fixed = words[low:low_in] + words[max(low, high_in) : high]
        if inside and high - low > high_in - low_in and not frames.isdisjoint(fixed):
            return True
    return False


def _one_value(reading: Reading, low: int, high: int, sure: frozenset[str]) -> bool:
    """Whether a span is one value: not long, no label with its value, no typed value among function words, no word that
    only frames."""
    shape = reading.shape[low:high]
    if ":" in shape or high - low > _LONGEST_VALUE or not sure.isdisjoint(reading.words[low:high]):
        return False
    return not (any(s in TYPED for s in shape) and any(s in FUNCTION_WORDS for s in shape))
