"""The times that come with a fact, as a person writes them: checked where they are told, whenever they are written.

A hook goes through here, so only the standard library is loaded.
"""

from __future__ import annotations

from graphdream.clock import dated, stamp
from graphdream.errors import UsageError

TOLD_TIMES = ("valid_from", "valid_to", "occurred_at", "review_after")
_FROM_COARSE = ("year", "month", "day", "time")


def told_at(text: str) -> str:
    """When it was said, as a stamp; "" where that was not given. Raises UsageError where the text is no time."""
    try:
        return stamp(text) if text else ""
    except ValueError as fault:
        raise UsageError(f"{text!r} is not a time", "for example 2026-04-01, or 2026-04-01T18:00") from fault


def world_times(**texts: str) -> dict[str, str]:
    """The times of `TOLD_TIMES` that were given, as stamps, with `precision`: how exactly the least exact is known.

    Raises:
        UsageError: one is no time, or it would hold until before it began.
    """
    times: dict[str, str] = {}
    exactness: list[str] = []
    for name, text in texts.items():
        try:
            stamped, exactly = dated(text) if text else ("", "")
        except ValueError as fault:
            raise UsageError(f"{text!r} is not a time", "a year, 2026-03, 2026-03-01 or 2026-03-01T18:00") from fault
        if stamped:
            times[name] = stamped
        if stamped and name != "review_after":
            exactness.append(exactly)
    if exactness:
        times["precision"] = min(exactness, key=_FROM_COARSE.index)
    if "valid_to" in times and times["valid_to"] < times.get("valid_from", ""):
        raise UsageError("it would hold until a time before it began", "give --valid-from and --valid-to in order")
    return times
