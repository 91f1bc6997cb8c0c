"""How import, apply, undo and verify grow with the graph, and what the file weighs after them.

    python bench/growth.py [--sizes 1000,3000,10000,30000,100000] [--rounds 1] [--json]

Graphs of each size are imported; every second entity is merged into its twin, the pass is undone, and the file is
verified. The exponent is the slope of log(processor time) over log(entities), least squares, and 1.1 is the most
allowed: processor time, because what else the machine does differs from size to size. A busy machine costs processor
time too (its caches are shared), so the sizes are measured upwards and downwards again, each in an interpreter of its
own, and the quicker of the two counts; the largest, which takes longest, is measured once. The weight is that of the
file after import, clean-up and undo over that of the imported JSONL, at most 4; of the synthesized graphs, and of
`bloat/audit13k` of `$GRAPHDREAM_DATA` (else `../shared/data`) after a compaction by the local dreamer.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from typing import Any

import graphs
from sides import Stopwatch, alone

from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.local import LocalDreamer
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_graph
from graphdream.interfaces.output import print_json, table
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from graphdream.mutations.applier import apply_proposals, record_outcomes
from graphdream.mutations.context import Applying

FLOOR_EXPONENT = 1.1
FLOOR_WEIGHT = 4.0
STEPS = ("import", "apply", "undo", "verify")


def merged(store: Store) -> None:
    """One pass that merges every pair."""
    proposals = graphs.merges(store.connection)
    with open_pass(store, PassHeader("dream")) as current:
        outcomes = apply_proposals(Applying(store, "pass", "2026-03-01T00:00:00Z"), proposals)
        record_outcomes(store.connection, current.id, proposals, outcomes)
    assert all(outcome.status == "applied" for outcome in outcomes)


def weight(path: Path) -> int:
    """Bytes of a file that nobody has open, with its log."""
    return sum(part.stat().st_size for part in path.parent.glob(path.name + "*"))


def lived_through(entities: int, folder: str) -> dict[str, float]:
    """Cost of each step on a graph of that size, and the weight of the file at the end."""
    source, path = Path(folder) / f"{entities}.jsonl", Path(folder) / f"{entities}.db"
    graphs.write_lines(entities, source)
    figures: dict[str, float] = {}
    with Store.open(path) as store:
        steps: dict[str, Callable[[], object]] = {
            "import": lambda: import_graph(store, source),
            "apply": lambda: merged(store),
            "undo": lambda: undo(store, 2),
            "verify": lambda: verify(store).ok,
        }
        for name, step in steps.items():
            with Stopwatch(name) as watch:
                outcome = step()
            figures |= watch.figures
        assert outcome is True, "the file does not verify"
    return {**figures, "weight": weight(path) / source.stat().st_size}


def compacted(source: Path, folder: Path) -> dict[str, Any]:
    """Weight of a real file after import, compaction and undo."""
    plain, path = folder / "graph.jsonl", folder / "graph.db"
    with gzip.open(source) as packed, plain.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    with Store.open(path) as store:
        import_graph(store, plain)
        report = dream(store, LocalDreamer(), PassOptions(mode="compact"))
        if report.pass_id is not None:
            undo(store, report.pass_id)
    return {"file": source.name, "status": report.status, "weight": weight(path) / plain.stat().st_size}


def exponent(points: Sequence[dict[str, Any]], step: str) -> float:
    """Slope of log(time) over log(entities)."""
    sizes, times = [log(point["entities"]) for point in points], [log(point[step]) for point in points]
    return statistics.linear_regression(sizes, times).slope


def points(sizes: Sequence[int], folder: Path, rounds: int) -> list[dict[str, Any]]:
    """Processor seconds of each step by size, the quickest of its runs, and the weight of the file."""
    ordered = sorted(sizes)
    runs: dict[int, list[dict[str, float]]] = {size: [] for size in ordered}
    for _ in range(rounds):
        for size in (*ordered, *ordered[-2::-1]):
            with tempfile.TemporaryDirectory(dir=folder) as own:
                runs[size].append(alone(lived_through, size, Path(own)))
    return [
        {
            "entities": size,
            **{step: min(run[f"{step} cpu s"] for run in found) for step in STEPS},
            "weight": found[0]["weight"],
        }
        for size, found in runs.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sizes", default="1000,3000,10000,30000,100000", help="entities of the synthesized graphs")
    parser.add_argument(
        "--rounds", type=int, default=1, help="ways up and down; the quickest run of each size and step counts"
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    source = graphs.audit13k()
    with tempfile.TemporaryDirectory() as name:
        sizes = [int(size) for size in args.sizes.split(",")]
        measured = points(sizes, Path(name), args.rounds)
        report: dict[str, Any] = {"points": measured, "exponents": {step: exponent(measured, step) for step in STEPS}}
        if source.is_file():
            report["compaction"] = compacted(source, Path(name))
    if args.json:
        print_json(report)
        return
    rows = [[point["entities"], *(round(point[key], 2) for key in (*STEPS, "weight"))] for point in measured]
    print(table(rows, ("entities", *(f"{step}, CPU s" for step in STEPS), "bytes / JSONL")))
    for step, value in report["exponents"].items():
        print(f"growth of {step}: {value:.2f} (floor: <= {FLOOR_EXPONENT})")
    if "compaction" in report:
        found = report["compaction"]
        print(f"bytes / JSONL, {found['file']} {found['status']}: {found['weight']:.2f} (floor: <= {FLOOR_WEIGHT:g})")
    else:
        print(f"NOT MEASURED: no file {source}; set GRAPHDREAM_DATA")


if __name__ == "__main__":
    main()
