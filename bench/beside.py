"""What recording and recall cost while a compaction runs, beside what they cost when nothing does.

    python bench/beside.py GRAPH.jsonl.gz [--calls 400] [--pause 0.02] [--readme docs/measured.md] [--json]

A process of its own opens the memory once, as an MCP server does, and calls `record`, `recall` and `remember` in turn;
the same calls are made on a quiet memory, and while `graphdream dream --compact` runs in another process. Afterwards
every session must be on record once. The measure is the ratio of the 99th percentiles; the floor is 1.5 for `record`
and `recall`. Two processes need two cores: with fewer the ratio is that of the machine's scheduler.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from engine import machine
from page import write_between

from graphdream.events.record import take_in
from graphdream.events.spool import waiting
from graphdream.graph.store import Store
from graphdream.interfaces.output import print_json

MARKS = ("<!-- beside: written by `python bench/beside.py` -->", "<!-- end of beside -->")
FLOOR = 1.5
TAGS = ("first", "quiet", "beside")
CALLS = ("record", "recall", "remember")

CALLER = """
import json, os, sys, time
import graphdream
path, tag, calls, pause = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
taken = {"record": [], "recall": [], "remember": []}
with graphdream.open(path) as graph:
    for number in range(calls):
        work = {
            "record": lambda: graph.record_session(f"{tag}-{number}", summary=f"The {tag} caller told {number}."),
            "recall": lambda: graph.recall(f"who moved to which town in session {number}"),
        }
        if number % 10 == 0:
            work["remember"] = lambda: graph.remember(f"The {tag} lamp number {number} stands on shelf {number % 7}.")
        for name, call in work.items():
            began = time.perf_counter()
            call()
            taken[name].append(time.perf_counter() - began)
            time.sleep(pause)
        if os.path.exists(f"{path}.over"):
            break
print(json.dumps(taken))
"""


def calling(database: Path, tag: str, calls: int, pause: float) -> subprocess.Popen[str]:
    """A process that calls, until there is a file of the database's name and `.over`."""
    words = [sys.executable, "-c", CALLER, str(database), tag, str(calls), str(pause)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def taken(caller: subprocess.Popen[str]) -> dict[str, list[float]]:
    """Seconds of each call by name, of a caller that has ended."""
    text = caller.communicate()[0]
    if caller.returncode:
        raise SystemExit(f"a caller ended with {caller.returncode}")
    found: dict[str, list[float]] = json.loads(text)
    return found


def percentile(seconds: Sequence[float], share: float) -> float:
    """The value that so much of them do not exceed."""
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * share))]


def measure(graph: Path, calls: int, pause: float) -> dict[str, dict[str, float]]:
    """Name of a call -> `quiet` and `beside`, 99th percentiles in milliseconds, `ratio`, and `calls` beside.

    Raises:
        SystemExit: a session that was told is not on record, or is there twice.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GRAPHDREAM_STATE_HOME"] = str(Path(folder) / "state")
        database = Path(folder) / "memory.db"
        place = ["--db", str(database)]
        graphdream = [sys.executable, "-m", "graphdream"]
        subprocess.run([*graphdream, "import", str(graph), *place], check=True, stdout=subprocess.DEVNULL)
        taken(calling(database, "first", 20, 0))
        quiet = taken(calling(database, "quiet", calls, pause))
        caller = calling(database, "beside", 1_000_000, pause)
        subprocess.run([*graphdream, "dream", "--compact", *place], check=True, stdout=subprocess.DEVNULL)
        database.with_name(f"{database.name}.over").touch()
        beside = taken(caller)
        told = 20 + len(quiet["record"]) + len(beside["record"])
        with Store.open(database) as store:
            take_in(store)
            found = store.connection.execute(
                "SELECT key FROM session JOIN summary ON session_id = session.id"
            ).fetchall()
            keys = [key for (key,) in found if key.partition("-")[0] in TAGS]
        if len(keys) != told or len(set(keys)) != told or waiting(database):
            raise SystemExit(f"{told} sessions were told, and {len(set(keys))} are on record, {len(keys)} times")
    ratios = {}
    for name in CALLS:
        before, during = percentile(quiet[name], 0.99) * 1e3, percentile(beside[name], 0.99) * 1e3
        ratios[name] = {
            "quiet": before,
            "beside": during,
            "ratio": during / before,
            "calls": len(beside[name]),
            "median": percentile(beside[name], 0.5) / percentile(quiet[name], 0.5),
            "most": max(beside[name]) * 1e3,
        }
    return ratios


def report(found: dict[str, dict[str, float]], graph: Path, on: str) -> str:
    """The table as Markdown."""
    lines = [
        f"`{graph.name}`, one run. Measured on {on}.", "",
        "| call | p99 quiet | p99 beside a compaction | ratio | median, ratio | longest | calls |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, one in found.items():
        missed = " **(missed)**" if name != "remember" and one["ratio"] > FLOOR else ""
        lines.append(
            f"| `{name}` | {one['quiet']:.1f} ms | {one['beside']:.1f} ms | {one['ratio']:.2f} ×{missed} |"
            f" {one['median']:.2f} × | {one['most']:.0f} ms | {one['calls']:,.0f} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Measure and print; the exit code is 1 where the floor is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", type=Path)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between calls")
    parser.add_argument("--readme", type=Path, help="also write the table between the marks of this page")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    on = machine()
    found = measure(args.graph, args.calls, args.pause)
    text = report(found, args.graph, on)
    print_json(found) if args.json else print(text)
    if args.readme:
        write_between(args.readme, MARKS, text)
    return int(any(found[name]["ratio"] > FLOOR for name in ("record", "recall")))


if __name__ == "__main__":
    raise SystemExit(main())
