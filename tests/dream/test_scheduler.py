"""The scheduler: when a cycle is due, as a pure function; and as real processes that are killed and started again."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphdream.clock import shifted
from graphdream.config import Cycle
from graphdream.dream.cron import Cron
from graphdream.dream.retrying import minutes_before_retry
from graphdream.dream.scheduler import ScheduleState, due
from graphdream.errors import UsageError
from graphdream.library import open as open_graph

NOON = "2026-03-02T12:00:00.000Z"
HOUR = 3600.0


def utc(stamp: str) -> datetime:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00"))


def why(state: ScheduleState, settings: Cycle, *, now: str = NOON, started: float = -24, quiet: float = 24) -> str:
    found = due(
        state, settings, now=now, started_at=shifted(now, started * HOUR), last_word=shifted(now, -quiet * HOUR), local=utc,
    )  # fmt: skip
    return "" if found.now else found.why


def ran(hours_ago: float, *, failures: int = 0, retry: float = 0.0, now: str = NOON) -> ScheduleState:
    return ScheduleState("", shifted(now, -hours_ago * HOUR), failures, shifted(now, retry * HOUR) if failures else "")


@pytest.mark.parametrize(
    ("state", "settings", "started", "quiet", "said"),
    [
        (ScheduleState(), Cycle(), -0.05, 24, "initial delay"), (ScheduleState(), Cycle(), -0.1, 24, ""),
        (ran(3.9), Cycle(), -24, 24, "due in"), (ran(4.1), Cycle(), -24, 24, ""), (ran(0.1), Cycle(enabled=False), -24, 24, "switched off"),
        (ran(5), Cycle(), -24, 0.005, "busy"), (ran(5), Cycle(), -24, 0.01, ""),
        (ran(1, failures=1, retry=0.05), Cycle(), -24, 24, "tried again"), (ran(1, failures=1, retry=-0.01), Cycle(), -24, 24, ""),
        (ran(4.1, failures=3, retry=0.5), Cycle(), -24, 24, ""),
        (ran(7), Cycle(when_idle=True), -24, 1.9, "idle for 1.9 of 2"), (ran(7), Cycle(when_idle=True), -24, 3, "by day"),
        (ran(7), Cycle(when_idle=True), -24, 4.1, ""), (ran(5), Cycle(when_idle=True), -24, 24, "due in"),
        (ran(5), Cycle(cron="0 13 * * *"), -24, 24, "due in"), (ran(5), Cycle(cron="0 */3 * * *"), -24, 24, ""),
    ],
)  # fmt: skip
def test_when_a_cycle_is_due(state: ScheduleState, settings: Cycle, started: float, quiet: float, said: str) -> None:
    found = why(state, settings, started=started, quiet=quiet)
    assert (said in found) if said else found == ""


@pytest.mark.parametrize(("hour", "dreams"), [(0, False), (1, True), (6, True), (7, False), (12, False)])
def test_dream_mode_begins_at_night_after_two_hours(hour: int, dreams: bool) -> None:
    now = f"2026-03-02T{hour:02}:30:00.000Z"
    assert (why(ran(8, now=now), Cycle(when_idle=True), now=now, quiet=2.5) == "") == dreams


@pytest.mark.parametrize(
    ("cron", "after"),
    [
        ("0 */12 * * *", "2026-03-03T00:00"), ("30 3 * * *", "2026-03-03T03:30"), ("*/15 * * * *", "2026-03-02T12:15"),
        ("0 0 1 * *", "2026-04-01T00:00"), ("0 9 * * 1-5", "2026-03-03T09:00"), ("0 0 * * 7", "2026-03-08T00:00"),
        ("5,10 13 2 3 *", "2026-03-02T13:05"), ("0 0 29 2 *", "2028-02-29T00:00"), ("0 0 13 * 5", "2026-03-06T00:00"),
    ],
)  # fmt: skip
def test_cron_says_when_next(cron: str, after: str) -> None:
    assert Cron.parse(cron).next_after(utc(NOON)).strftime("%Y-%m-%dT%H:%M") == after


@pytest.mark.parametrize(("failures", "minutes"), [(1, 5), (2, 10), (4, 40), (5, 60), (1_100, 60), (2**40, 60)])
def test_what_fails_is_tried_again_within_an_hour_however_often_it_failed(failures: int, minutes: float) -> None:
    assert minutes_before_retry(5, failures) == minutes


@pytest.mark.parametrize("cron", ["", "* * * *", "60 * * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *", "0 0 31 2 *"])
def test_a_cron_that_is_none_is_told(cron: str) -> None:
    with pytest.raises(UsageError, match="cron"):
        Cron.parse(cron).next_after(utc(NOON))


# ---------------------------------------------------------------------- real processes


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "memory.db"
    with open_graph(path) as graph:
        for at in range(5):
            told = {"session": f"s{at}", "at": shifted(graph.clock(), -7_200)}
            graph.observe([
                {**told, "kind": "turn", "role": "user", "content": "Always answer in metric units.", "id": f"t{at}"},
                {**told, "kind": "skill-use", "skill": "mail", "outcome": "ok", "id": f"u{at}"},
                {**told, "kind": "feedback", "feedback": "correction", "content": f"Don't send letter number {at} at night.", "id": f"f{at}"},
            ])  # fmt: skip
    yield path


def serve(file: Path, *more: str, **settings: str) -> subprocess.Popen[str]:
    """The service, a cycle a second."""
    environment = {
        **os.environ, "GRAPHDREAM_CYCLE__INITIAL_DELAY": "0", "GRAPHDREAM_CYCLE__INTERVAL": "0.0003",
        "GRAPHDREAM_CYCLE__BUSY_SECONDS": "0", "PYTHONUNBUFFERED": "1", **settings,
    }  # fmt: skip
    words = [sys.executable, "-m", "graphdream", "serve", "--no-http", "--json", "--db", str(file), *more]
    return subprocess.Popen(words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def passes_of(file: Path) -> list[tuple[str, str, int]]:
    with sqlite3.connect(file) as connection:
        return connection.execute("SELECT mode, status, id FROM pass WHERE kind = 'cycle' ORDER BY id").fetchall()


def until(holds: Callable[[], object], *, seconds: float = 60.0) -> None:
    """Wait for a service, however busy the machine is."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, "the service did not come so far"
        time.sleep(0.1)


def cycles_of(file: Path) -> int:
    """How many cycles did something."""
    with sqlite3.connect(file) as connection:
        return int(connection.execute("SELECT count(*) FROM cycle_log").fetchone()[0])


def is_sound(file: Path) -> None:
    with open_graph(file) as graph:
        assert not graph.verify().faults
        holder = graph.store.connection.execute("SELECT count(*) FROM lease").fetchone()[0]
        assert holder <= 1


def test_a_service_runs_cycles_and_stops_cleanly_on_sigterm(file: Path) -> None:
    service = serve(file)
    until(lambda: cycles_of(file))
    time.sleep(3)  # a cycle or two with nothing to do
    service.send_signal(signal.SIGTERM)
    out, err = service.communicate(timeout=20)
    said = [json.loads(line)["said"] for line in out.splitlines()]
    assert service.returncode == 0 and err == "" and said[-1] == "stopped"
    assert any(line.startswith("cycle: anti-patterns (5)") for line in said) and any(
        "nothing to do" in line for line in said
    )
    assert len([mode for mode, _, _ in passes_of(file) if mode == "anti-patterns"]) == 1
    is_sound(file)
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM lease").fetchone()[0] == 0


def test_two_services_on_one_file_run_no_pass_twice(file: Path) -> None:
    services = [serve(file) for _ in range(2)]
    until(lambda: cycles_of(file))
    time.sleep(4)
    for service in services:
        service.terminate()
    for service in services:
        out, err = service.communicate(timeout=20)
        assert service.returncode == 0 and err == "", err + out
    modes = [mode for mode, status, _ in passes_of(file) if status == "applied"]
    assert sorted(modes) == sorted(set(modes)) and "anti-patterns" in modes
    is_sound(file)


def test_a_service_that_is_killed_at_random_loses_nothing_and_does_nothing_twice(file: Path) -> None:
    chance = random.Random(20260301)
    for _ in range(6):
        service = serve(file)
        time.sleep(chance.uniform(0.4, 2.2))
        service.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGKILL]))
        service.communicate(timeout=20)
    with sqlite3.connect(file, isolation_level=None) as connection:
        connection.execute("UPDATE lease SET heartbeat_at = '2020-01-01T00:00:00.000Z'")  # what waiting a minute does
    last = serve(file, "--cycles", "2")
    last.communicate(timeout=60)
    assert last.returncode == 0
    modes = [mode for mode, status, _ in passes_of(file) if status == "applied"]
    assert sorted(modes) == sorted(set(modes)) and {"anti-patterns", "preferences", "self-model"} <= set(modes)
    is_sound(file)


def test_sigterm_in_the_middle_of_a_pass_leaves_no_trace_of_it(file: Path) -> None:
    (file.parent / "agent.yaml").write_text("")
    with open_graph(file) as graph, socket.create_server(("127.0.0.1", 0)) as silent:
        graph.edit({"op": "create_entity", "name": "Gold", "type": "asset"})
        source = {"type": "asset", "aspect": "price", "url": f"http://127.0.0.1:{silent.getsockname()[1]}/x"}
        (file.parent / "refresh.yaml").write_text(json.dumps([source]))
        service = serve(file, GRAPHDREAM_CYCLE__REFRESH_SECONDS="60")
        began = time.monotonic()
        while not any(mode == "self-model" for mode, _, _ in passes_of(file)) and time.monotonic() - began < 20:
            time.sleep(0.1)
        time.sleep(0.5)
        assert graph.store.connection.execute("SELECT count(*) FROM lease").fetchone()[0] == 1, "a pass is at work"
        service.terminate()
        out, err = service.communicate(timeout=10)
        assert service.returncode == 0 and err == "" and "stopped" in out
        assert graph.store.connection.execute("SELECT count(*) FROM lease").fetchone()[0] == 0
    assert "refresh" not in [mode for mode, _, _ in passes_of(file)]
    is_sound(file)


def test_a_restart_goes_on_where_it_was(file: Path) -> None:
    first = serve(file, "--cycles", "1", GRAPHDREAM_CYCLE__INTERVAL="1")
    first.communicate(timeout=60)
    before = passes_of(file)
    second = serve(file, "--cycles", "1", GRAPHDREAM_CYCLE__INTERVAL="1")
    time.sleep(3)
    assert second.poll() is None, "the next cycle is due in an hour"
    second.terminate()
    second.communicate(timeout=20)
    assert passes_of(file) == before


def test_the_time_is_the_only_thing_that_makes_it_due() -> None:
    assert utc(NOON).tzinfo == UTC and why(ScheduleState(), Cycle(initial_delay=0)) == ""
