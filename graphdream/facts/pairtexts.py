"""What the texts of two statements show by themselves, whatever else the graph holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from graphdream.facts.cover import has_another_number
from graphdream.facts.statements import beside_words
from graphdream.language.formatting import bare
from graphdream.language.labels import label_of, without_digits
from graphdream.language.scripts import STROKE, status_marks
from graphdream.scoring.curve import Ints

Table = NDArray[np.float32]
COLUMNS = (
    "ratio", "begins_a", "begins_b", "cut_a", "cut_b", "inside_a", "inside_b", "marks_differ", "beside_differs",
    "same_label", "numbered",
)  # fmt: skip
"""Likeness letter by letter; whether one is the beginning of the other, one that stops inside a word, or stands in it;
whether their marks differ, or one is struck out, and what else two texts of the same words may differ in; whether they
have one label, or one but for its digits (NaN where not both have any)."""
_LEAST_INSIDE = 3
"""A text of so many letters stands in another by chance."""


def compare_texts(texts: Sequence[str], low: Ints, high: Ints) -> Table:
    """Measure pairs of texts, shape (pairs, COLUMNS).

    Args:
        texts: all texts, as they were written.
        low, high: shape (pairs,), places of the texts of each pair.
    """
    there, place = np.unique(np.stack([low, high]), return_inverse=True)
    one, other = place.reshape(2, -1)
    read = [texts[at] for at in there.tolist()]
    plain = [bare(text).casefold() for text in read]
    first, second = [plain[at] for at in one.tolist()], [plain[at] for at in other.tolist()]
    marks = [status_marks(text) for text in read]
    struck = np.array([STROKE in found for found in marks], dtype=np.bool_)
    mark, beside = _Spelled(marks), _Spelled([beside_words(text) for text in read])
    labels = [label_of(text)[0] for text in read]
    label, without = _Spelled(labels), _Spelled([without_digits(found) for found in labels])
    forth, back = _within(first, second), _within(second, first)
    same = label.equal(one, other)
    columns = (
        process.cpdist(first, second, scorer=fuzz.ratio, dtype=np.float32, workers=-1) / 100 if first else np.zeros(0),
        *(column for pair in zip(forth.T, back.T, strict=True) for column in pair),
        (mark.equal(one, other) == 0) | (struck[one] != struck[other]),
        beside.equal(one, other) == 0,
        same,
        without.equal(one, other) * (label.of[one] != label.of[other]),
    )
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


class _Spelled:
    """Something of each text, by numbers that are equal where it is; `of`: shape (texts,), -1 where there is none."""

    def __init__(self, found: Sequence[Sequence[str]]) -> None:
        numbers: dict[Sequence[str], int] = {}
        self.of = np.array([numbers.setdefault(one, len(numbers)) if one else -1 for one in found], dtype=np.int64)

    def equal(self, one: Ints, other: Ints) -> Table:
        """Of pairs of texts, 1.0 where it is equal, 0.0 where it is not, NaN where not both have any."""
        first, second = self.of[one], self.of[other]
        return np.where((first >= 0) & (second >= 0), first == second, np.nan).astype(np.float32)


def _within(short: Sequence[str], long: Sequence[str]) -> Table:
    """Shape (pairs, 3): whether one text begins another, stops inside a word of it, or stands in it."""
    out = np.zeros((len(short), 3), dtype=np.float32)
    for at, (piece, whole) in enumerate(zip(short, long, strict=True)):
        if piece in whole:
            out[at] = _begins(piece, whole), _cut_in_word(piece, whole), _stands_in(piece, whole)
    return out


def _begins(short: str, long: str) -> bool:
    return short != long and long.startswith(short) and not has_another_number(short, long)


def _stands_in(short: str, long: str) -> bool:
    return len(short) > _LEAST_INSIDE and short in long and not has_another_number(short, long)


def _cut_in_word(short: str, long: str) -> bool:
    """Whether a text is the beginning of a longer one and stops inside a word of it."""
    return bool(short) and _begins(short, long) and short[-1].isalnum() and long[len(short)].isalnum()
