"""The times of a fact in the world, in words: since and until when it holds, when it happened, when to look again."""

from __future__ import annotations

_SIGNS = {"year": 4, "month": 7, "day": 10}  # of a stamp that are known
_BEGINS = {"year": "-01-01T00:00:00Z", "month": "-01T00:00:00Z", "day": "T00:00:00Z"}  # what follows them at its start


def in_words(
    *, valid_from: str | None, valid_to: str | None, occurred_at: str | None, review_after: str | None,
    precision: str | None,
) -> list[str]:  # fmt: skip
    """`["since 2020", "until 2031-05"]`: the times that are known, each as exactly as it is.

    Args:
        valid_from, valid_to, occurred_at, review_after: stamps, None where nobody knows.
        precision: how exactly the least exact of the first three is known: year, month, day or time; None: a day.
    """
    times = (("since", valid_from), ("until", valid_to), ("on", occurred_at))
    known = [(word, stamp) for word, stamp in times if stamp]
    units = exactness([stamp for _, stamp in known], precision)
    words = [f"{word} {stamp[: _SIGNS.get(unit)]}" for (word, stamp), unit in zip(known, units, strict=True)]
    return words + ([f"look again after {review_after[:10]}"] if review_after else [])


def exactness(stamps: list[str], precision: str | None) -> list[str]:
    """How exactly each of the times of a fact in the world is known: year, month, day or time.

    There is one precision for all of them, that of the least exact. A year is written as the first moment of it, so
    where one of the times is such a moment, the precision is told of that one, and a time that is in the midst of a
    year was given by its month or its day. (A time of day is shown only where all are known that exactly: the end of a
    fact that was replaced is the moment at which the next was told.) Where none is, somebody wrote more than they know
    of each of them, and said so by the precision.
    """
    coarsest = precision or "day"
    if coarsest not in _SIGNS:
        return [coarsest] * len(stamps)
    if not any(_is_first(stamp, coarsest) for stamp in stamps):
        return [coarsest] * len(stamps)
    finer = list(_SIGNS)[list(_SIGNS).index(coarsest) :]
    return [next((unit for unit in finer if _is_first(stamp, unit)), "day") for stamp in stamps]


def _is_first(stamp: str, unit: str) -> bool:
    """Whether a stamp is the first moment of a year, a month or a day."""
    return stamp[_SIGNS[unit] :] == _BEGINS[unit]
