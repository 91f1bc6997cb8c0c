"""How long a compaction takes, and how that grows with the graph.

    python bench/compaction.py GRAPH.jsonl.gz [GRAPH.jsonl.gz ...] [--rounds 1] [--json]

Each graph is imported and compacted by whole `graphdream` processes, without a model, with default settings. The
processor time is that of the pass and of the second process that it starts; the exponent is the slope of
log(processor time) over log(entity rows), least squares, over all graphs given. Of several rounds the quickest counts:
what else the machine does only ever makes it slower. `bloat.py` of the shared tools makes graphs of any size:

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
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log
from pathlib import Path

from graphdream.interfaces.output import print_json, table


@dataclass(frozen=True, slots=True)
class Compaction:
    """One compaction. `wall`, `processor`: seconds; `peak`: MiB of the larger of its two processes."""

    graph: str
    entities: int
    wall: float
    processor: float
    peak: float


def _timed(command: Sequence[str]) -> tuple[float, float, float]:
    """Seconds by the clock and of processor time, and the peak in MiB, of a process that must succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(graph: Path) -> Compaction:
    """Import a graph and compact it."""
    graphdream = [sys.executable, "-m", "graphdream"]
    with gzip.open(graph, "rt", encoding="utf-8") as lines:
        entities = sum(json.loads(line)["kind"] == "entity" for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "memory.db")
        _timed([*graphdream, "import", str(graph), "--db", database])
        wall, processor, peak = _timed([*graphdream, "dream", "--compact", "--db", database])
    return Compaction(graph.name, entities, wall, processor, peak)


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
    rows = [(one.graph, one.entities, round(one.wall, 1), round(one.processor, 1), round(one.peak)) for one in found]
    print(table(rows, ("graph", "entity rows", "wall s", "processor s", "peak MiB")), end="")
    if grows is not None:
        print(f"growth of processor time: exponent {grows:.2f}")


if __name__ == "__main__":
    main()
