"""What a hook costs: `graphdream record` and `graphdream dream --status` as whole processes, beside a bare interpreter.

    python bench/hot_path.py [--facts 1000,100000] [--rounds 30]

The measure is the ratio to `python -c "import sqlite3, json"`, run in turn with the others so that all meet the same
load of the machine; the floor is 3, whatever the size of the graph. Prints a table, or with --json one object.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from compileall import compile_dir
from pathlib import Path

from graphdream.events.counter import unread_tokens
from graphdream.events.record import record
from graphdream.graph.names import canonical, text_digest
from graphdream.graph.store import Store
from graphdream.interfaces.output import print_json, table
from graphdream.journal.passes import PassHeader, open_pass

FLOOR = 3.0
FACTS_PER_ENTITY = 5
PROJECT = Path(__file__).resolve().parent.parent
BARE = (sys.executable, "-c", "import sqlite3, json")
PROGRAM = (sys.executable, "-m", "graphdream")


def fill(path: Path, facts: int) -> None:
    """A graph of so many facts, and a hundred sessions of which one is unread and counted."""
    with Store.open(path) as store:
        for number in range(100):
            record(store, f"s{number}", summary=f"Session {number} was about entity {number}.")
        with open_pass(store, PassHeader(kind="import")) as current:
            write = store.connection.executemany
            entities = range(1, facts // FACTS_PER_ENTITY + 1)
            write(
                "INSERT INTO entity (id, uid, name, canonical, version) VALUES (?, ?, ?, ?, ?)",
                ((n, f"e{n}", f"Entity {n}", canonical(f"Entity {n}"), current.id) for n in entities),
            )
            write(
                "INSERT INTO aspect (id, uid, entity_id, name, canonical, version) VALUES (?, ?, ?, ?, ?, ?)",
                ((n, f"p{n}", n, "notes", "notes", current.id) for n in entities),
            )
            write(
                "INSERT INTO attribute (id, uid, aspect_id, content, digest, version) VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (n, f"a{n}", (n - 1) // FACTS_PER_ENTITY + 1, f"fact {n}", text_digest(f"fact {n}"), current.id)
                    for n in range(1, len(entities) * FACTS_PER_ENTITY + 1)
                ),
            )
            store.connection.execute("UPDATE summary SET read_by = ? WHERE id > 1", (current.id,))
        unread_tokens(store)


def seconds(words: Sequence[str]) -> float:
    """Wall-clock time of a whole process that keeps its byte code, as an installed one does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=PROJECT, env=kept)
    return time.perf_counter() - began


def measure(path: Path, rounds: int) -> dict[str, list[float]]:
    """Times of each command in seconds, round by round, each round all of them in turn."""
    place = ("--db", str(path))
    commands: dict[str, Callable[[int], Sequence[str]]] = {
        "bare": lambda _: BARE,
        "record, something new": lambda n: (
            *PROGRAM, "record", "--session-id", "s0", "--summary", f"Number {os.getpid()}-{n}.", *place
        ),
        "record, nothing new": lambda _: (
            *PROGRAM, "record", "--session-id", "s1", "--summary", "Session 1 was about entity 1.", *place
        ),
        "dream --status": lambda _: (*PROGRAM, "dream", "--status", *place),
    }  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(-2, rounds):
        for name, words in commands.items():
            if name == "dream --status":
                with Store.open(path) as store:  # counted, as it is whenever somebody has asked before
                    unread_tokens(store)
            taken = seconds(words(number))
            if number >= 0:  # the first rounds only warm the file cache
                times[name].append(taken)
    return times


def main() -> int:
    """Measure and print; the exit code is 1 where a floor is not met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", default="1000,100000", help="sizes of graph, with commas")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    # What is measured is a program in use, whose bytecode is on disk.
    compile_dir(PROJECT / "graphdream", quiet=1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for facts in map(int, args.facts.split(",")):
            path = Path(folder) / f"{facts}.db"
            fill(path, facts)
            times = measure(path, args.rounds)
            bare = statistics.median(times["bare"])
            for name, taken in times.items():
                ratio = statistics.median(taken) / bare
                rows.append((name, facts, round(statistics.median(taken) * 1000, 1), round(ratio, 2), ratio <= FLOOR))
    headings = ("command", "facts", "median ms", "times bare", "within the floor")
    if args.json:
        print_json([dict(zip(headings, row, strict=True)) for row in rows])
    else:
        print(table(rows, headings), end="")
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
