"""The scheduler: runs cycles by themselves, by interval, cron, or where the agent was idle; waits while it is busy.

All that it knows is in the file: when the last cycle ended, how many failed since, when to try again. So a restart goes
on where it was, and of two on one file the second finds that nothing is due.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from graphdream.clock import Clock, is_ahead, seconds_between, shifted, utc_now
from graphdream.config import Cycle
from graphdream.dream.cron import Cron
from graphdream.dream.retrying import minutes_before_retry
from graphdream.errors import BusyError, GraphdreamError
from graphdream.graph.sealed import BY_NAME
from graphdream.graph.sealfault import changed_row
from graphdream.graph.sealread import is_sound_row

if TYPE_CHECKING:
    from graphdream.config import Settings
    from graphdream.graph.store import Store

_HOUR = 3600.0
_LONGEST_SLEEP = 60.0  # seconds; what is due may change meanwhile


class ScheduleState(NamedTuple):
    """What the file knows of the schedule; stamps, "" where there is none."""

    first_started_at: str = ""
    last_cycle_at: str = ""
    failures: int = 0
    retry_at: str = ""


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a cycle is due, and if not, why, and when to look again (seconds)."""

    now: bool
    why: str
    look_again: float


def read_schedule(connection: sqlite3.Connection) -> ScheduleState:
    """The state as it is now."""
    row = connection.execute(
        "SELECT first_started_at, last_cycle_at, failures, retry_at FROM schedule WHERE id = 1"
    ).fetchone()
    return ScheduleState(row[0] or "", row[1] or "", row[2], row[3] or "")


def sound_schedule(store: Store) -> ScheduleState:
    """The state as it is now, where it is what was sealed: a day far off, put there by somebody else, would end all
    cycles, and nothing that is written would come upon it.

    Raises:
        IntegrityError: the file, or the state, is not what was sealed.
    """
    table = BY_NAME["schedule"]
    store.seal.require_sound()
    with store.reading():
        if not is_sound_row(store.seal, table, 1):
            store.seal.meet([changed_row(table.kind, 1)])
        return read_schedule(store.connection)


def last_word_at(connection: sqlite3.Connection) -> str:
    """When the agent was last spoken to, as far as is on record; "" where it never was."""
    said = connection.execute(
        "SELECT max(said_at) FROM (SELECT said_at FROM turn ORDER BY id DESC LIMIT 200)"
        " UNION ALL SELECT max(recorded_at) FROM session WHERE kind = 'session'"
        " UNION ALL SELECT max(recorded_at) FROM (SELECT recorded_at FROM observed WHERE kind <> 'reading'"
        " ORDER BY id DESC LIMIT 200)"
    )
    return max((row[0] for row in said if row[0]), default="")


def due(
    state: ScheduleState, settings: Cycle, *, now: str, started_at: str, last_word: str,
    local: Callable[[str], datetime] | None = None,
) -> Due:  # fmt: skip
    """Whether a cycle is due. A pure function of what is passed in.

    Args:
        started_at: when this service began.
        local: a stamp -> the local time, for cron and the night; None: the machine's.
    """
    to_local = local or _local
    if not settings.enabled:
        return Due(False, "switched off: memory.cycle.enabled", _LONGEST_SLEEP)
    if (left := seconds_between(now, shifted(started_at, settings.initial_delay * 60))) > 0:
        return Due(False, f"the initial delay has {left:.0f} seconds left", left)
    if state.last_cycle_at and is_ahead(state.last_cycle_at, now):
        state = state._replace(last_cycle_at="", retry_at="")
    if state.failures and state.retry_at:
        left = seconds_between(now, state.retry_at)
        slot = seconds_between(now, _slot(state, settings, to_local)) if state.last_cycle_at else 0.0
        if left > 0 and (slot > 0 or not state.last_cycle_at):
            return Due(False, f"the last cycle failed; tried again at {state.retry_at[:19]}", left)
    elif state.last_cycle_at:
        left = seconds_between(now, _slot(state, settings, to_local))
        if left > 0:
            return Due(False, f"the next cycle is due in {left:.0f} seconds", left)
    quiet = seconds_between(last_word, now) if last_word and not is_ahead(last_word, now) else float("inf")
    if quiet < settings.busy_seconds:
        return Due(False, "the agent is busy", settings.busy_poll)
    if settings.when_idle and (why := _awake(settings, quiet / _HOUR, to_local(now), state, now)):
        return Due(False, why, _LONGEST_SLEEP)
    return Due(True, "due", 0.0)


def _slot(state: ScheduleState, settings: Cycle, to_local: Callable[[str], datetime]) -> str:
    """When the next cycle is due after the last one."""
    if settings.cron is None:
        hours = settings.cool_down if settings.when_idle else settings.interval
        return shifted(state.last_cycle_at, hours * _HOUR)
    at = Cron.parse(settings.cron).next_after(to_local(state.last_cycle_at))
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _awake(settings: Cycle, idle_hours: float, at: datetime, state: ScheduleState, now: str) -> str:
    """Why dream mode does not begin now; "" where it may. Source of the conditions: WASP's dream mode."""
    if idle_hours < settings.idle_hours:
        return f"idle for {idle_hours:.1f} of {settings.idle_hours:g} hours"
    night = settings.night_from <= at.hour < settings.night_to
    if not night and idle_hours < settings.idle_alone_hours:
        return f"by day, idle for {idle_hours:.1f} of {settings.idle_alone_hours:g} hours"
    if state.last_cycle_at and seconds_between(state.last_cycle_at, now) < settings.cool_down * _HOUR:
        return "cooling down"
    return ""


def _local(stamp: str) -> datetime:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).astimezone()


class StopServiceError(BaseException):
    """Ends the service at once, also in the middle of a pass: its transaction is rolled back, its lease given back."""


class Dreamt(Protocol):
    """What the scheduler tells of a dream."""

    @property
    def status(self) -> str:
        """What it came to."""


class Cycled(Protocol):
    """What the scheduler tells of a cycle."""

    @property
    def failed(self) -> Sequence[object]:
        """The passes that failed."""

    @property
    def summary(self) -> str:
        """What it did, in a line."""

    @property
    def seconds(self) -> float:
        """How long it took."""

    @property
    def tokens(self) -> int:
        """What models took."""


class Served(Protocol):
    """What is run: an agent's memory, as the library opens it."""

    @property
    def store(self) -> Store:
        """The file."""

    def settings(self) -> Settings:
        """The settings, read anew."""

    def dream_due(self) -> bool:
        """Whether a dream would fire now."""

    def dream(self, *, trigger: str) -> Dreamt:
        """Run a dream."""

    def cycle(self, *, trigger: str, stop: Callable[[], bool]) -> Cycled:
        """Run the passes that are due."""


class Scheduler:
    """Runs cycles until it is stopped.

    Args:
        graph: the agent's memory.
        tell: is told in a line what happens.
    """

    def __init__(
        self, graph: Served, *, tell: Callable[[str], None] = lambda line: None, clock: Clock = utc_now
    ) -> None:
        self._graph, self._tell, self._clock = graph, tell, clock
        self._stop = threading.Event()
        self._started_at = clock()
        self._told = ""

    def stop(self) -> None:
        """End after the pass that is running."""
        self._stop.set()

    def run(self, *, most_cycles: int | None = None) -> int:
        """Run until stopped, or so many cycles. Returns how many ran."""
        with self._graph.store.writing():
            self._graph.store.connection.execute(
                "UPDATE schedule SET first_started_at = coalesce(first_started_at, ?)", (self._started_at,)
            )
        ran = 0
        while not self._stop.is_set() and (most_cycles is None or ran < most_cycles):
            wait = self.tick()
            if wait is None:
                ran += 1
            else:
                self._stop.wait(min(wait, _LONGEST_SLEEP))
        return ran

    def tick(self) -> float | None:
        """Run a cycle where one is due, and return None; else return after how many seconds to look again.

        Raises:
            IntegrityError: the file is not what was sealed.
        """
        store, settings = self._graph.store, self._graph.settings().cycle
        found = due(
            sound_schedule(store), settings, now=self._clock(), started_at=self._started_at,
            last_word=last_word_at(store.connection),
        )  # fmt: skip
        if not found.now:
            if found.why != self._told and "seconds" not in found.why:
                self._tell(found.why)
            self._told = found.why
            return max(0.01, found.look_again)
        self._told = ""
        try:
            if self._graph.dream_due():
                self._tell(f"dream: {self._graph.dream(trigger='schedule').status}")
            report = self._graph.cycle(trigger="schedule", stop=self._stop.is_set)
        except BusyError as fault:
            self._tell(f"another pass is running: {fault}")
            return settings.busy_poll
        except GraphdreamError as fault:
            self._tell(f"the cycle failed: {fault}")
            self._note(store, settings, failed=True)
            return None
        if self._stop.is_set():
            return 0.01  # what was left out is due at the next start
        self._note(store, settings, failed=bool(report.failed))
        self._tell(f"cycle: {report.summary} ({report.seconds:g} s, {report.tokens:,} tokens)")
        return None

    def _note(self, store: Store, settings: Cycle, *, failed: bool) -> None:
        now = self._clock()
        with store.writing():
            failures = read_schedule(store.connection).failures + 1 if failed else 0
            minutes = minutes_before_retry(settings.retry, failures)
            store.connection.execute(
                "UPDATE schedule SET last_cycle_at = ?, failures = ?, retry_at = ? WHERE id = 1",
                (now, failures, shifted(now, minutes * 60) if failed else None),
            )


def next_cycle_at(state: ScheduleState, settings: Cycle) -> str:
    """When the next cycle is due by the schedule alone; "" where none has run yet."""
    return _slot(state, settings, _local) if state.last_cycle_at else ""


__all__ = [
    "Due",
    "ScheduleState",
    "Scheduler",
    "StopServiceError",
    "due",
    "last_word_at",
    "next_cycle_at",
    "read_schedule",
    "sound_schedule",
]
