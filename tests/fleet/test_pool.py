"""Processes as an executor: each fails alone, and none outlives the one that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from graphdream.fleet import run as running
from graphdream.fleet.pool import LocalPool
from graphdream.fleet.run import ATTEMPTS, _work
from graphdream.fleet.work import AgentReport, FleetOptions, Task
from tests.fleet.conftest import PROJECT

if sys.platform == "win32":
    pytest.skip("NOT TESTED: there is no SIGKILL here", allow_module_level=True)


def square(number: int) -> int:
    return number * number


def fail(what: str) -> None:
    raise LookupError(what)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def slow(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def deadly_or_not(task: Task) -> AgentReport:
    """As a dream of a memory that ends the process whenever it is tried."""
    if "deadly" in task.memory:
        die()
    time.sleep(0.05)
    return AgentReport(task.memory, "applied", pid=os.getpid())


def test_calls_come_back_with_what_they_returned_or_raised() -> None:
    with LocalPool(2) as pool:
        assert list(pool.map(square, range(20))) == [number * number for number in range(20)]
        with pytest.raises(LookupError, match="no such thing"):
            pool.submit(fail, "no such thing").result()
    with pytest.raises(RuntimeError):
        pool.submit(square, 1)


def test_a_killed_worker_breaks_its_own_call_and_no_other() -> None:
    with LocalPool(2) as pool:
        long = pool.submit(slow, 2.0)
        deaths = [pool.submit(die) for _ in range(2)]
        for death in deaths:
            with pytest.raises(BrokenExecutor):
                death.result(timeout=60)
        assert pool.submit(square, 7).result(timeout=60) == 49
        assert long.result(timeout=60) not in (0, os.getpid())


def test_killing_the_pool_ends_what_runs_and_cancels_what_waits() -> None:
    pool = LocalPool(1)
    pid = pool.submit(slow, 0).result()
    running_now, waiting = pool.submit(slow, 600), pool.submit(slow, 0)
    time.sleep(0.3)
    pool.kill()
    assert waiting.cancelled()
    with pytest.raises(BrokenExecutor):
        running_now.result(timeout=10)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_memory_that_ends_every_process_is_given_up_and_the_rest_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "dream_agent", deadly_or_not)
    names = [f"{'deadly' if number in (2, 5) else 'sound'}-{number}" for number in range(10)]
    reports: dict[str, AgentReport] = {}
    with LocalPool(2) as pool:
        tasks = [Task(name, "", "r", FleetOptions()) for name in names]
        _work(pool, tasks, lambda report: reports.update({report.memory: report}))
    assert {name: report.status for name, report in reports.items()} == {
        name: "failed" if "deadly" in name else "applied" for name in names
    }
    assert all(report.attempts == (ATTEMPTS if "deadly" in name else 1) for name, report in reports.items())
    assert f"was killed, {ATTEMPTS} times" in reports["deadly-2"].error


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "started.py"
    script.write_text(
        "import time\nfrom graphdream.fleet.pool import LocalPool\nfrom tests.fleet.test_pool import slow\n"
        "if __name__ == '__main__':\n"
        "    pool = LocalPool(2)\n"
        "    print(*{pool.submit(slow, 0.5).result() for _ in range(4)}, flush=True)\n"
        "    pool.submit(slow, 600)\n    time.sleep(600)\n"
    )
    environ = os.environ | {"PYTHONPATH": str(PROJECT)}
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environ)
    assert process.stdout is not None
    pids = [int(word) for word in process.stdout.readline().split()]
    process.kill()
    process.wait()
    process.stdout.close()
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}/exe").exists() for pid in pids):
        assert time.monotonic() < end, "a worker lives on"
        time.sleep(0.02)
    assert pids
