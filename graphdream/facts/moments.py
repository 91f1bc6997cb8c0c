"""Moments: ISO 8601 times as numbers."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

_DAY_SECONDS = 86_400.0


@lru_cache(maxsize=200_000)
def days(moment: str) -> float:
    """Days since 1970 of an ISO 8601 moment; 0.0 for what is none."""
    try:
        when = datetime.fromisoformat(moment)
    except ValueError:
        return 0.0
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() / _DAY_SECONDS
