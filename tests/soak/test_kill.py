"""Law 3: a pass is seen whole or not at all, whatever kills the process at whatever moment.

Real processes of real commands are ended by SIGKILL after a random time. What is left must open, verify, hold every
session that was acknowledged and nothing by halves, and the next call must recover by itself.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphdream.dream.lease import read_holder
from graphdream.errors import NotFoundError
from graphdream.graph.store import Store
from graphdream.journal.passes import list_passes
from graphdream.journal.verify import verify
from tests.laws.cuts import cut, entities_of
from tests.laws.promises import lost, unsound
from tests.support.graphs import dump

PROJECT = Path(__file__).resolve().parents[2]
KILLS = {"in-ci": 20, "soak": 240}
ENTITIES = 120  # of the demo's graph: large enough that every step of a pass takes a while
SETTLED = ("import", "dream", "undo")

if sys.platform == "win32":
    pytest.skip("NOT TESTED: there is no SIGKILL here", allow_module_level=True)


@pytest.fixture(scope="module")
def graph_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = PROJECT / "fixtures" / "small.jsonl.gz"
    path = tmp_path_factory.mktemp("graph") / "graph.jsonl"
    lines = cut(source, entities_of(source)[:ENTITIES])
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory, graph_file: Path) -> dict[str, Path]:
    """The file before each command: nothing there, a graph imported, a graph compacted."""
    folder = tmp_path_factory.mktemp("stages")
    stages = {"import": folder / "none.db", "dream": folder / "imported.db", "undo": folder / "compacted.db"}
    run("import", str(graph_file), "--db", str(stages["dream"]))
    shutil.copy(stages["dream"], stages["undo"])
    run("dream", "--compact", "--db", str(stages["undo"]))
    stages["record"] = stages["dream"]
    return stages


def words_of(command: str, path: Path, graph_file: Path, number: int) -> list[str]:
    place = ["--db", str(path)]
    if command == "import":
        return ["import", str(graph_file), *place]
    if command == "dream":
        return ["dream", "--compact", *place]
    if command == "undo":
        return ["undo", "2", *place]
    return ["record", "--session", f"killed-{number}", "--summary", f"The session of kill {number}.", *place]


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "graphdream", *words], cwd=PROJECT, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip


def run(*words: str) -> str:
    process = start(*words)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, f"{words}: exit {process.returncode}\n{out}{err}"
    return out


def seconds_of(words: list[str]) -> float:
    """How long a command takes when nobody kills it, as the machine is now."""
    began = time.monotonic()
    run(*words)
    return time.monotonic() - began


def state_of(path: Path) -> object:
    """What the file says, or None where there is none yet."""
    try:
        with Store.open(path, create=False) as store:
            return dump(store), len(list_passes(store.connection))
    except NotFoundError:
        return None


@pytest.mark.parametrize("size", ["in-ci", pytest.param("soak", marks=pytest.mark.soak)])
def test_a_killed_process_leaves_all_of_a_pass_or_nothing_and_the_next_call_recovers(
    tmp_path: Path, stages: dict[str, Path], graph_file: Path, size: str
) -> None:
    chance = random.Random(7)
    commands = ["dream", "import", "undo", "record"]
    whole, lengths = {}, {}
    for command in commands:
        path = tmp_path / f"whole-{command}.db"
        copied(stages[command], path)
        lengths[command] = seconds_of(words_of(command, path, graph_file, 0))
        whole[command] = state_of(path)
    killed = finished = 0
    for number in range(KILLS[size]):
        command = commands[number % len(commands)]
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "memory.db"
        copied(stages[command], path)
        before = state_of(path)
        process = start(*words_of(command, path, graph_file, number))
        time.sleep(chance.uniform(0.15, 1.05) * lengths[command])
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        killed += process.returncode == -signal.SIGKILL
        finished += process.returncode == 0
        check(path, command, before, whole[command], acknowledged=out if process.returncode == 0 else "")
        recover(path, command, graph_file, number)
        shutil.rmtree(folder)
    assert killed + finished == KILLS[size] and killed >= KILLS[size] // 2


def copied(source: Path, target: Path) -> None:
    if source.exists():
        shutil.copy(source, target)


def check(path: Path, command: str, before: object, whole: object, *, acknowledged: str) -> None:
    """The file after the kill, as it was or as the whole command makes it, never in between."""
    if not path.exists():
        assert command == "import" and not acknowledged
        return
    with Store.open(path) as store:
        report = verify(store)
        assert report.ok, report.as_text()
        assert unsound(store) == [] and lost(store) == []
        assert [record for record in list_passes(store.connection) if record["status"] not in ("applied",)] == []
        now = (dump(store), len(list_passes(store.connection)))
        empty = not any(now[0].values()) and now[1] == 0
        assert now in (before, whole) or (before is None and empty), f"{command}: neither as it was nor whole"
        half = store.connection.execute(
            "SELECT count(*) FROM session WHERE kind = 'session' AND NOT EXISTS"
            " (SELECT 1 FROM summary WHERE session_id = session.id)"
        ).fetchone()[0]
        assert half == 0, "a session without its summary"
    if acknowledged:
        assert state_of(path) == whole, f"{command} said that it was done, and it is not"


def recover(path: Path, command: str, graph_file: Path, number: int) -> None:
    """The next call takes over what a dead holder left, and ends what the killed one began."""
    words = words_of(command, path, graph_file, number)
    with Store.open(path) as store:
        done = command in {record["kind"] for record in list_passes(store.connection)}
    if done and command in ("import", "undo"):  # a second time they are refused, as they should be
        return
    run(*words)
    with Store.open(path) as store:
        assert read_holder(store.connection) is None
        assert verify(store).ok
        kinds = [record["kind"] for record in list_passes(store.connection)]
        assert command not in SETTLED or kinds.count(command) == 1, kinds
        if command == "record":
            keys = [row[0] for row in store.connection.execute("SELECT key FROM session WHERE key LIKE 'killed-%'")]
            assert keys == [f"killed-{number}"]
