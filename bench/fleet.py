"""What a fleet gains: many small memories on all cores over the same ones in one process.

    python bench/fleet.py [--memories 1000] [--pairs 3] [--jobs 2] [--readme docs/measured.md] [--json OUT]

Each pair dreams fresh copies of the same small memories twice, once in one process (a plain loop over the library in a
new interpreter: no pool, no ledger), once by `graphdream fleet dream --jobs N`; which goes first alternates. Both times
are of whole processes, interpreter and imports included. The ratio is taken within a pair, because what else runs on
the machine changes from minute to minute; how many cores others kept busy meanwhile stands beside each time. The floor
of the ratio is 1.7 on two cores; where others keep these busy there is little to gain, and nothing is held to it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engine import machine  # noqa: E402
from page import write_between  # noqa: E402

import graphdream  # noqa: E402  (the bench folder is not a package)
from tests.laws.cuts import cut, entities_of  # noqa: E402

MARKS = ("<!-- fleet: written by `python bench/fleet.py` -->", "<!-- end of fleet -->")
FLOOR = 1.7  # of the ratio, with two processes on two cores
QUIET_CORES = 0.1  # that others may keep busy for a pair to be held to the floor
KINDS = 16  # different memories; the fleet is copies of these
_ONE = """
import sys
from pathlib import Path
from graphdream.fleet.work import FleetOptions, Task, dream_agent
for path in sorted(Path(sys.argv[1]).rglob("*.db")):
    report = dream_agent(Task(str(path), str(path), "bench", FleetOptions(compact=True)))
    assert report.status == "applied", report
"""


def small_memories(folder: Path, entities: int) -> list[Path]:
    """Memories of so many entities of the demo's graph each, imported and never dreamed."""
    source, out = ROOT / "fixtures" / "small.jsonl.gz", []
    ids = entities_of(source)
    for kind in range(KINDS):
        told, path = folder / f"{kind}.jsonl", folder / f"{kind}.db"
        lines = cut(source, ids[kind * entities : (kind + 1) * entities])
        told.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        with graphdream.open(path) as graph:
            graph.import_graph(told)
        out.append(path)
    return out


def spread(memories: Sequence[Path], folder: Path, count: int) -> Path:
    """A folder of so many agents."""
    for number in range(count):
        home = folder / f"agent-{number:04}"
        home.mkdir(parents=True)
        shutil.copy(memories[number % len(memories)], home / "memory.db")
    return folder


def busy_seconds() -> float:
    """CPU seconds that all processes of the machine have used so far, theft by its host included."""
    user, nice, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def timed(words: Sequence[str]) -> dict[str, float]:
    """Run a program: its wall and CPU seconds, and how many cores everything else kept busy."""
    before, busy, began = resource.getrusage(resource.RUSAGE_CHILDREN), busy_seconds(), time.monotonic()
    subprocess.run(words, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2),
        "others_cores": round(max(busy_seconds() - busy - cpu, 0) / seconds, 2),
    }  # fmt: skip


def measure(memories: Sequence[Path], count: int, jobs: int, first: str) -> dict[str, Any]:
    """One pair."""
    out: dict[str, Any] = {"load_before": round(os.getloadavg()[0], 2)}
    for what in (first, "one" if first == "fleet" else "fleet"):
        with tempfile.TemporaryDirectory() as folder:
            place = str(spread(memories, Path(folder) / "fleet", count))
            fleet = ["-m", "graphdream", "fleet", "dream", place, "--compact", "--jobs", str(jobs), "--json"]
            out[what] = timed([sys.executable, *(["-c", _ONE, place] if what == "one" else fleet)])
    out["ratio"] = round(out["one"]["seconds"] / out["fleet"]["seconds"], 3)
    return out


def is_missed(pair: dict[str, Any], jobs: int) -> bool:
    """Whether a pair is below the floor, on a machine that had the cores for it."""
    others = max(pair[what]["others_cores"] for what in ("one", "fleet"))
    return jobs == 2 <= (os.cpu_count() or 1) and others <= QUIET_CORES and pair["ratio"] < FLOOR


def report(pairs: Sequence[dict[str, Any]], what: str, jobs: int, on: str) -> str:
    """The table as Markdown."""
    lines = [
        f"{what}. Measured on {on}.", "",
        f"| pair | one process | others kept busy | {jobs} processes | others kept busy | ratio |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for number, pair in enumerate(pairs, 1):
        sides = " | ".join(
            f"{pair[side]['seconds']:.1f} s ({pair[side]['cpu_seconds']:.1f} s of CPU) |"
            f" {pair[side]['others_cores']:.2f} cores"
            for side in ("one", "fleet")
        )
        missed = " **(missed)**" if is_missed(pair, jobs) else ""
        lines.append(f"| {number} | {sides} | {pair['ratio']:.2f} ×{missed} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Measure what a fleet gains over one process.")
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--entities", type=int, default=8, help="of each memory")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--readme", type=Path, help="also write the table between the marks of this page")
    parser.add_argument("--json", type=Path, help="write all figures here")
    args = parser.parse_args(argv)
    on = machine()
    with tempfile.TemporaryDirectory() as home:
        os.environ["GRAPHDREAM_HOME"] = home
        memories = small_memories(Path(home), args.entities)
        size = statistics.mean(path.stat().st_size for path in memories)
        what = f"{args.memories:,} memories of {args.entities} entities, {size / 1e6:.1f} MB each"
        print(f"{what}; {os.cpu_count()} cores")
        pairs = []
        for number in range(args.pairs):
            pair = measure(memories, args.memories, args.jobs, ("one", "fleet")[number % 2])
            pairs.append(pair)
            print(report(pairs, what, args.jobs, on).splitlines()[-1], flush=True)
    print(f"median ratio {statistics.median(pair['ratio'] for pair in pairs):.2f}")
    if args.readme:
        write_between(args.readme, MARKS, report(pairs, what, args.jobs, on))
    if args.json:
        args.json.write_text(json.dumps({"memories": args.memories, "pairs": pairs}, indent=1) + "\n")
    return int(any(is_missed(pair, args.jobs) for pair in pairs))


if __name__ == "__main__":
    raise SystemExit(main())
