"""What seals tell, and what they cost: nine kinds of edit in four ways, a pass, a recording, a recall, honest lives.

    python bench/sealing.py [--rounds 100] [--facts 5000] [--lives 200] [--readme docs/measured.md]

Each edit is made by somebody who can write to the folder and has not got the key (tests/support/attacks.py). Told is:
the next `recall` warns, or leaves out what was changed, and the next `dream` refuses. Costs are ratios within one run:
the same calls on the same memory with seals and without, in turn, so that all meet the same load of the machine. Beside
the time by the clock, which waits for the disk, stands the processor's, which is the same on a busy machine. Of an
honest life nothing may be told: it is upgraded, killed, copied, moved, used by several processes at once.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from engine import machine  # noqa: E402
from page import write_between  # noqa: E402

from graphdream.dream.runner import PassOptions, dream  # noqa: E402
from graphdream.dreamers.local import LocalDreamer  # noqa: E402
from graphdream.events.record import record  # noqa: E402
from graphdream.graph.rows import insert  # noqa: E402
from graphdream.graph.store import Store  # noqa: E402
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY  # noqa: E402
from graphdream.interfaces.cli import main as graphdream  # noqa: E402
from graphdream.interfaces.importers import import_graph  # noqa: E402
from graphdream.interfaces.output import table  # noqa: E402
from graphdream.journal.passes import PassHeader, open_pass  # noqa: E402
from graphdream.journal.verify import verify  # noqa: E402
from graphdream.recall.search import recall  # noqa: E402
from tests.support.attacks import EDITS, WAYS, World, attack, live  # noqa: E402

MARKS = ("<!-- sealing: written by `python bench/sealing.py` -->", "<!-- end of sealing -->")
FLOORS = {"compaction": 1.10, "bare write": 1.10, "record": 1.2, "recall": 1.2}
COMPACTIONS = 5  # of the demo's graph, with seals and without
KILLED_AFTER = (0.05, 0.6)  # seconds


def attacks(folder: Path) -> dict[str, dict[str, bool]]:
    """Edit -> way -> whether it is told by default."""
    home = folder / "attacked"
    os.environ["GRAPHDREAM_STATE_HOME"] = str(home / "state")
    _quietly(lambda: live(home))
    kept = folder / "kept"
    shutil.copytree(home, kept)
    told: dict[str, dict[str, bool]] = {}
    for edit in EDITS:
        for way in WAYS:
            shutil.rmtree(home)
            shutil.copytree(kept, home)
            world = World(home / "agent" / "memory.db", home / "older.db", home / "other" / "memory.db")
            attack(world, edit, way)
            words = ["--db", str(world.memory)]
            _, said = _quietly(lambda words=words: graphdream(["recall", "Grace log harbour sails boat keys", *words]))
            refused, _ = _quietly(lambda words=words: graphdream(["dream", "--compact", *words]))
            told.setdefault(edit, {})[way] = "warning" in said and refused == 1
    return told


def _quietly(work: Callable[[], object]) -> tuple[object, str]:
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        return work(), errors.getvalue()


# ---------------------------------------------------------------------- cost


def costs(folder: Path, facts: int, rounds: int) -> dict[str, float]:
    """What is done -> how many times as long it takes with seals, by the medians; with ` ms` how long without, and with
    ` CPU` how many times as much of the processor's time."""
    os.environ["GRAPHDREAM_STATE_HOME"] = str(folder / "state")
    stores = {scratch: Store.open(folder / f"cost{scratch}.db", scratch=scratch) for scratch in (False, True)}
    for store in stores.values():
        _fill(store, facts)
    work: dict[str, Callable[[Store, int], object]] = {"bare write": _write, "record": _record, "recall": _recall}
    ratios = _compactions(folder)
    for name, call in work.items():
        taken, used = _Times(), _Times()
        for number in range(rounds):
            for scratch in (False, True) if number % 2 else (True, False):
                began, worked = time.perf_counter(), time.process_time()
                call(stores[scratch], number)
                used[scratch].append(time.process_time() - worked)
                taken[scratch].append(time.perf_counter() - began)
        ratios |= _ratios(name, taken, used)
    for store in stores.values():
        store.close()
    return ratios


def _fill(store: Store, facts: int) -> None:
    chance = random.Random(7)
    words = [f"word{number}" for number in range(800)]
    with open_pass(store, PassHeader("import")):
        for number in range(facts // 20):
            entity = insert(store, ENTITY, name=f"Person {number}", canonical=f"person {number}")
            aspect = insert(store, ASPECT, entity_id=entity, name="work", canonical="work")
            for _ in range(20):
                content = " ".join(chance.choices(words, k=12))
                insert(store, ATTRIBUTE, aspect_id=aspect, content=content, digest=chance.getrandbits(62))
    for number in range(40):
        _record(store, -1 - number)


def _compactions(folder: Path) -> dict[str, float]:
    """What seals cost the pass that people make: the demo's graph, imported and compacted."""
    taken, used = _Times(), _Times()
    for number in range(COMPACTIONS):
        for scratch in (False, True) if number % 2 else (True, False):
            with Store.open(folder / f"compaction{scratch}{number}.db", scratch=scratch) as store:
                import_graph(store, ROOT / "fixtures" / "small.jsonl.gz")
                began, worked = time.perf_counter(), time.process_time()
                dream(store, LocalDreamer(), PassOptions(mode="compact"))
                used[scratch].append(time.process_time() - worked)
                taken[scratch].append(time.perf_counter() - began)
    return _ratios("compaction", taken, used)


class _Times(dict[bool, list[float]]):
    """Seconds, by whether without seals."""

    def __init__(self) -> None:
        super().__init__({False: [], True: []})

    def ratio(self) -> float:
        return statistics.median(self[False]) / statistics.median(self[True])


def _ratios(name: str, taken: _Times, used: _Times) -> dict[str, float]:
    return {name: taken.ratio(), f"{name} ms": statistics.median(taken[True]) * 1e3, f"{name} CPU": used.ratio()}


def _write(store: Store, number: int) -> None:
    """A pass that does nothing but rewrite 500 facts all over the graph."""
    with open_pass(store, PassHeader("edit")) as current:
        store.connection.execute(
            "UPDATE attribute SET importance = ?, version = ? WHERE id % 10 = ? AND id <= 5000",
            (round(number / 1000, 3), current.id, number % 10),
        )


def _record(store: Store, number: int) -> None:
    turns = [{"role": "user", "content": f"turn {turn} of {number} about word{turn * 7}"} for turn in range(20)]
    record(store, f"s{number}", summary=f"Session {number} about word{number % 800}.", transcript=turns)


def _recall(store: Store, number: int) -> None:
    store.seal.faults()
    recall(store, f"word{number} word{number * 3 % 800} person {number}", k=10)


# ---------------------------------------------------------------------- honest lives


def honest_lives(folder: Path, lives: int) -> tuple[int, list[str]]:
    """How many steps honest lives had, and what was told of them, which should be nothing."""
    os.environ["GRAPHDREAM_STATE_HOME"] = str(folder / "state")
    chance, alarms, steps = random.Random(lives), list[str](), 0
    for life in range(lives):
        path = folder / f"life{life}" / "memory.db"
        path.parent.mkdir()
        if life % 3 == 0:
            schemas = sorted((ROOT / "fixtures" / "schemas").glob("*.db.gz"))
            import gzip

            path.write_bytes(gzip.decompress(chance.choice(schemas).read_bytes()))
        for step in range(chance.randint(2, 5)):
            steps += 1
            path = _step(path, chance, f"{life}-{step}")
        with Store.open(path) as store:
            report = verify(store)
        alarms += [f"life {life}: {fault.message}" for fault in report.faults]
        shutil.rmtree(path.parent)
    return steps, alarms


def _step(path: Path, chance: random.Random, name: str) -> Path:
    """One thing that happens in an honest life; returns where the memory lies now."""
    what = chance.choice(("use", "use", "killed", "copied", "moved", "together"))
    command = [sys.executable, "-m", "graphdream", "record", "--summary", f"Session {name}.", "--db", str(path)]
    if what == "use":
        _quietly(lambda: graphdream(["remember", f"Fact {name} is so.", "--wait", "--db", str(path)]))
        _quietly(lambda: graphdream(["dream", "--db", str(path)]))
    elif what == "killed":
        process = subprocess.Popen(
            [*command, "--session", name], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(*KILLED_AFTER))
        process.send_signal(signal.SIGKILL)
        process.wait()
    elif what == "together":
        several = [
            subprocess.Popen([*command, "--session", f"{name}-{n}"], cwd=ROOT, stdout=subprocess.DEVNULL)
            for n in range(3)
        ]
        for process in several:
            process.wait()
    elif path.exists():
        with Store.open(path) as store:
            store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        elsewhere = path.parent.with_name(f"{path.parent.name}-{name}") / path.name
        if what == "copied":
            elsewhere.parent.mkdir()
            shutil.copy(path, elsewhere)
            shutil.rmtree(path.parent)
        else:
            path.parent.rename(elsewhere.parent)
        return elsewhere
    return path


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--facts", type=int, default=5_000)
    parser.add_argument("--lives", type=int, default=200)
    parser.add_argument("--readme", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphdream-sealing-") as name:
        folder = Path(name)
        os.environ["GRAPHDREAM_HOME"] = str(folder / "home")
        os.environ["GRAPHDREAM_CONFIG_HOME"] = str(folder / "config")
        told = attacks(folder)
        ratios = costs(folder, args.facts, args.rounds)
        steps, alarms = honest_lives(folder, args.lives)
    rows = [(edit, *("told" if told[edit][way] else "NOT told" for way in WAYS)) for edit in EDITS]
    seen = sum(told[edit][way] for edit in EDITS for way in WAYS)
    lines = [
        table(rows, ("edit", *WAYS)),
        f"told or refused: {seen} of {len(EDITS) * len(WAYS)}",
        *(
            f"{name}: {ratios[name]:.3f} times as long as without seals ({ratios[f'{name} ms']:.2f} ms),"
            f" {ratios[f'{name} CPU']:.3f} times the processor's time; floor {floor}"
            for name, floor in FLOORS.items()
        ),
        f"honest lives: {args.lives}, {steps} steps, {len(alarms)} false alarms",
        *alarms[:10],
        machine(),
    ]
    print("\n".join(lines))
    if args.readme:
        body = ["", "| edit | " + " | ".join(WAYS) + " |", "|---" * (len(WAYS) + 1) + "|"]
        body += ["| " + " | ".join(row) + " |" for row in rows]
        body += ["", "| what | floor | measured |", "|---|---|---|"]
        body.append(
            f"| edits told or refused by default | {len(EDITS) * len(WAYS)} of {len(EDITS) * len(WAYS)} | {seen} |"
        )
        body += [
            f"| cost of a {name} with seals, beside without | ≤ {floor}× | {ratios[name]:.2f}×"
            f" ({ratios[f'{name} CPU']:.2f}× the processor's time) |"
            for name, floor in FLOORS.items()
        ]
        body += [
            f"| false alarms in {args.lives} honest lives of {steps} steps | 0 | {len(alarms)} |",
            "",
            f"{machine()}",
            "",
        ]
        write_between(args.readme, MARKS, "\n".join(body))


if __name__ == "__main__":
    main()
