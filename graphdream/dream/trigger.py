"""Is a pass due, and if not, which gate is closed and what would open it.

Where dreaming is switched off, a local tier is left: sessions are read without a model when a pass would have been due.

Two kinds of gate. *Barriers* keep passes from running: dreaming switched off, a halt, a back-off, a held lease; all
must be open. *Reasons* make one run: a first run with something to work on, enough unread tokens, anything unread for
long enough; one is enough. A person who asks for a pass passes every gate but a held lease.

Source: the dreaming of Signet, an agent memory. The back-off is of the wall clock: where it multiplied the
token threshold, a quiet user's dreaming never came back after an outage.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from graphdream.clock import is_ahead, seconds_between, shifted
from graphdream.dream import lease
from graphdream.dream.soundness import unsound_newest
from graphdream.dream.state import DreamState, told_state
from graphdream.events.counter import Backlog, backlog

if TYPE_CHECKING:
    from graphdream.config import Dreaming
    from graphdream.events.tokens import Tokenizer
    from graphdream.graph.store import Store

    TriggerSettings: TypeAlias = "Dreaming | DreamingSettings"

Mode = Literal["compact", "incremental"]
_MINUTE = 60.0
_HOUR = 3600.0


class DreamingSettings(NamedTuple):
    """What of `graphdream.config.Dreaming` decides when a pass runs, with its defaults.

    For where nothing is configured: the configuration's own model takes longer to load than a hook has.

    Attributes:
        enabled: False keeps passes from starting by themselves, but for one that only reads sessions, without a model.
        token_threshold: unread tokens at which a pass is due.
        max_interval: hours after the last pass at which one is due for anything unread.
        backfill_on_first_run: whether a first pass compacts what is there already.
        backoff: minutes to wait after a failed pass, doubled with each further failure.
        max_backoff_doublings: how many times the wait doubles at most.
        halt_after_failures: failed passes in a row after which dreaming halts.
        halt_duration: hours a halt lasts, from the last failure.
    """

    enabled: bool = True
    token_threshold: int = 100_000
    max_interval: float = 6
    backfill_on_first_run: bool = True
    backoff: float = 5
    max_backoff_doublings: int = 6
    halt_after_failures: int = 5
    halt_duration: float = 24


class Gate(NamedTuple):
    """One gate.

    Attributes:
        name: "enabled", "halt", "back-off", "lease" (barriers); "first-run", "threshold", "interval" (reasons).
        is_open: a barrier that lets pass, a reason that is given.
        detail: how it stands, in words.
        opens: what would open a closed one, in words; "" for an open one, and for one that never opens again.
        opens_at: the stamp from which on it is open by itself, where that is known.
    """

    name: str
    is_open: bool
    detail: str
    opens: str = ""
    opens_at: str | None = None


class Due(NamedTuple):
    """A pass that should run now; `trigger` names what started it: a reason's name, or "manual"."""

    mode: Mode
    trigger: str


class Status(NamedTuple):
    """How dreaming stands at one moment.

    Attributes:
        due: the pass that should start now, None where a gate is closed.
        closed: the gate that stands in the way, with what opens it; None where a pass is due.
        barriers: in the order they are asked.
        reasons: likewise; the first open one names the pass's trigger.
        backlog: what is unread.
        holder: the living holder of the lease.
        state: failures and the last pass.
    """

    due: Due | None
    closed: Gate | None
    barriers: tuple[Gate, ...]
    reasons: tuple[Gate, ...]
    backlog: Backlog
    holder: lease.Holder | None
    state: DreamState


def gates(
    store: Store,
    settings: TriggerSettings,
    now: str,
    *,
    tokenizer: Callable[[], Tokenizer] | None = None,
    reading: bool = False,
) -> Status:
    """Look at every gate. What was recorded last is looked at, whether or not it says that it was read; rows that are
    not as they were sealed are noted in `store.seal.left_out`.

    Args:
        store: the agent's file.
        settings: thresholds and waiting times.
        now: the time, a stamp.
        tokenizer: for summaries that are not counted yet (`graphdream.events.counter.backlog`).
        reading: write nothing, likewise.
    """
    unread = backlog(store, tokenizer, reading=reading)
    connection = store.connection
    with store.reading():
        unsound_newest(store)
        state = told_state(store)
        present = lease.read_holder(connection)
        has_entities = not state.ever_ended_well and _has_entities(connection)
    holder = present if present is not None and lease.is_alive(present, now) else None
    barriers = (
        _enabled_gate(settings),
        _halt_gate(settings, state, now),
        _backoff_gate(settings, state, now),
        _lease_gate(holder),
    )
    threshold = _threshold_gate(settings, unread)
    interval = _interval_gate(settings, state, unread, now)
    reasons = (_first_run_gate(settings, state, unread, has_entities), threshold, interval)
    closed = next((gate for gate in barriers if not gate.is_open), None)
    reason = next((gate for gate in reasons if gate.is_open), None)
    if closed is None and reason is None:
        closed = _no_reason(unread, threshold, interval)
    now_due = None
    if closed is None and reason is not None:
        now_due = Due(next_mode(store, settings), reason.name)
    return Status(now_due, closed, barriers, reasons, unread, holder, state)


def due(
    store: Store,
    settings: TriggerSettings,
    now: str,
    *,
    manual: bool = False,
    tokenizer: Callable[[], Tokenizer] | None = None,
) -> Due | None:
    """The pass that should start now, None where none should.

    Args:
        store: the agent's file.
        settings: as for `gates`.
        now: likewise.
        manual: a person asked for a pass: every gate but the lease is overridden.
        tokenizer: as for `gates`.

    Raises:
        BusyError: `manual`, and a living process holds the lease.
    """
    if not manual:
        return gates(store, settings, now, tokenizer=tokenizer).due
    present = lease.read_holder(store.connection)
    if present is not None and lease.is_alive(present, now):
        raise lease.busy(present)
    return Due(next_mode(store, settings), "manual")


def local_tier_is_due(store: Store, settings: TriggerSettings, now: str) -> bool:
    """Whether sessions should be read now without a model: dreaming is switched off, and without that a pass would be
    due that had something to read."""
    if settings.enabled:
        return False
    status = gates(store, settings, now)
    is_free = all(gate.is_open for gate in status.barriers if gate.name != "enabled")
    return is_free and status.backlog.oldest is not None and any(gate.is_open for gate in status.reasons)


def next_mode(store: Store, settings: TriggerSettings) -> Mode:
    """What the next pass should be: a compaction where there is a graph and never was a pass, else what is new."""
    if settings.backfill_on_first_run and not told_state(store).ever_ended_well:
        return "compact" if _has_entities(store.connection) else "incremental"
    return "incremental"


def clock_text(stamp: str) -> str:
    """A stamp as a person reads it: `2026-04-01 14:05 UTC`."""
    return f"{stamp[:10]} {stamp[11:16]} UTC"


def _has_entities(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM entity WHERE status = 'active')").fetchone()[0])


# ---------------------------------------------------------------------- barriers


def _enabled_gate(settings: TriggerSettings) -> Gate:
    if settings.enabled:
        return Gate("enabled", True, "dreaming is on")
    opens = "memory.dreaming.enabled: true opens it, or --trigger once; till then sessions are read without a model"
    return Gate("enabled", False, "dreaming is off", opens)


def _halt_gate(settings: TriggerSettings, state: DreamState, now: str) -> Gate:
    failures = state.consecutive_failures
    if failures < settings.halt_after_failures or state.last_failure_at is None:
        return Gate("halt", True, f"{failures} of {settings.halt_after_failures} failures in a row")
    until = shifted(state.last_failure_at, settings.halt_duration * _HOUR)
    said = f"halted after {failures} failures in a row, the last: {state.last_error}"
    return _waiting_gate("halt", said, state.last_failure_at, until, now)


def _backoff_gate(settings: TriggerSettings, state: DreamState, now: str) -> Gate:
    failures = state.consecutive_failures
    if not failures or state.last_failure_at is None:
        return Gate("back-off", True, "the last pass did not fail")
    doublings = min(failures - 1, settings.max_backoff_doublings)
    until = shifted(state.last_failure_at, settings.backoff * _MINUTE * 2**doublings)
    said = f"failed {failures} time{'s' if failures > 1 else ''} in a row, the last: {state.last_error}"
    return _waiting_gate("back-off", said, state.last_failure_at, until, now)


def _waiting_gate(name: str, said: str, since: str, until: str, now: str) -> Gate:
    if seconds_between(now, until) <= 0 or is_ahead(since, now):
        return Gate(name, True, said)
    return Gate(name, False, said, f"opens at {clock_text(until)}, or --trigger", until)


def _lease_gate(holder: lease.Holder | None) -> Gate:
    if holder is None:
        return Gate("lease", True, "no pass is running")
    said = f"a pass is running: pid {holder.pid} on {holder.host}, since {clock_text(holder.acquired_at)}"
    opens = f"opens when it ends, at the latest at {clock_text(holder.deadline_at)}"
    return Gate("lease", False, said, opens)


# ----------------------------------------------------------------------- reasons


def _first_run_gate(settings: TriggerSettings, state: DreamState, unread: Backlog, has_entities: bool) -> Gate:
    if not settings.backfill_on_first_run:
        return Gate("first-run", False, "switched off", "memory.dreaming.backfillOnFirstRun: true opens it")
    if state.ever_ended_well:
        # Where nothing was to do, no pass was written; none is looked for again on that account.
        said = "the first pass was made" if state.last_pass_at else "the first look found nothing to do"
        return Gate("first-run", False, said)
    if not has_entities and not unread.sessions:
        return Gate("first-run", False, "nothing is in memory", "an import or a recorded session opens it")
    what = "the graph was never compacted" if has_entities else "there was never a pass"
    return Gate("first-run", True, what)


def _threshold_gate(settings: TriggerSettings, unread: Backlog) -> Gate:
    said = f"{unread.tokens:,} of {settings.token_threshold:,} tokens"
    missing = settings.token_threshold - unread.tokens
    if missing <= 0:
        return Gate("threshold", True, said)
    return Gate("threshold", False, said, f"{missing:,} more open it")


def _interval_gate(settings: TriggerSettings, state: DreamState, unread: Backlog, now: str) -> Gate:
    hours = f"{settings.max_interval:g} hour{'' if settings.max_interval == 1 else 's'}"
    if unread.oldest is None:
        return Gate("interval", False, "nothing is unread", f"a recorded session opens it {hours} after the last pass")
    ended = [moment for moment in (state.last_pass_at, state.last_checked_at) if moment and not is_ahead(moment, now)]
    since = max(ended, key=lambda moment: seconds_between(ended[0], moment)) if ended else unread.oldest
    if is_ahead(since, now):
        said = f"what is unread is dated {clock_text(since)}, which is yet to come: a clock ran ahead"
        return Gate("interval", True, said)
    until = shifted(since, settings.max_interval * _HOUR)
    said = f"last {'pass' if ended else 'unread session'} at {clock_text(since)}, every {hours} at the latest"
    if seconds_between(now, until) <= 0:
        return Gate("interval", True, said)
    return Gate("interval", False, said, f"opens at {clock_text(until)}", until)


def _no_reason(unread: Backlog, threshold: Gate, interval: Gate) -> Gate:
    """What stands in the way where no barrier does: nothing to do, or not enough of it yet."""
    if unread.oldest is None:
        return Gate("nothing to do", False, "nothing is unread", "a recorded session opens it, or --trigger")
    opens = f"{threshold.opens}, or it {interval.opens}"
    return Gate(threshold.name, False, threshold.detail, opens, interval.opens_at)
