"""`graphdream fleet dream --executor ray`, on real clusters of real processes, some of which are killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from graphdream.dreamers.client.limits import Gate, Rates
from graphdream.fleet import run as running
from graphdream.fleet.ledger import folder_of, runs_of
from graphdream.fleet.ray_executor import RayExecutor, TurnstileLostError
from graphdream.fleet.run import ATTEMPTS, _work
from graphdream.fleet.work import AgentReport, FleetOptions, Task
from graphdream.interfaces.cli import main
from tests.fleet.conftest import MakeFleet
from tests.fleet.test_pool import deadly_or_not, die, fail, slow, square
from tests.fleet.test_rates import pass_gate
from tests.support.fleets import descendants_of, dreams_of, has_open, start, told, until

pytestmark = pytest.mark.cluster
if sys.platform == "win32":
    pytest.skip("NOT TESTED: there is no SIGKILL here", allow_module_level=True)
if find_spec("ray") is None:
    pytest.skip("NOT TESTED: Ray is not installed; make test-cluster installs it", allow_module_level=True)

MEMORIES = 12


@pytest.fixture(autouse=True)
def _environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cluster that a process starts is told of its secret through the environment."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def stopped_while_dreaming(pid: int) -> int | None:
    """A worker of a coordinator, stopped while it has a memory open."""
    for worker in descendants_of(pid):
        if has_open(worker, "memory.db-wal"):
            os.kill(worker, signal.SIGSTOP)
            if has_open(worker, "memory.db-wal"):
                return worker
            os.kill(worker, signal.SIGCONT)
    return None


def workers_of(pid: int) -> list[int]:
    """The processes of a coordinator's cluster that run calls."""
    found = []
    for worker in descendants_of(pid):
        with suppress(OSError):
            name = Path(f"/proc/{worker}/cmdline").read_text()
            found += [worker] if name.startswith(("ray::_perform", "ray::IDLE")) else []
    return found


def lives(pid: int) -> bool:
    """Whether a process has not ended; one that has and is still on the list does not."""
    return Path(f"/proc/{pid}/exe").exists()


def check_dreamed_once(folder: Path, report: dict[str, Any]) -> None:
    """Every memory is whole, and has the run in its journal once."""
    assert report["counts"] == {"applied": MEMORIES} and runs_of(str(folder)) == [report["run"]]
    for path in sorted(folder.rglob("memory.db")):
        assert [one["trigger"] for one in dreams_of(path)] == [f"fleet {report['run']}"]


def test_a_worker_that_is_killed_costs_nobody_anything(make_fleet: MakeFleet) -> None:
    folder = make_fleet(MEMORIES)
    process = start(str(folder), "--compact", "--jobs", "2", "--executor", "ray")
    os.kill(until(lambda: stopped_while_dreaming(process.pid), 120), signal.SIGKILL)
    report, _ = told(process)
    check_dreamed_once(folder, report)
    assert report["jobs"] == 2 and sorted(one["attempts"] for one in report["agents"]) == [1] * (MEMORIES - 1) + [2]
    assert len({one["pid"] for one in report["agents"]} - {process.pid}) >= 2


def test_what_a_killed_coordinator_leaves_is_resumed(make_fleet: MakeFleet) -> None:
    folder = make_fleet(MEMORIES)
    process = start(str(folder), "--compact", "--jobs", "2", "--executor", "ray")
    (ledger,) = until(lambda: list(folder_of(str(folder)).glob("*.jsonl")))
    until(lambda: '"agent"' in ledger.read_text(), 120)
    workers = workers_of(process.pid)
    process.kill()
    process.communicate()
    until(lambda: not any(map(lives, workers)), 30)
    report, _ = told(start(str(folder), "--jobs", "2", "--executor", "ray", "--resume"))
    check_dreamed_once(folder, report)
    assert workers and 0 < report["resumed"] < MEMORIES


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_coordinator_that_is_told_to_end_ends_its_cluster(make_fleet: MakeFleet, name: str) -> None:
    folder = make_fleet(MEMORIES)
    process = start(str(folder), "--compact", "--jobs", "2", "--executor", "ray")
    until(lambda: any(has_open(pid, "memory.db-wal") for pid in descendants_of(process.pid)), 120)
    others = descendants_of(process.pid)
    process.send_signal(signal.Signals[name])
    out, _ = process.communicate(timeout=60)
    assert process.returncode != 0 and out == ""
    until(lambda: not any(map(lives, others)), 30)
    assert all(len(dreams_of(path)) <= 1 for path in folder.rglob("memory.db"))


def test_a_cluster_keeps_an_executors_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after another on one cluster, because each takes ten seconds to start."""
    monkeypatch.setattr(running, "dream_agent", deadly_or_not)
    before = set(Path("/tmp").glob("ray-*"))
    terminated = signal.signal(signal.SIGTERM, lambda number, frame: None)
    mine = signal.getsignal(signal.SIGTERM)
    with RayExecutor(2) as pool:
        # what comes back
        assert list(pool.map(square, range(20))) == [number * number for number in range(20)]
        with pytest.raises(LookupError, match="no such thing"):
            pool.submit(fail, "no such thing").result()
        # whoever dies, dies alone
        long = pool.submit(slow, 5.0)
        for death in [pool.submit(die) for _ in range(2)]:
            with pytest.raises(BrokenExecutor):
                death.result(timeout=60)
        assert long.result(timeout=60) not in (0, os.getpid())
        names = [f"{'deadly' if number in (2, 5) else 'sound'}-{number}" for number in range(10)]
        reports: dict[str, AgentReport] = {}
        tasks = [Task(name, "", "r", FleetOptions()) for name in names]
        _work(pool, tasks, lambda report: reports.update({report.memory: report}))
        assert {name: (one.status, one.attempts) for name, one in reports.items()} == {
            name: ("failed", ATTEMPTS) if "deadly" in name else ("applied", 1) for name in names
        }
        # a provider's limits
        with pool.shared(Rates(tokens=100)) as queue:
            times = list(pool.map(pass_gate, [Gate(queue, f"a{number}") for number in range(12)]))
            assert len(times) == 12
            until(lambda: queue.ask("fits", "me", 40) == 0.0)
            assert queue.ask("too much", "me", 1) > 0
        with pytest.raises(TurnstileLostError):
            until(lambda: queue.ask("late", "me", 1))
        # nobody else can reach it
        import ray

        assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
        assert len(os.environ["RAY_AUTH_TOKEN"]) == 64 and os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
        assert signal.getsignal(signal.SIGTERM) is mine
        signal.signal(signal.SIGTERM, terminated)
        # the end
        pid = pool.submit(slow, 0).result()
        busy = [pool.submit(slow, 600) for _ in range(2)]
        waiting = pool.submit(slow, 0)
        time.sleep(3)
        pool.kill()
        assert waiting.cancelled() and not lives(pid)
        for one in busy:
            with pytest.raises(BrokenExecutor):
                one.result(timeout=10)
    with pytest.raises(RuntimeError):
        pool.submit(square, 1)
    assert not ray.is_initialized() and set(Path("/tmp").glob("ray-*")) == before


@pytest.fixture
def ray_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A cluster of two nodes with a CPU each, as a person starts it; `RAY_ADDRESS` names it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
    for name, value in secret.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--num-cpus", "1"]
    nodes: list[subprocess.Popen[bytes]] = []
    with (
        tempfile.TemporaryDirectory(prefix="nodes-", dir="/tmp", ignore_cleanup_errors=True) as folder,
        ExitStack() as stack,
    ):
        log = stack.enter_context((tmp_path / "nodes.log").open("wb"))
        head = ["--head", "--port", str(port), "--temp-dir", folder, "--include-dashboard", "false"]
        for number, words in enumerate((head, ["--address", f"127.0.0.1:{port}"]), 1):
            nodes.append(
                subprocess.Popen(
                    [*ray, "--object-store-memory", "80000000", *words], stdout=log, stderr=log, start_new_session=True
                )
            )
            stack.callback(end_node, nodes[-1])
            until(lambda: len(list(Path(folder).glob("session_2*/sockets/raylet*"))) >= number, 120)  # noqa: B023
        yield nodes


def end_node(node: subprocess.Popen[bytes]) -> None:
    """As if its machine had lost its power."""
    for pid in (*descendants_of(node.pid), node.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    node.wait()


def test_a_machine_that_fails_costs_nobody_anything(
    make_fleet: MakeFleet, ray_nodes: list[subprocess.Popen[bytes]]
) -> None:
    folder = make_fleet(MEMORIES)
    process = start(str(folder), "--compact", "--executor", "ray")
    until(lambda: stopped_while_dreaming(ray_nodes[1].pid), 120)
    end_node(ray_nodes[1])
    report, _ = told(process)
    check_dreamed_once(folder, report)
    assert report["jobs"] == 2 and sorted(one["attempts"] for one in report["agents"]) == [1] * (MEMORIES - 1) + [2]
    assert ray_nodes[0].poll() is None


def test_a_cluster_that_is_not_there_is_told(
    make_fleet: MakeFleet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_fleet(1)
    for address in ("nowhere", "127.0.0.1:1"):
        monkeypatch.setenv("RAY_ADDRESS", address)
        assert main(["fleet", "dream", str(folder), "--executor", "ray"]) == 2
        assert f"there is no Ray cluster to be used at RAY_ADDRESS={address}" in capsys.readouterr().err
    assert not runs_of(str(folder))
