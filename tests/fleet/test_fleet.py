"""`graphdream fleet dream`, with real processes: one agent's trouble is its own, and each memory is dreamed once."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.clock import utc_now
from graphdream.fleet.ledger import Ledger, folder_of, runs_of
from graphdream.fleet.places import look
from graphdream.fleet.run import dream_fleet
from graphdream.fleet.work import FleetOptions, Task, dream_agent
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.fleet.conftest import MakeFleet
from tests.support.fleets import dreams_of, start, told, until, workers_of

if sys.platform == "win32":
    pytest.skip("NOT TESTED: there is no SIGKILL here", allow_module_level=True)

COMPACT = FleetOptions(compact=True)
KILLS = 4


def test_every_memory_of_a_folder_is_dreamed_and_told_of(make_fleet: MakeFleet, capsys: Any) -> None:
    folder = make_fleet(3)
    (folder / "deeper" / "still").mkdir(parents=True)
    shutil.move(folder / "agent-02", folder / "deeper" / "still" / "agent-02")
    (folder / "notes.db").write_text("no memory at all")
    os.link(folder / "agent-00" / "memory.db", folder / "second-name.db")
    os.unlink(folder / "agent-00" / "memory.db")
    os.symlink(folder / "agent-01" / "memory.db", folder / "third-name.db")
    assert main(["fleet", "dream", str(folder), "--compact", "--jobs", "2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    names = ["agent-01/memory.db", "deeper/still/agent-02/memory.db", "second-name.db"]
    assert [one["memory"] for one in report["agents"]] == names and report["not_memories"] == ["notes.db"]
    assert report["counts"] == {"applied": 3} and report["resumed"] == 0 and report["jobs"] == 2
    for one in report["agents"]:
        (made,) = dreams_of(folder / one["memory"])
        assert (made["id"], made["trigger"]) == (one["pass_id"], f"fleet {report['run']}")
        assert one["changes"] > 0 and one["seconds"] > 0 and one["error"] == "" and one["attempts"] == 1
    assert len({one["pid"] for one in report["agents"]} - {os.getpid()}) in (1, 2)


def test_a_fleet_dreams_as_one_agent_alone_would(make_fleet: MakeFleet) -> None:
    folder = make_fleet(2)
    alone = folder.parent / "alone.db"
    shutil.copy(folder / "agent-01" / "memory.db", alone)
    with graphdream.open(alone) as graph:
        expected = graph.dream(compact=True, max_false_merge_rate=0.1)
    report = dream_fleet(folder, FleetOptions(compact=True, max_false_merge_rate=0.1))
    assert report.agents[1].changes == expected.counts["applied"] and report.agents[1].summary == expected.summary


def test_one_agents_failure_stops_no_other(make_fleet: MakeFleet, capsys: Any) -> None:
    """A damaged file, one that another program holds, and one whose schema somebody changed, among sound ones."""
    folder = make_fleet(6)
    damaged, leased, planted = (folder / f"agent-{number:02}" / "memory.db" for number in (1, 2, 4))
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:8192] + random.Random(1).randbytes(len(whole) - 8192))
    with Store.open(leased) as store, store.writing():
        now = utc_now()
        store.connection.execute(
            "INSERT INTO lease (name, owner, pid, host, acquired_at, heartbeat_at, deadline_at)"
            " VALUES ('dream', 'another', 1, 'elsewhere', ?, ?, '2999-01-01T00:00:00Z')",
            (now, now),
        )
    with sqlite3.connect(planted) as connection:
        connection.execute("CREATE TRIGGER planted AFTER INSERT ON attribute BEGIN SELECT 1; END")
    connection.close()
    assert main(["fleet", "dream", str(folder), "--compact", "--json"]) == 1
    out, err = capsys.readouterr()
    rows = {one["memory"]: one for one in json.loads(out)["agents"]}
    assert [rows[f"agent-{number:02}/memory.db"]["status"] for number in range(6)] == [
        "applied", "failed", "failed", "applied", "failed", "applied",
    ]  # fmt: skip
    assert {name: rows[f"agent-{name}/memory.db"]["code"] for name in ("01", "02", "04")} == {"01": 3, "02": 5, "04": 3}
    assert "elsewhere" in rows["agent-02/memory.db"]["error"] and "planted" in rows["agent-04/memory.db"]["error"]
    assert all(f"agent-{name}/memory.db: " in err for name in ("01", "02", "04"))

    with sqlite3.connect(leased) as connection:  # its holder goes away, and the damaged file is put back
        connection.execute("DELETE FROM lease")
    connection.close()
    damaged.write_bytes(whole)
    assert main(["fleet", "dream", str(folder), "--jobs", "1", "--resume"]) == 1
    out, err = capsys.readouterr()
    assert "6 agents: 5 applied, 1 failed" in out and "3 agents of these on record from before" in out
    assert [len(dreams_of(folder / f"agent-{n:02}" / "memory.db")) for n in (0, 1, 2, 3, 5)] == [1, 1, 1, 1, 1]


def test_a_worker_that_is_killed_costs_nobody_anything(make_fleet: MakeFleet) -> None:
    folder = make_fleet(10)
    process = start(str(folder), "--compact", "--jobs", "2")
    until(lambda: any(folder.rglob("memory.db-wal")))
    os.kill(until(lambda: workers_of(process.pid))[0], signal.SIGKILL)
    report, _ = told(process)
    assert report["counts"] == {"applied": 10}
    assert sum(one["attempts"] - 1 for one in report["agents"]) <= 1
    assert [len(dreams_of(path)) for path in sorted(folder.rglob("memory.db"))] == [1] * 10


SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 20))]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_memory_is_dreamed_once_whatever_kills_the_coordinator(make_fleet: MakeFleet, seed: int) -> None:
    folder, chance, kills = make_fleet(12), random.Random(seed), 0
    words = [str(folder), "--compact", "--jobs", "2"]
    while True:
        process = start(*words)
        until(lambda: process.poll() is not None or runs_of(str(folder)))  # noqa: B023 - asked at once
        if kills < KILLS:
            until(lambda: process.poll() is not None or workers_of(process.pid))  # noqa: B023
            time.sleep(chance.uniform(0.2, 1.5))
        if kills == KILLS or process.poll() is not None:
            break
        workers = workers_of(process.pid)
        process.kill()
        process.wait()
        kills += 1
        until(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in workers), 10)  # noqa: B023
        words = [str(folder), "--jobs", "2", "--resume"]
    report, _ = told(process)
    assert kills > 0 and report["counts"] == {"applied": 12} and len(runs_of(str(folder))) == 1
    trigger = f"fleet {report['run']}"
    for path in sorted(folder.rglob("memory.db")):
        assert [one["trigger"] for one in dreams_of(path) if one["status"] == "applied"] == [trigger]


def test_a_pass_that_was_made_but_not_noted_is_not_made_again(make_fleet: MakeFleet, here: Executor) -> None:
    """The coordinator was killed after a worker had committed, and before it could write that down."""
    folder = make_fleet(2)
    with Ledger.begin(str(folder), COMPACT, utc_now()) as ledger:
        task = Task("agent-00/memory.db", str(folder / "agent-00" / "memory.db"), ledger.run, COMPACT)
        made = dream_agent(task)
    report = dream_fleet(folder, resume="", executor=here)
    assert made.status == "applied" and report.run == ledger.run and report.counts == {"applied": 2}
    again = report.agents[0]
    assert (again.pass_id, again.changes, again.summary) == (made.pass_id, made.changes, made.summary)
    assert [len(dreams_of(path)) for path in sorted(folder.rglob("memory.db"))] == [1, 1]


def test_a_line_that_was_cut_off_costs_that_line_alone(make_fleet: MakeFleet, here: Executor) -> None:
    folder = make_fleet(3)
    report = dream_fleet(folder, COMPACT, executor=here)
    path = Path(report.ledger)
    head, first, second, *_ = path.read_text().splitlines()
    path.write_text("\n".join([head, first, second[:40]]))
    told = []
    again = dream_fleet(folder, resume=report.run, each=told.append, executor=here)
    assert again.resumed == 1 and len(told) == 2 and again.counts == {"applied": 3}
    third = dream_fleet(folder, resume="", executor=here)
    assert third.resumed == 3 and third.agents == again.agents
    assert [len(dreams_of(path)) for path in sorted(folder.rglob("memory.db"))] == [1, 1, 1]


def test_two_processes_are_not_at_one_run(make_fleet: MakeFleet, capsys: Any) -> None:
    folder = make_fleet(1)
    with Ledger.begin(str(folder), COMPACT, utc_now()) as ledger:
        assert main(["fleet", "dream", str(folder), "--resume", ledger.run]) == 5
    assert "another process is at the run" in capsys.readouterr().err
    assert main(["fleet", "dream", str(folder), "--resume", ledger.run]) == 0


def test_a_second_run_dreams_anew_and_a_dry_run_changes_nothing(make_fleet: MakeFleet, here: Executor) -> None:
    folder = make_fleet(2)
    dry = dream_fleet(folder, FleetOptions(compact=True, dry_run=True), executor=here)
    assert dry.counts == {"dry-run": 2} and all(one.changes > 0 for one in dry.agents)
    assert [dreams_of(path) for path in sorted(folder.rglob("memory.db"))] == [[], []]
    assert dream_fleet(folder, COMPACT, executor=here).counts == {"applied": 2}
    assert dream_fleet(folder, COMPACT, executor=here).counts == {"nothing": 2}
    assert dream_fleet(folder, FleetOptions(if_due=True), executor=here).counts == {"not due": 2}
    assert len(runs_of(str(folder))) == 4


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["{folder}/nowhere"], 6, "there is no folder"),
        (["{folder}/empty"], 6, "there is no memory in"),
        (["{folder}", "--jobs", "0"], 2, "--jobs is a number of processes"),
        (["{folder}", "--loss-cap", "2"], 2, "--loss-cap is a share"),
        (["{folder}", "--budget", "0"], 2, "--budget is a number of tokens"),
        (["{folder}", "--db", "m.db"], 2, "--db names one memory"),
        (["{folder}", "--resume"], 6, "no run was ever begun"),
        (["{folder}", "--resume", "20260101T000000Z-abcdef"], 6, "has no run"),
        (["{folder}", "--resume", "--compact"], 2, "a run goes on as it was begun"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)  # fmt: skip
def test_what_is_wrong_with_the_call_is_told(
    make_fleet: MakeFleet, capsys: Any, words: list[str], code: int, said: str
) -> None:
    folder = make_fleet(1)
    (folder / "empty").mkdir()
    assert main(["fleet", "dream", *(word.format(folder=folder) for word in words)]) == code
    assert said in capsys.readouterr().err


def test_without_ray_it_is_told_how_to_install_it(
    make_fleet: MakeFleet, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    folder = make_fleet(1)
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        monkeypatch.setenv(name, "as it was")
    assert main(["fleet", "dream", str(folder), "--executor", "ray", "--jobs", "0"]) == 2
    assert "--jobs is a number of processes" in capsys.readouterr().err
    assert main(["fleet", "dream", str(folder), "--executor", "ray"]) == 2
    assert "pip install 'graphdream[cluster]'" in capsys.readouterr().err and not runs_of(str(folder))


def test_an_agents_own_settings_count_in_its_home(
    make_fleet: MakeFleet, monkeypatch: pytest.MonkeyPatch, here: Executor
) -> None:
    folder = make_fleet(2)
    home = folder.parent / "of-all"
    shutil.move(folder, home / "agents")
    monkeypatch.setenv("GRAPHDREAM_HOME", str(home))
    (home / "agents" / "agent-01" / "agent.yaml").write_text("memory:\n  dreaming:\n    loss_cap: -1\n")
    assert [one.agent for one in look(home / "agents").memories] == ["agent-00", "agent-01"]
    report = dream_fleet(home / "agents", COMPACT, executor=here)
    assert [one.status for one in report.agents] == ["applied", "failed"] and report.agents[1].code == 2


def test_ledgers_of_old_runs_are_not_kept_for_ever(make_fleet: MakeFleet) -> None:
    folder = make_fleet(1)
    for second in range(25):
        Ledger.begin(str(folder), COMPACT, f"2026-01-01T00:00:{second:02}.000Z").close()
    assert len(list(folder_of(str(folder)).glob("*.jsonl"))) == 20
    assert runs_of(str(folder))[0].startswith("20260101T000005Z-")


def test_a_run_is_newer_than_all_before_it_whatever_the_clock_says(make_fleet: MakeFleet) -> None:
    folder = make_fleet(1)
    for year in range(2030, 2050):  # the clock ran ahead, and was set right
        Ledger.begin(str(folder), COMPACT, f"{year}-01-01T00:00:00.000Z").close()
    begun = []
    for _ in range(3):
        with Ledger.begin(str(folder), COMPACT, "2026-01-01T00:00:00.000Z") as ledger:
            begun.append(ledger.run)
            assert ledger.path.exists() and runs_of(str(folder))[-1] == ledger.run
    assert begun == sorted(set(begun))
    with Ledger.resume(str(folder)) as ledger:
        assert ledger.run == begun[-1]


def test_the_ledger_of_a_run_that_somebody_is_at_is_kept(make_fleet: MakeFleet) -> None:
    folder = make_fleet(1)
    with Ledger.begin(str(folder), COMPACT, "2026-01-01T00:00:00.000Z") as at_work:
        for second in range(1, 25):
            Ledger.begin(str(folder), COMPACT, f"2026-01-01T00:00:{second:02}.000Z").close()
        assert at_work.path.exists()
    assert runs_of(str(folder))[0] == at_work.run
    Ledger.begin(str(folder), COMPACT, "2026-01-01T00:01:00.000Z").close()
    assert not at_work.path.exists() and not at_work.path.with_suffix(".lock").exists()
