"""How long to wait before what failed is tried again."""

from __future__ import annotations

_MOST_MINUTES = 60.0
_MOST_DOUBLINGS = 60  # beyond them any wait is the longest, and 2.0 to the power of the failures no number any more


def minutes_before_retry(first: float, failures: int) -> float:
    """Minutes after the last failure: those after the first one, doubled with each further failure, up to an hour."""
    return float(min(_MOST_MINUTES, first * 2.0 ** min(failures - 1, _MOST_DOUBLINGS)))
