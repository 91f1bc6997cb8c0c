"""The time in the world that a statement speaks of, as the fields of a fact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphdream.language.calendar import time_meant


def time_told(statement: str, told_at: str, languages: Iterable[str | None]) -> dict[str, Any]:
    """`occurred_at`, `valid_from` and `precision` of a statement, those that it tells; the names are a new fact's.

    A day that has come is one since which the fact holds; one to come is when something happens, and the fact that it
    will is known already.

    Args:
        told_at: when it was said, a stamp; `yesterday` is the day before.
        languages: those that it may be in. Where it is not known in which, none, and only figures are read; where two
            of them read two times, none is told.
    """
    found = {time_meant(statement, told_at, language) for language in tuple(languages) or (None,)} - {None}
    if len(found) != 1:
        return {}
    (meant,) = found
    assert meant is not None
    day = meant.first.isoformat()
    told = {"occurred_at": day}
    if day <= told_at[:10]:
        told["valid_from"] = day
    if meant.precision != "day":
        told["precision"] = meant.precision
    return told
