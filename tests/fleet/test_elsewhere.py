"""Memories in object storage: an S3 server of its own process, real workers, real kills. Whatever happens, each memory is
dreamed once and nobody's write is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

from graphdream.errors import BusyError
from graphdream.events.record import record
from graphdream.fleet import elsewhere, holder, work
from graphdream.fleet.elsewhere import dream_elsewhere
from graphdream.fleet.holder import as_text, this_holder
from graphdream.fleet.objectlease import hold
from graphdream.fleet.objects import ChangedError, Objects
from graphdream.fleet.run import dream_fleet
from graphdream.fleet.work import FleetOptions, Task, dream_agent
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.fleet.conftest import MakeFleet
from tests.support.fleets import dreams_of, start, told, until, workers_of
from tests.support.s3 import environment, served

if sys.platform == "win32":
    pytest.skip("NOT TESTED: there is no SIGKILL here", allow_module_level=True)

COMPACT = FleetOptions(compact=True)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture
def objects(server: str, monkeypatch: pytest.MonkeyPatch) -> Objects:
    """An empty bucket, of another name each time: this machine remembers what it has dreamed under an address."""
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    return made_bucket(f"agents-{os.urandom(4).hex()}")


def made_bucket(name: str) -> Objects:
    found = Objects(name)
    found._fs.call_s3("create_bucket", Bucket=name)
    return found


def uploaded(objects: Objects, folder: Path, prefix: str = "team") -> str:
    """The address of what lies in a folder, as objects."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(("-wal", "-shm")):
            objects.put(f"{prefix}/{path.relative_to(folder).as_posix()}", path)
    return f"s3://{objects.bucket}/{prefix}"


def keys(objects: Objects) -> list[str]:
    return [one.key for one in objects.list("")]


def dreams(objects: Objects, key: str, folder: Path) -> list[dict[str, Any]]:
    """The dreams of a memory as it is there, which must be whole."""
    path = folder / "fetched" / key.replace("/", "-")
    path.parent.mkdir(exist_ok=True)
    objects.download(key, path)
    try:
        return dreams_of(path)
    finally:
        path.unlink()


def test_a_fleet_in_a_bucket_is_dreamed_and_put_back(
    objects: Objects, make_fleet: MakeFleet, tmp_path: Path, capsys: Any, here: Executor
) -> None:
    place = uploaded(objects, make_fleet(3))
    before = keys(objects)
    assert main(["fleet", "dream", place, "--compact", "--dry-run", "--jobs", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"dry-run": 3}
    assert all(dreams(objects, key, tmp_path) == [] for key in before)

    assert main(["fleet", "dream", place, "--compact", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["location"] == f"{place}/" and report["counts"] == {"applied": 3}
    assert [one["memory"] for one in report["agents"]] == [f"agent-{n:02}/memory.db" for n in range(3)]
    assert keys(objects) == before  # no lease, no probe, no file of SQLite's
    for key in before:
        assert [one["trigger"] for one in dreams(objects, key, tmp_path)] == [f"fleet {report['run']}"]

    versions = [objects.read(key).version for key in before]
    assert dream_fleet(place, FleetOptions(if_due=True), executor=here).counts == {"not due": 3}
    assert [objects.read(key).version for key in before] == versions
    assert main(["fleet", "dream", place, "--resume"]) == 0
    assert "3 agents of these on record from before" in capsys.readouterr().out


def test_one_that_is_no_memory_or_is_damaged_stops_no_other(
    objects: Objects, make_fleet: MakeFleet, here: Executor
) -> None:
    folder = make_fleet(2)
    (folder / "notes.db").write_text("no memory at all")
    whole = (folder / "agent-00" / "memory.db").read_bytes()
    (folder / "broken.db").write_bytes(whole[:8192] + random.Random(1).randbytes(30_000))
    report = dream_fleet(uploaded(objects, folder), COMPACT, executor=here)
    assert {one.memory: one.status for one in report.agents} == {
        "agent-00/memory.db": "applied", "agent-01/memory.db": "applied", "broken.db": "failed", "notes.db": "failed",
    }  # fmt: skip
    assert objects.read("team/notes.db").data == b"no memory at all"
    assert objects.read("team/broken.db").data == (folder / "broken.db").read_bytes()


def test_what_another_program_wrote_meanwhile_is_never_overwritten(
    objects: Objects, make_fleet: MakeFleet, tmp_path: Path
) -> None:
    """Beside the dream a session is recorded and the file put there: the dream is made again, on that one."""
    folder, key = make_fleet(1), "team/agent-00/memory.db"
    place, local, tries = uploaded(objects, folder), folder / "agent-00" / "memory.db", []
    task = Task("agent-00/memory.db", f"{place}/agent-00/memory.db", "r1", COMPACT)

    def meanwhile(path: Path) -> dict[str, Any]:
        out = work._dreamed_file(task, path)
        tries.append(out)
        if len(tries) == 1:
            with Store.open(local) as store:
                record(store, "s-meanwhile", summary="Ines moved to Bergen.")
            objects.put(key, local, replacing=objects.read(key).version)
        return out

    assert dream_elsewhere(task.path, meanwhile, writes=True)["status"] == "applied" and len(tries) == 2
    assert len(dreams(objects, key, tmp_path)) == 1
    objects.download(key, tmp_path / "after.db")
    with Store.open(tmp_path / "after.db") as store:
        assert store.connection.execute("SELECT 1 FROM session WHERE key = 's-meanwhile'").fetchone()


def test_one_that_changes_every_time_is_told_and_left_as_it_is(objects: Objects, make_fleet: MakeFleet) -> None:
    folder, key = make_fleet(1), "team/agent-00/memory.db"
    place, local = uploaded(objects, folder), folder / "agent-00" / "memory.db"
    task = Task("agent-00/memory.db", f"{place}/agent-00/memory.db", "r1", COMPACT)
    versions = []
    for number in range(elsewhere.ATTEMPTS):
        with Store.open(local) as store:
            record(store, f"s{number}", summary="Ines moved to Bergen.")
        versions.append(local.read_bytes())
    left = list(versions)

    def meanwhile(path: Path) -> dict[str, Any]:
        objects.put(key, left.pop(0), replacing=objects.read(key).version)
        return work._dreamed_file(task, path)

    with pytest.raises(ChangedError, match="was written by another program each of 3 times"):
        dream_elsewhere(task.path, meanwhile, writes=True)
    assert objects.read(key).data == versions[-1] and keys(objects) == [key]
    assert dream_agent(task).status == "applied"  # nothing that was tried is held against it


def test_calls_that_wait_beside_a_memory_come_with_it_and_go_when_they_are_in(
    objects: Objects, make_fleet: MakeFleet, tmp_path: Path, here: Executor
) -> None:
    folder, key = make_fleet(1), "team/agent-00/memory.db"
    database = folder / "agent-00" / "memory.db"
    told_at = "2026-05-01T10:00:00Z"
    session = {"key": "s-waits", "summary": "Ines moved to Bergen.", "started_at": told_at}
    with Store.open(database) as store:
        record(store, "s-first", summary="Ines lives in Oslo.")
    call = _put_off(database, session)
    place = uploaded(objects, folder)
    assert keys(objects) == [key, f"{key}.spool/{call.name}"]
    report = dream_fleet(place, COMPACT, executor=here)
    assert report.counts == {"applied": 1} and keys(objects) == [key]
    objects.download(key, tmp_path / "after.db")
    with Store.open(tmp_path / "after.db") as store:
        assert store.connection.execute("SELECT 1 FROM session WHERE key = 's-waits'").fetchone()


def _put_off(database: Path, session: dict[str, Any]) -> Path:
    """A session that met a writer, as a hook leaves it."""
    import sqlite3

    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with Store.open(database) as store:
            record(store, session["key"], summary=session["summary"], started_at=session["started_at"])
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    (call,) = (database.parent / "memory.db.spool").iterdir()
    return call


def test_an_older_copy_that_was_put_back_is_told(objects: Objects, make_fleet: MakeFleet, here: Executor) -> None:
    folder, key = make_fleet(1), "team/agent-00/memory.db"
    place = uploaded(objects, folder)
    older = objects.read(key).data
    assert dream_fleet(place, COMPACT, executor=here).counts == {"applied": 1}
    objects.put(key, older, replacing=objects.read(key).version)
    (report,) = dream_fleet(place, COMPACT, executor=here).agents
    assert report.status == "failed" and "older copy" in report.error
    assert objects.read(key).data == older


def test_a_memory_that_another_machine_has_dreamed_meanwhile_is_no_older_copy(
    objects: Objects, make_fleet: MakeFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Executor
) -> None:
    place = uploaded(objects, make_fleet(1))
    assert dream_fleet(place, COMPACT, executor=here).counts == {"applied": 1}
    this_one = os.environ["GRAPHDREAM_STATE_HOME"]
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(tmp_path / "another-machine"))
    assert not dream_fleet(place, FleetOptions(compact=True, again=True), executor=here).failed
    monkeypatch.setenv("GRAPHDREAM_STATE_HOME", this_one)
    assert not dream_fleet(place, COMPACT, executor=here).failed


# ---------------------------------------------------------------------- the lease


def test_while_one_holds_the_lease_another_is_told_who(objects: Objects) -> None:
    with hold(objects, "m.db"):
        with pytest.raises(BusyError, match=f"another process dreams it: pid {os.getpid()}"), hold(objects, "m.db"):
            pass
        with hold(objects, "other.db"):
            assert keys(objects) == ["m.db.lease", "other.db.lease"]
    assert keys(objects) == []


def test_a_lease_runs_out_by_the_clock_of_the_server_and_one_alone_takes_it_over(
    objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holder, "is_gone", lambda host, pid: False)  # as of another machine
    dead = {"owner": "x", "pid": 1, "host": "far", "acquired_at": "?", "heartbeat_at": "?", "ttl_seconds": 2.0}
    objects.put("m.db.lease", json.dumps(dead).encode())
    with pytest.raises(BusyError), hold(objects, "m.db"):
        pass
    time.sleep(3.5)
    taken, told_busy = [], []

    def take() -> None:
        try:
            with hold(Objects(objects.bucket), "m.db"):
                taken.append(1)
                time.sleep(2)
        except BusyError:
            told_busy.append(1)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(taken), len(told_busy)) == (1, 3) and keys(objects) == []


def test_a_heart_beats_and_one_that_was_taken_over_cannot_upload(
    objects: Objects, make_fleet: MakeFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hold(objects, "m.db", ttl_seconds=2.0) as lease:
        first = objects.read("m.db.lease").version
        until(lambda: objects.read("m.db.lease").version != first)
        lease.confirm()

    place, key = uploaded(objects, make_fleet(1)), "team/agent-00/memory.db"
    before = objects.read(key).version

    def taken_over(path: Path) -> dict[str, Any]:
        task = Task("m", "", "r", COMPACT)
        there = objects.read(f"{key}.lease")
        objects.put(f"{key}.lease", b"another's", replacing=there.version)
        return work._dreamed_file(task, path)

    with pytest.raises(BusyError, match="was lost to another process"):
        dream_elsewhere(f"{place}/agent-00/memory.db", taken_over, writes=True)
    assert objects.read(key).version == before and objects.read(f"{key}.lease").data == b"another's"


# ---------------------------------------------------------------------- kills


def test_the_probe_of_a_process_that_died_is_swept_and_that_of_a_living_one_is_not(objects: Objects) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for name, pid in (("dead", gone.pid), ("alive", os.getpid())):
        objects.put(f"team/.graphdream-probe-{name}", as_text({**this_holder(), "pid": pid}))
    objects.put("team/.graphdream-probe-unread", b"{")
    objects.check_conditions("team/")
    assert keys(objects) == ["team/.graphdream-probe-alive", "team/.graphdream-probe-unread"]


def test_workers_and_coordinators_are_killed_and_every_memory_is_dreamed_once(
    objects: Objects, make_fleet: MakeFleet, tmp_path: Path
) -> None:
    place, chance, kills = uploaded(objects, make_fleet(8)), random.Random(3), 0
    words = [place, "--compact", "--jobs", "2"]
    while kills < 3:
        process = start(*words)
        until(lambda: process.poll() is not None or any(key.endswith(".lease") for key in keys(objects)))  # noqa: B023
        time.sleep(chance.uniform(0, 0.6))
        if process.poll() is not None:
            break
        workers = workers_of(process.pid)
        if kills == 0 and workers:
            os.kill(chance.choice(workers), signal.SIGKILL)
            time.sleep(1.0)
        workers = workers_of(process.pid)
        process.kill()
        process.communicate()
        kills += 1
        until(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in workers), 10)  # noqa: B023
        words = [place, "--jobs", "2", "--resume"]
    report, _ = told(start(place, "--jobs", "2", "--resume"))
    assert kills > 0 and report["counts"] == {"applied": 8}
    assert keys(objects) == [f"team/agent-{number:02}/memory.db" for number in range(8)]
    for key in keys(objects):
        made = [one["trigger"] for one in dreams(objects, key, tmp_path) if one["status"] == "applied"]
        assert made == [f"fleet {report['run']}"]


def test_one_that_was_killed_after_its_upload_is_neither_dreamed_again_nor_taken_for_an_older_copy(
    objects: Objects, make_fleet: MakeFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before this machine could remember what it had uploaded."""
    place, key = uploaded(objects, make_fleet(1)), "team/agent-00/memory.db"
    task = Task("agent-00/memory.db", f"{place}/agent-00/memory.db", "r1", COMPACT)

    def killed(self: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(elsewhere.Workplace, "was_uploaded", killed)
        with pytest.raises(SystemExit):
            dream_agent(task)
    again = dream_agent(task)
    assert again.status == "applied" and len(dreams(objects, key, tmp_path)) == 1
    assert dream_agent(Task(task.memory, task.path, "r2", COMPACT)).status == "nothing"


def test_two_machines_at_once_dream_each_memory_whole(
    objects: Objects, make_fleet: MakeFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, processes = uploaded(objects, make_fleet(5)), []
    for machine in range(2):
        monkeypatch.setenv("GRAPHDREAM_STATE_HOME", str(tmp_path / f"machine-{machine}"))
        processes.append(start(place, "--compact", "--jobs", "1"))
    reports = []
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode in (0, 1), err
        reports.append(json.loads(out))
    for report in reports:
        assert all(one["code"] in (0, 5) for one in report["agents"]), report
    runs = {f"fleet {report['run']}" for report in reports}
    for key in keys(objects):
        made = dreams(objects, key, tmp_path)
        assert 1 <= len(made) <= 2 and {one["trigger"] for one in made} <= runs
        assert len({one["trigger"] for one in made}) == len(made)


# ---------------------------------------------------------------------- places where no fleet can dream


@pytest.mark.parametrize(
    ("place", "code", "said"),
    [
        ("memory://team", 2, "is in the memory of one process"),
        ("gs://team", 2, "speaks as S3 does"),
        ("s3://no-such-bucket", 6, "does not exist"),
        ("s3://{bucket}/nothing-here", 6, "/nothing-here/"),
    ],
)
def test_a_place_where_no_fleet_can_dream_is_told(
    objects: Objects, capsys: Any, place: str, code: int, said: str
) -> None:
    assert main(["fleet", "dream", place.format(bucket=objects.bucket)]) == code
    assert said in capsys.readouterr().err


def test_a_folder_may_be_named_by_its_address(make_fleet: MakeFleet, here: Executor) -> None:
    folder = make_fleet(1)
    assert dream_fleet(f"file://{folder}", COMPACT, executor=here).location == str(folder)


def test_a_server_that_passes_over_conditions_is_refused(
    make_fleet: MakeFleet, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with served("careless") as address:
        for name, value in environment(address).items():
            monkeypatch.setenv(name, value)
        careless = made_bucket("agents")
        place = uploaded(careless, make_fleet(1))
        assert main(["fleet", "dream", place]) == 3
        assert "passes over conditions of a write" in capsys.readouterr().err
        assert keys(careless) == ["team/agent-00/memory.db"]


def test_without_the_library_it_is_said_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['s3fs'] = None\n"
        "from graphdream.interfaces.cli import main\nsys.exit(main(['fleet', 'dream', 's3://agents/team']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 2 and "pip install 'graphdream[s3]'" in done.stderr
