"""Some rows of a table, however many: SQL conditions that ask for them in parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

_CHUNK = 500  # ids in one IN list; SQLite's default limit of parameters is far above


def conditions_of(scope: Collection[Any] | None) -> Iterable[tuple[str, tuple[Any, ...]]]:
    """SQL conditions on a column, with their parameters, that together cover the scope; None covers everything."""
    if scope is None:
        yield "1", ()
        return
    ids = sorted(scope)
    for start in range(0, len(ids), _CHUNK):
        part = tuple(ids[start : start + _CHUNK])
        yield f"{{column}} IN ({', '.join('?' * len(part))})", part
