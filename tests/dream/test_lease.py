"""The lease: one pass at a time, and no dead one in the way."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.clock import shifted, utc_now
from graphdream.dream import lease as leases
from graphdream.dream.lease import Holder, LeaseLostError, hold, is_alive, read_holder, this_host
from graphdream.errors import BusyError
from graphdream.graph.store import Store

NOW = "2026-04-01T12:00:00.000Z"
PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as store:
        yield store


def holder(**changes: object) -> Holder:
    """This very process, holding since a minute ago; some of it changed."""
    whole = Holder("o", os.getpid(), this_host(), shifted(NOW, -60), NOW, shifted(NOW, 600))
    return whole._replace(**changes)  # type: ignore[arg-type]


def put(store: Store, present: Holder) -> None:
    store.connection.execute(
        "INSERT OR REPLACE INTO lease (name, owner, pid, host, acquired_at, heartbeat_at, deadline_at)"
        " VALUES ('dream', ?, ?, ?, ?, ?, ?)",
        present,
    )


def dead_pid() -> int:
    """Id of a process that was and is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_while_one_holds_it_another_is_told_who(store: Store) -> None:
    with hold(store), Store.open(store.path) as other:
        with pytest.raises(BusyError, match=rf"pid {os.getpid()} on \S+, since 20\d\d-") as refused, hold(other):
            pass
        assert refused.value.exit_code == 5 and "wait" in refused.value.hint
    assert read_holder(store.connection) is None
    with hold(store):
        pass


def test_leases_of_two_names_do_not_meet(store: Store) -> None:
    with hold(store, "dream"), hold(store, "backup"):
        assert read_holder(store.connection, "backup") is not None


def test_it_is_given_back_after_an_error(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), hold(store):
        _ = 1 / 0
    assert read_holder(store.connection) is None


@pytest.mark.parametrize(
    ("present", "alive"),
    [
        (holder(), True),
        (holder(heartbeat_at=shifted(NOW, -59)), True),
        (holder(heartbeat_at=shifted(NOW, -61)), False),
        (holder(heartbeat_at=shifted(NOW, 3600)), False),
        (holder(deadline_at=NOW), False),
        (holder(host="elsewhere", pid=1), True),
        (holder(host="elsewhere", pid=1, heartbeat_at=shifted(NOW, -61)), False),
    ],
)
def test_who_counts_as_alive(present: Holder, alive: bool) -> None:
    assert is_alive(present, NOW) is alive


def test_a_process_that_is_gone_is_dead_at_once() -> None:
    assert not is_alive(holder(pid=dead_pid()), NOW)
    assert is_alive(holder(pid=dead_pid(), host="elsewhere"), NOW)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="NOT TESTED: no list of processes here")
def test_a_process_that_has_ended_and_was_never_asked_how_is_dead() -> None:
    """A killed worker whose parent was killed, too, stays on the list where nobody takes it off."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    try:
        end = time.monotonic() + 30
        while is_alive(holder(pid=child.pid), NOW):
            assert time.monotonic() < end
            time.sleep(0.02)
        os.kill(child.pid, 0)  # it is on the list
    finally:
        child.wait()


def test_the_lease_of_a_dead_process_is_taken_over_at_the_next_call(store: Store) -> None:
    now = utc_now()
    put(store, Holder("old", dead_pid(), this_host(), now, now, shifted(now, 600)))
    with hold(store) as lease:
        assert lease.holder.pid == os.getpid()


def test_a_beat_that_others_writing_kept_out_is_made_up_for_soon(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among thirty programs that wrote, the next beat met a writer as well, and so on: a pass that lived was taken for
    dead after a minute, and what it had thought was thrown away."""
    monkeypatch.setattr(leases, "_BEAT_WAIT_SECONDS", 0.01)
    waited = list[float]()

    class Stop:
        def wait(self, seconds: float) -> bool:
            waited.append(seconds)
            return len(waited) == 4

    put(store, holder())
    held = leases.Lease("dream", holder())
    with store.writing():
        leases._beat_until(Stop(), str(store.path), held, 60.0, lambda: NOW)
    usual, *missed = waited
    assert usual == 15.0 and len(missed) == 3 and max(missed) <= 1.0
    waited.clear()
    leases._beat_until(Stop(), str(store.path), held, 60.0, lambda: NOW)
    assert waited == [15.0] * 4


def test_the_heart_beats_while_it_is_held(store: Store) -> None:
    with hold(store, ttl_seconds=0.2) as lease:
        time.sleep(0.5)
        present = read_holder(store.connection)
        assert present is not None and present.heartbeat_at > lease.holder.heartbeat_at
        assert is_alive(present, utc_now(), ttl_seconds=0.2)


def test_the_heart_outlives_a_writer_in_its_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphdream.dream.lease._BEAT_WAIT_SECONDS", 0.05)
    with hold(store, ttl_seconds=0.4) as lease:
        with store.writing():
            lease.confirm(store.connection)
            time.sleep(0.4)
        confirmed = read_holder(store.connection)
        time.sleep(0.3)
        present = read_holder(store.connection)
        assert confirmed is not None and present is not None and present.heartbeat_at > confirmed.heartbeat_at


def test_readers_and_recorders_are_not_held_up(store: Store) -> None:
    from graphdream.events.record import record

    with hold(store), Store.open(store.path) as other:
        record(other, "s1", summary="meanwhile")
        assert other.connection.execute("SELECT count(*) FROM summary").fetchone()[0] == 1


def test_a_holder_past_its_deadline_is_taken_over_and_cannot_apply(store: Store) -> None:
    """The slow pass learns it inside its own transaction, so of the two only one is ever applied."""
    with hold(store, deadline_seconds=0.0) as slow, Store.open(store.path) as other:
        with hold(other), pytest.raises(LeaseLostError, match=f"pid {os.getpid()}"), store.writing():
            slow.confirm(store.connection)
        with pytest.raises(LeaseLostError, match="nobody has it now"), store.writing():
            slow.confirm(store.connection)


def test_giving_back_what_was_taken_over_leaves_the_new_holder(store: Store) -> None:
    with Store.open(store.path) as other:
        slow, quick = hold(store, deadline_seconds=0.0), hold(other)
        with slow:
            quick.__enter__()
        assert read_holder(store.connection) is not None
        quick.__exit__(None, None, None)
    assert read_holder(store.connection) is None


HOLDING = """
import sys, time
from graphdream.dream.lease import hold
from graphdream.graph.store import Store
with Store.open(sys.argv[1]) as store, hold(store), store.writing():
    store.connection.execute("INSERT INTO meta VALUES ('half', 'done')")
    print("holding", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_pass_is_recovered_by_the_next_call(store: Store) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(store.path)], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as victim:
        assert victim.stdout is not None
        assert victim.stdout.readline() == "holding\n"
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other = sqlite3.connect(store.path, timeout=0.01, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
        victim.send_signal(signal.SIGKILL)
        victim.wait()
    with hold(store) as lease:
        assert lease.holder.pid == os.getpid()
        assert store.connection.execute("SELECT count(*) FROM meta WHERE key = 'half'").fetchone()[0] == 0


RACING = """
import sys, time
from graphdream.dream.lease import hold
from graphdream.errors import BusyError
from graphdream.graph.store import Store
with Store.open(sys.argv[1]) as store:
    won = 0
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        try:
            with hold(store):
                row = store.connection.execute("SELECT value FROM meta WHERE key = 'inside'").fetchone()
                assert row is None, "two at once"
                for sql in ("INSERT INTO meta VALUES ('inside', 'me')", "DELETE FROM meta WHERE key = 'inside'"):
                    with store.writing():
                        store.connection.execute(sql)
                won += 1
        except BusyError:
            time.sleep(0.001)
print(won)
"""


def test_of_many_processes_one_at_a_time_gets_it(store: Store) -> None:
    words = [sys.executable, "-c", RACING, str(store.path)]
    racers = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=PROJECT) for _ in range(4)]
    told = [racer.communicate(timeout=60)[0] for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * 4
    assert sum(int(number) for number in told) >= 1
