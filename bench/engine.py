"""Every figure of the engine in one run, each beside its floor.

    python bench/engine.py [--readme docs/measured.md] [--rounds 3] [--sizes 1000,10000,100000] [--merges 5000]

The parts are `import_.py`, `apply.py`, `hot_path.py` and `growth.py`, which say what each figure is, and can be run by
themselves. A figure that does not keep its floor is marked; one that was not measured says so.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import apply
import graphs
import growth
import hot_path
import import_
from page import write_between

MARKS = ("<!-- engine: written by `make bench` -->", "<!-- end of engine -->")
FACTS = (1_000, 100_000)
NOT_MEASURED = f"not measured: no {graphs.AUDIT.name}, set `GRAPHDREAM_DATA`"


class Figure(NamedTuple):
    """A line of the table: what was measured, its floor and the figure in words, and whether the floor is kept."""

    what: str
    floor: str
    measured: str
    kept: bool


def imports(folder: Path, rounds: int) -> Iterator[Figure]:
    """Rows a second of a real file, and the ratio to plain inserts."""
    what = f"import of `{graphs.AUDIT.name}`"
    source = graphs.audit13k()
    speed, most = import_.FLOOR_ROWS_PER_SECOND, import_.FLOOR_RATIO
    if not source.is_file():
        yield Figure(what, f"≥ {speed:,} rows/s", NOT_MEASURED, kept=False)
        return
    found = import_.compare(source, folder, rounds)
    rows = found["rows_per_second"]
    yield Figure(what, f"≥ {speed:,} rows/s", f"{rows:,.0f} rows/s", rows >= speed)
    words = f"{found['ratio']:.2f} × ({found['cpu_ratio']:.2f} × in processor time)"
    yield Figure(f"{what}, over plain `executemany` of its rows", f"≤ {most:g} ×", words, found["ratio"] <= most)


def applies(folder: Path, merges: int, rounds: int) -> Iterator[Figure]:
    """A pass of merges over a plain script, and its undo over the pass."""
    found = apply.measure(merges, rounds, folder)
    for what, key, most in (
        (f"a pass of {merges:,} merges, over a plain script that makes the same rows", "apply / plain", apply.FLOOR),
        ("undo of that pass, over its apply", "undo / apply", apply.FLOOR_UNDO),
    ):
        wall, cpu = found[f"{key} wall"], found[f"{key} cpu"]
        yield Figure(what, f"≤ {most:g} ×", f"{wall:.2f} × ({cpu:.2f} × in processor time)", wall <= most)


def hooks(folder: Path, rounds: int) -> Iterator[Figure]:
    """Whole processes over a bare interpreter, by size of the graph."""
    ratios: dict[str, list[float]] = {}
    for facts in FACTS:
        path = folder / f"{facts}.db"
        hot_path.fill(path, facts)
        times = hot_path.measure(path, rounds)
        for name, taken in times.items():
            ratios.setdefault(name, []).append(statistics.median(taken) / statistics.median(times["bare"]))
    sizes = " and ".join(f"{facts:,}" for facts in FACTS)
    for name, found in ratios.items():
        if name != "bare":
            words = " and ".join(f"{ratio:.2f} ×" for ratio in found)
            what = f'`{name}` at {sizes} facts, over `python -c "import sqlite3, json"`'
            yield Figure(what, f"≤ {hot_path.FLOOR:g} ×", words, max(found) <= hot_path.FLOOR)


def grows(folder: Path, sizes: list[int], rounds: int) -> Iterator[Figure]:
    """Exponents of growth in processor time, and what the file weighs."""
    points = growth.points(sizes, folder, rounds)
    span = f"{sizes[0]:,} to {sizes[-1]:,} entities"
    for step in growth.STEPS:
        found = growth.exponent(points, step)
        floor = growth.FLOOR_EXPONENT
        yield Figure(f"growth of {step}, {span}", f"exponent ≤ {floor}", f"{found:.2f}", found <= floor)
    most = growth.FLOOR_WEIGHT
    what = "bytes on disk after import, a merge of every entity, and undo, over the JSONL; by size"
    weights = [point["weight"] for point in points]
    words = ", ".join(f"{weight:.2f} ×" for weight in weights)
    yield Figure(what, f"≤ {most:g} ×", words, max(weights) <= most)
    what = f"bytes on disk after import of `{graphs.AUDIT.name}`, compaction and undo, over the JSONL"
    source = graphs.audit13k()
    if source.is_file():
        weight = growth.compacted(source, folder)["weight"]
        yield Figure(what, f"≤ {most:g} ×", f"{weight:.2f} ×", weight <= most)
    else:
        yield Figure(what, f"≤ {most:g} ×", NOT_MEASURED, kept=False)


def machine() -> str:
    """On what it was measured, and how busy that was before."""
    load = f", load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
    return (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
        f" {platform.machine()}, {os.cpu_count()} cores{load}"
    )


def report(figures: list[Figure], on: str) -> str:
    """The table as Markdown."""
    lines = [
        f"One run, medians of ratios taken in turn, each side in an interpreter of its own. Measured on {on}.",
        "",
        "| what | floor | measured |",
    ]
    lines.append("|---|---|---|")
    lines += [f"| {one.what} | {one.floor} | {one.measured}{'' if one.kept else ' **(missed)**'} |" for one in figures]
    return "\n".join(lines)


def main() -> int:
    """Measure, print and, if asked, write; the exit code is 1 where a floor is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readme", type=Path, help="also write the table between the marks of this page")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", default="1000,10000,100000", help="entities of the graphs that grow")
    parser.add_argument("--merges", type=int, default=5_000)
    args = parser.parse_args()
    on = machine()
    sizes = [int(size) for size in args.sizes.split(",")]
    figures: list[Figure] = []
    for measure in (
        lambda folder: imports(folder, args.rounds),
        lambda folder: applies(folder, args.merges, args.rounds),
        lambda folder: hooks(folder, 6 * args.rounds),
        lambda folder: grows(folder, sizes, 1),
    ):
        with tempfile.TemporaryDirectory() as name:
            figures += measure(Path(name))
    text = report(figures, on)
    print(text)
    if args.readme:
        write_between(args.readme, MARKS, text)
    return 0 if all(one.kept for one in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
