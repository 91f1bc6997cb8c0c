"""Cover: whether one text says all that another does, so that it can stand for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from graphdream.facts.words import DANGLING
from graphdream.graph.names import canonical_text
from graphdream.language.labels import label_of
from graphdream.mutations.grounding import dates_among, lost_specifics

_LABELLED = ":"
"""What a reading has behind a label, whatever sets it off."""
_MORE_DIGITS = re.compile(r"\d+(?![.,:/-]?\d)")
"""The rest of a number that ends there: no day, time or version."""


def telling_dates(source: str, replacement: str) -> tuple[str, ...]:
    """The dates that a duplicate has and its survivor lacks: they belong to the telling ("as of May")."""
    if canonical_text(source) == canonical_text(replacement):
        return ()
    return tuple(sorted(dates_among(lost_specifics((source,), replacement, ()), (source,))))


@lru_cache(maxsize=200_000)
def covers(replacement: str, source: str, names: tuple[str, ...]) -> bool:
    """Whether a text has every name, number and identifier of another; its subject's own `names` do not count.

    Kept: a group asks to find its survivor, whoever proposes the merge asks again, and so does every look of a pass.
    """
    return lost_specifics((source,), replacement, names) <= set(telling_dates(source, replacement))


def breaks_off(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a text stops inside a word of another, or at one that nothing ends with: `the port is`. A number is a
    piece of a longer one only where the other goes on behind that, and where it is not all that a label has: `retries:
    3` is another answer than `retries: 30`, and than `retries: 30 a day` (`has_another_number`).
    """
    if not one or one[-1] in DANGLING:
        return True
    before, last = one[-2:-1], one[-1]
    whole = list(before) == [_LABELLED] and last.isdigit()
    ends = len(other) - 1 if last[-1:].isdigit() else len(other)
    after = (word for at, word in enumerate(other[:ends]) if other[max(0, at - 1) : at] == before)
    return any(
        word.startswith(last) and word != last and not (whole and _MORE_DIGITS.match(word, len(last))) for word in after
    )


def has_another_number(short: str, long: str) -> bool:
    """Whether a text is a longer one but for digits at the end of its last number: `retries: 3`, `retries: 30`. It is
    no piece of that, but another answer.

    So, too, where the longer goes on behind the number, if the number is all that a label has: `limit: 5` was hardly
    cut out of `limit: 50 a minute` at the one place where it is whole. A day or a time is one number: `start: 2` may
    well be a piece of `start: 2026-05-01`.
    """
    if not short[-1:].isdigit() or not long.startswith(short):
        return False
    rest = long[len(short) :]
    return rest.isdigit() or (label_of(short)[1].isdigit() and bool(_MORE_DIGITS.match(rest)))
