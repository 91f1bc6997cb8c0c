"""When a pass runs by itself, and what --status says where none does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.clock import shifted
from graphdream.config import Dreaming
from graphdream.dream import state
from graphdream.dream.lease import this_host
from graphdream.dream.trigger import DreamingSettings, Due, Gate, Status, due, gates, next_mode
from graphdream.errors import BusyError
from graphdream.events.counter import mark_read
from graphdream.events.record import record
from graphdream.events.tokens import EstimatingTokenizer
from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, open_pass

T0 = "2026-04-01T12:00:00Z"
MINUTE, HOUR = 60, 3600
SETTINGS = DreamingSettings(token_threshold=100)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as store:
        yield store


@pytest.fixture
def dreamt(store: Store) -> Store:
    """A file whose last pass was at T0, with nothing unread."""
    state.succeeded(store, pass_id=1, mode="compact", now=T0)
    return store


def session(store: Store, tokens: int, at: str = T0, key: str = "") -> None:
    """A session of so many tokens (four characters each)."""
    record(store, key or f"s{tokens}", summary="wor " * (tokens - 1) + "end.", clock=lambda: at)


def entity(store: Store) -> None:
    with open_pass(store, PassHeader(kind="import")) as current:
        store.connection.execute(
            "INSERT INTO entity (uid, name, canonical, version) VALUES ('e', 'Ada', 'ada', ?)", (current.id,)
        )


def look(store: Store, after: float = 0, settings: DreamingSettings = SETTINGS) -> Status:
    """The gates so many seconds after T0."""
    return gates(store, settings, shifted(T0, after), tokenizer=EstimatingTokenizer)


def closed(store: Store, after: float = 0, settings: DreamingSettings = SETTINGS) -> Gate:
    status = look(store, after, settings)
    assert status.due is None and status.closed is not None
    return status.closed


def test_the_defaults_are_those_of_the_configuration() -> None:
    configured = Dreaming()
    assert DreamingSettings() == tuple(getattr(configured, name) for name in DreamingSettings._fields)


def test_nothing_was_ever_recorded(store: Store) -> None:
    gate = closed(store)
    assert (gate.name, gate.detail) == ("nothing to do", "nothing is unread")
    assert "session" in gate.opens


def test_first_run_compacts_a_graph(store: Store) -> None:
    entity(store)
    assert look(store).due == Due("compact", "first-run")
    state.nothing_to_do(store, now=T0)
    assert closed(store).name == "nothing to do"


def test_first_run_reads_sessions_where_there_is_no_graph(store: Store) -> None:
    session(store, 1)
    assert look(store).due == Due("incremental", "first-run")


def test_first_run_can_be_switched_off(store: Store) -> None:
    entity(store)
    session(store, 1)
    settings = SETTINGS._replace(backfill_on_first_run=False)
    assert closed(store, settings=settings).name == "threshold"
    assert next_mode(store, settings) == "incremental"
    assert look(store, 6 * HOUR, settings).due == Due("incremental", "interval")


def test_threshold_says_what_is_missing_and_when_time_alone_opens(dreamt: Store) -> None:
    session(dreamt, 30)
    gate = closed(dreamt, HOUR)
    assert gate == Gate(
        "threshold", False, "30 of 100 tokens", "70 more open it, or it opens at 2026-04-01 18:00 UTC",
        "2026-04-01T18:00:00.000Z",
    )  # fmt: skip
    session(dreamt, 69)
    assert closed(dreamt, HOUR).detail == "99 of 100 tokens"
    session(dreamt, 1)
    assert look(dreamt, HOUR).due == Due("incremental", "threshold")


def test_large_figures_are_readable(dreamt: Store) -> None:
    session(dreamt, 31_200)
    gate = closed(dreamt, settings=DreamingSettings())
    assert (gate.detail, gate.opens.split(",")[1]) == ("31,200 of 100,000 tokens", "800 more open it")


def test_after_the_interval_anything_unread_is_enough(dreamt: Store) -> None:
    assert closed(dreamt, 100 * HOUR).name == "nothing to do"
    session(dreamt, 1)
    assert closed(dreamt, 6 * HOUR - 1).name == "threshold"
    assert look(dreamt, 6 * HOUR).due == Due("incremental", "interval")


def test_a_check_that_found_nothing_starts_the_interval_again(dreamt: Store) -> None:
    session(dreamt, 1)
    state.nothing_to_do(dreamt, now=shifted(T0, 5 * HOUR))
    assert closed(dreamt, 10 * HOUR).opens_at == shifted(T0, 11 * HOUR)


def test_a_clock_that_once_ran_ahead_keeps_no_gate_closed(dreamt: Store) -> None:
    years = 30 * 365 * 24 * HOUR
    session(dreamt, 1)
    with dreamt.writing():
        dreamt.connection.execute("UPDATE dream_state SET last_pass_at = ?", (shifted(T0, years),))
    assert look(dreamt, 6 * HOUR).due == Due("incremental", "interval")
    state.nothing_to_do(dreamt, now=shifted(T0, years))
    assert look(dreamt, 6 * HOUR).due == Due("incremental", "interval")
    state.nothing_to_do(dreamt, now=shifted(T0, 7 * HOUR))  # the clock is right again
    assert look(dreamt, 13 * HOUR).due == Due("incremental", "interval")
    assert closed(dreamt, 12 * HOUR).name == "threshold"
    for _ in range(6):
        state.failed(dreamt, "no answer", now=shifted(T0, years))
    assert look(dreamt, 13 * HOUR).due == Due("incremental", "interval")


def test_sessions_of_a_clock_that_ran_ahead_make_a_pass_due(dreamt: Store) -> None:
    record(dreamt, "ahead", summary="Told by another clock.", clock=lambda: "2056-04-01T00:00:00Z")
    with dreamt.writing():
        dreamt.connection.execute(
            "UPDATE dream_state SET last_pass_at = '2056-04-01T00:00:00Z', last_checked_at = NULL"
        )
    assert look(dreamt, 1).due == Due("incremental", "interval")


def test_observations_alone_are_something_unread(dreamt: Store) -> None:
    record(dreamt, "s", observations=["Ada is away."], clock=lambda: T0)
    assert look(dreamt, 6 * HOUR).due == Due("incremental", "interval")


def test_what_a_pass_read_makes_none_due_and_what_came_meanwhile_does(dreamt: Store) -> None:
    session(dreamt, 100, key="shown")
    session(dreamt, 40, key="meanwhile")
    with open_pass(dreamt, PassHeader(kind="dream")) as current:
        mark_read(dreamt.connection, current.id, [1])
        state.succeeded(dreamt, pass_id=current.id, mode="incremental", now=shifted(T0, HOUR))
    assert closed(dreamt, HOUR).detail == "40 of 100 tokens"


def test_a_pass_that_records_itself_does_not_make_the_next_one_due(dreamt: Store) -> None:
    record(dreamt, "dream-1", kind="dream", summary="word " * 500, clock=lambda: T0)
    assert closed(dreamt, 100 * HOUR).name == "nothing to do"


def test_dreaming_switched_off(dreamt: Store) -> None:
    session(dreamt, 200)
    gate = closed(dreamt, settings=SETTINGS._replace(enabled=False))
    assert gate.name == "enabled" and "memory.dreaming.enabled" in gate.opens


@pytest.mark.parametrize(("failures", "minutes"), [(1, 5), (2, 10), (3, 20), (4, 40)])
def test_failures_back_off_by_the_clock(dreamt: Store, failures: int, minutes: int) -> None:
    session(dreamt, 200)
    for _ in range(failures):
        state.failed(dreamt, "no answer", now=T0)
    gate = closed(dreamt, minutes * MINUTE - 1)
    assert gate.name == "back-off" and "no answer" in gate.detail
    assert gate.opens_at == shifted(T0, minutes * MINUTE)
    assert look(dreamt, minutes * MINUTE).due == Due("incremental", "threshold")


def test_the_wait_doubles_six_times_at_most(dreamt: Store) -> None:
    session(dreamt, 200)
    for _ in range(20):
        state.failed(dreamt, "no answer", now=T0)
    gate = closed(dreamt, settings=SETTINGS._replace(halt_after_failures=99))
    assert gate.opens_at == shifted(T0, 5 * 64 * MINUTE)


def test_five_failures_halt_for_a_day_and_a_success_forgets_them(dreamt: Store) -> None:
    session(dreamt, 200)
    for _ in range(5):
        state.failed(dreamt, "no answer", now=T0)
    gate = closed(dreamt, 23 * HOUR)
    assert gate.name == "halt" and gate.opens_at == shifted(T0, 24 * HOUR)
    assert "2026-04-02 12:00 UTC" in gate.opens
    assert look(dreamt, 24 * HOUR).due == Due("incremental", "threshold")
    state.failed(dreamt, "no answer", now=shifted(T0, 24 * HOUR))
    assert closed(dreamt, 47 * HOUR).name == "halt"
    state.succeeded(dreamt, pass_id=2, mode="incremental", now=shifted(T0, 47 * HOUR))
    assert look(dreamt, 47 * HOUR).due == Due("incremental", "threshold")
    assert look(dreamt, 47 * HOUR).state.last_error is None


def test_a_person_overrides_every_gate_but_the_lease(dreamt: Store) -> None:
    for _ in range(9):
        state.failed(dreamt, "no answer", now=T0)
    settings = SETTINGS._replace(enabled=False)
    assert due(dreamt, settings, T0) is None
    assert due(dreamt, settings, T0, manual=True) == Due("incremental", "manual")
    hold_here(dreamt, T0)
    with pytest.raises(BusyError, match="another pass holds the dream lease: pid"):
        due(dreamt, settings, T0, manual=True)


def hold_here(store: Store, at: str) -> None:
    store.connection.execute(
        "INSERT INTO lease VALUES ('dream', 'o', ?, ?, ?, ?, ?)", (os.getpid(), this_host(), at, at, shifted(at, 600))
    )


def test_a_running_pass_is_named_and_a_dead_one_is_not_in_the_way(dreamt: Store) -> None:
    session(dreamt, 200)
    hold_here(dreamt, T0)
    gate = closed(dreamt)
    assert gate.name == "lease" and f"pid {os.getpid()}" in gate.detail and "2026-04-01 12:10 UTC" in gate.opens
    assert look(dreamt, 5 * MINUTE).due == Due("incremental", "threshold")


def test_a_manual_first_pass_compacts(store: Store) -> None:
    entity(store)
    assert due(store, SETTINGS, T0, manual=True) == Due("compact", "manual")


def test_a_pass_that_finds_nothing_to_do_does_not_lend_its_mode_to_the_last_that_was_applied(store: Store) -> None:
    state.succeeded(store, pass_id=9, mode="incremental", now=T0)
    state.nothing_to_do(store, now=shifted(T0, HOUR))
    found = state.read_state(store.connection)
    assert (found.last_pass_id, found.last_mode, found.last_checked_at) == (9, "incremental", shifted(T0, HOUR))
