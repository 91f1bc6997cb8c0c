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
    plain = {at: bare(texts[at]).casefold() for at in {*low.tolist(), *high.tolist()}}
    first, second = [plain[at] for at in low.tolist()], [plain[at] for at in high.tolist()]
    marks, beside = ({at: read(texts[at]) for at in plain} for read in (status_marks, beside_words))
    label = {at: label_of(texts[at])[0] for at in plain}
    without = {at: without_digits(found) for at, found in label.items()}
    rows = list(zip(low.tolist(), high.tolist(), strict=True))
    columns = (
        process.cpdist(first, second, scorer=fuzz.ratio, dtype=np.float32) / 100 if rows else np.zeros(0),
        [_begins(x, y) for x, y in zip(first, second, strict=True)],
        [_begins(y, x) for x, y in zip(first, second, strict=True)],
        [_cut_in_word(x, y) for x, y in zip(first, second, strict=True)],
        [_cut_in_word(y, x) for x, y in zip(first, second, strict=True)],
        [_stands_in(x, y) for x, y in zip(first, second, strict=True)],
        [_stands_in(y, x) for x, y in zip(first, second, strict=True)],
        [_differ(marks[x], marks[y]) or (STROKE in marks[x]) != (STROKE in marks[y]) for x, y in rows],
        [_differ(beside[x], beside[y]) for x, y in rows],
        [_equal(label[x], label[y]) for x, y in rows],
        [_equal(without[x], without[y]) * (label[x] != label[y]) for x, y in rows],
    )
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def _begins(short: str, long: str) -> bool:
    return short != long and long.startswith(short) and not has_another_number(short, long)


def _stands_in(short: str, long: str) -> bool:
    return len(short) > _LEAST_INSIDE and short in long and not has_another_number(short, long)


def _cut_in_word(short: str, long: str) -> bool:
    """Whether a text is the beginning of a longer one and stops inside a word of it."""
    return bool(short) and _begins(short, long) and short[-1].isalnum() and long[len(short)].isalnum()


def _equal(a: str, b: str) -> float:
    """Whether two labels are one, NaN where there are not two."""
    return float(a == b) if a and b else np.nan


def _differ(a: Sequence[str], b: Sequence[str]) -> bool:
    return bool(a and b) and a != b
