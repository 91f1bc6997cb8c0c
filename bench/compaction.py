"""How long a compaction takes, and how that grows with the graph.

    python bench/compaction.py GRAPH.jsonl.gz [GRAPH.jsonl.gz ...] [--rounds 1] [--json]

Each graph is imported and compacted by whole `graphdream` processes, without a model, with default settings. The
processor time is that of the pass and of the processes that it starts; the memory is that of all of them at one time,
looked at every half second, pages that they share counted once (where there is no /proc, that of the largest). The
exponent is the slope of log(processor time) over log(entity rows), least squares, over all graphs given. Of several
rounds the quickest counts: what else the machine does only ever makes it slower. `bloat.py` of the shared tools makes
graphs of any size:

    bloat.py --entities 1k --out small        # 3k, 13k, 50k, 100k
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import log
from pathlib import Path
from threading import Event, Thread

from graphdream.interfaces.output import print_json, table


@dataclass(frozen=True, slots=True)
class Compaction:
    """One compaction. `wall`, `processor`: seconds; `peak`: MiB of its processes together."""

    graph: str
    entities: int
    facts: int
    wall: float
    processor: float
    peak: float


def _timed(command: Sequence[str]) -> tuple[float, float, float]:
    """Seconds by the clock and of processor time, and the peak in MiB, of a process that must succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    together, ended = [0.0], Event()
    looking = Thread(target=_watch, args=(process.pid, together, ended))
    looking.start()
    _, status, used = os.wait4(process.pid, 0)
    ended.set()
    looking.join()
    wall = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}")
    return wall, used.ru_utime + used.ru_stime, max(used.ru_maxrss / 1024, *together)


def _watch(root: int, together: list[float], ended: Event) -> None:
    """Append what a process and those that it started hold together, in MiB, until it has ended."""
    while not ended.wait(0.5):
        held = [_held(number) for number in (root, *_started_by(root))]
        together.append(sum(held) / 1024)


def _started_by(root: int) -> list[int]:
    found: list[int] = []
    for listed in Path(f"/proc/{root}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, listed.read_text().split())
    return [*found, *(below for one in found for below in _started_by(one))]


def _held(number: int) -> int:
    """KiB that a process holds, its share of what it has in common with others; 0 where that is not told."""
    with suppress(OSError):
        for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def measure(graph: Path) -> Compaction:
    """Import a graph and compact it."""
    graphdream = [sys.executable, "-m", "graphdream"]
    with gzip.open(graph, "rt", encoding="utf-8") as lines:
        kinds = Counter(json.loads(line)["kind"] for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "memory.db")
        _timed([*graphdream, "import", str(graph), "--db", database])
        wall, processor, peak = _timed([*graphdream, "dream", "--compact", "--db", database])
    return Compaction(graph.name, kinds["entity"], kinds["attribute"], wall, processor, peak)


def exponent(found: Sequence[Compaction]) -> float | None:
    """How processor time grows with entity rows; None for graphs of one size."""
    sizes = [log(one.entities) for one in found]
    if len(set(sizes)) < 2:
        return None
    return statistics.linear_regression(sizes, [log(one.processor) for one in found]).slope


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = [
        min((measure(graph) for _ in range(options.rounds)), key=lambda one: one.processor) for graph in options.graphs
    ]
    grows = exponent(found)
    if options.json:
        print_json({"graphs": [asdict(one) for one in found], "exponent": grows})
        return
    rows = [
        (one.graph, one.entities, one.facts, round(one.wall, 1), round(one.processor, 1), round(one.peak))
        for one in found
    ]
    print(table(rows, ("graph", "entity rows", "facts", "wall s", "processor s", "peak MiB")), end="")
    if grows is not None:
        print(f"growth of processor time: exponent {grows:.2f}")


if __name__ == "__main__":
    main()
