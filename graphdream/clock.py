"""Time as it is written everywhere: UTC, ISO 8601, a closing Z. Clocks are passed in, so that a run can be repeated."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

TYPE_CHECKING = False  # as a type checker reads it
if TYPE_CHECKING:
    from datetime import datetime

Clock = Callable[[], str]
CLOCKS_DIFFER_SECONDS = 300.0  # as those of two machines that share a file may

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z")
_YEAR_OR_MONTH = re.compile(r"\d{4}(?:-\d\d)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def utc_now() -> str:
    """The time now, to the millisecond: `2026-04-01T00:00:00.000Z`."""
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{milliseconds:03}Z"


def stamp(text: str) -> str:
    """Read any ISO 8601 date or time into the form used everywhere; a time without a zone is taken as UTC.

    Text that is already in that form comes back as it is.

    Raises:
        ValueError: it is no date; the message shows what was given.
    """
    from datetime import UTC, datetime  # not above: a hook that only reads the clock does without

    if _STAMP.fullmatch(text):
        datetime.fromisoformat(text[:-1])
        return text
    moment = datetime.fromisoformat(text.strip())
    if _DAY.fullmatch(text.strip()):
        return f"{text.strip()}T00:00:00Z"
    try:
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"is out of range: {text!r}") from None
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def dated(text: str) -> tuple[str, str]:
    """Read a year, a month, a day or a time: its first moment as a stamp, and how exactly that is known.

        dated("2026-03")  ->  ("2026-03-01T00:00:00Z", "month")

    Raises:
        ValueError: it is none of these.
    """
    text = text.strip()
    if _YEAR_OR_MONTH.fullmatch(text):
        return stamp(f"{text}-01-01"[:10]), "year" if len(text) == 4 else "month"
    return stamp(text), "day" if _DAY.fullmatch(text) else "time"


def seconds_between(earlier: str, later: str) -> float:
    """Seconds from one stamp to another; negative where they are the other way round."""
    return (_moment(later) - _moment(earlier)).total_seconds()


def is_ahead(moment: str, now: str) -> bool:
    """Whether a time on record is yet to come: a clock ran ahead when it was noted, so nothing is counted from it."""
    return seconds_between(now, moment) > CLOCKS_DIFFER_SECONDS


def shifted(moment: str, seconds: float) -> str:
    """The stamp so many seconds later; the first or the last that there is, where that is beyond all years."""
    from datetime import UTC, datetime, timedelta

    try:
        later = _moment(moment) + timedelta(seconds=seconds)
    except OverflowError:
        later = (datetime.max if seconds > 0 else datetime.min).replace(tzinfo=UTC)
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(text: str) -> datetime:
    from datetime import datetime

    return datetime.fromisoformat(text.replace("Z", "+00:00"))
