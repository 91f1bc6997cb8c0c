"""What an import costs: rows a second, the ratio to plain inserts of the same rows, and how it grows with the graph.

    python bench/import_.py [--file GRAPH.jsonl.gz] [--sizes 1000,3000,10000,30000,100000] [--rounds 3] [--json]

The plain inserts are one `executemany` a table, of the rows that the import had made, ready in memory, into the same
tables with the same indexes and the same page cache, but without triggers, journal, full-text index and hash; the floor
is 4 times their time, reading and checking the file included, and 10,000 rows a second. Both take turns, each in an
interpreter of its own, so that they meet the same load of the machine. Growth is the slope of log(time) over log(rows)
on synthesized graphs; 1.1 is the most allowed. The default file is `bloat/audit13k.jsonl.gz` of `$GRAPHDREAM_DATA`,
else of `../shared/data`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from random import Random
from typing import Any

import graphs
from sides import Stopwatch, alone, in_turn

from graphdream.graph.store import Store
from graphdream.graph.tables import TABLES
from graphdream.interfaces.importers import import_graph
from graphdream.interfaces.importers.staging import CACHE_KIB
from graphdream.interfaces.output import print_json, table

FLOOR_ROWS_PER_SECOND = 10_000
FLOOR_RATIO = 4.0
FLOOR_GROWTH = 1.1
_EVENTS = ("session", "summary")


def imported(source: str, database: str) -> dict[str, float]:
    """Cost of an import into a new file, and the rows it made."""
    with Store.open(database) as store:
        with Stopwatch("import") as watch:
            report = import_graph(store, Path(source))
        return {**watch.figures, "rows": sum(report.rows.values())}


def plain(rows_of: str, database: str) -> dict[str, float]:
    """Cost of inserting the rows of one file into another, whose tables nothing watches."""
    with Store.open(rows_of) as made:
        names = [*_EVENTS, *(table.name for table in TABLES)]
        rows = {name: [tuple(row) for row in made.connection.execute(f"SELECT * FROM {name}")] for name in names}
        passes = [tuple(row) for row in made.connection.execute("SELECT * FROM pass")]
    with Store.open(database) as store:
        connection = store.connection
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.executemany(f"INSERT INTO pass VALUES ({', '.join('?' * len(passes[0]))})", passes)
        with Stopwatch("plain") as watch, store.writing():
            for name, values in rows.items():
                if values:
                    connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(values[0]))})", values)
        return watch.figures


def synthesized(entities: int) -> Iterator[dict[str, Any]]:
    """A graph of so many entities, in the proportions of audit13k; the same for the same number."""
    random = Random(entities)
    for n in range(entities):
        yield {"kind": "entity", "id": f"ent_{n:x}", "name": f"Person {n} of {random.randrange(entities)}"}
    for n in range(entities * 17 // 10):
        yield {"kind": "aspect", "id": f"asp_{n:x}", "entity_id": f"ent_{n % entities:x}", "name": f"aspect {n % 7}"}
    for n in range(entities * 23 // 10):
        aspect = random.randrange(entities * 17 // 10)
        yield {
            "kind": "attribute", "id": f"att_{random.getrandbits(40):x}_{n:x}",
            "entity_id": f"ent_{aspect % entities:x}", "aspect_id": f"asp_{aspect:x}",
            "confidence": round(random.random(), 2),
            "content": f"Fact {n} about number {random.randrange(10**6)}, seen in room {random.randrange(900)}.",
        }  # fmt: skip
    for n in range(entities * 86 // 100):
        source, target = random.randrange(entities), random.randrange(entities)
        yield {
            "kind": "edge", "id": f"dep_{n:x}", "source_id": f"ent_{source:x}", "target_id": f"ent_{target:x}",
            "type": random.choice(("knows", "uses", "mentioned_with")),
        }  # fmt: skip


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Exponent of growth: least squares over the logarithms."""
    return statistics.linear_regression([log(x) for x, _ in points], [log(y) for _, y in points]).slope


def compare(source: Path, folder: Path, rounds: int) -> dict[str, Any]:
    """Import and plain inserts in turn; medians."""
    first = folder / "first.db"
    alone(imported, source, first)
    sides = (
        lambda number: alone(imported, source, folder / f"import{number}.db"),
        lambda number: alone(plain, first, folder / f"plain{number}.db"),
    )
    runs = list(in_turn(sides, rounds))
    return {
        "file": source.name,
        "rows": round(runs[0]["rows"]),
        "seconds": statistics.median(run["import wall s"] for run in runs),
        "rows_per_second": statistics.median(run["rows"] / run["import wall s"] for run in runs),
        "rows_per_cpu_second": statistics.median(run["rows"] / run["import cpu s"] for run in runs),
        "ratio": statistics.median(run["import wall s"] / run["plain wall s"] for run in runs),
        "cpu_ratio": statistics.median(run["import cpu s"] / run["plain cpu s"] for run in runs),
    }


def growth(sizes: Sequence[int], folder: Path) -> dict[str, Any]:
    """Time by size, and its exponent; CPU time, because what else the machine does differs from size to size."""
    points = []
    for entities in sizes:
        source = folder / f"{entities}.jsonl"
        with source.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(line) + "\n" for line in synthesized(entities))
        found = alone(imported, source, folder / f"{entities}.db")
        seconds, of_processor = found["import wall s"], found["import cpu s"]
        points.append({"entities": entities, "rows": found["rows"], "seconds": seconds, "cpu_seconds": of_processor})
    exponent = slope([(point["rows"], point["cpu_seconds"]) for point in points])
    return {"points": points, "exponent": exponent}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--file", type=Path, default=graphs.audit13k())
    parser.add_argument("--sizes", default="1000,3000,10000,30000,100000", help="entities of the synthesized graphs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report: dict[str, Any] = {}
        if args.file.is_file():
            report["import"] = compare(args.file, folder, args.rounds)
        report["growth"] = growth([int(size) for size in args.sizes.split(",")], folder)
    if args.json:
        print_json(report)
        return
    if "import" in report:
        figures = report["import"]
        rows = [
            (f"rows a second, {figures['file']}", round(figures["rows_per_second"]), f">= {FLOOR_ROWS_PER_SECOND:,}"),
            ("rows a CPU second", round(figures["rows_per_cpu_second"]), ""),
            ("times plain executemany", round(figures["ratio"], 2), f"<= {FLOOR_RATIO:g}"),
            ("times plain executemany, CPU", round(figures["cpu_ratio"], 2), f"<= {FLOOR_RATIO:g}"),
        ]
        print(table(((name, f"{value:,}", floor) for name, value, floor in rows), ("measure", "figure", "floor")))
    else:
        print(f"NOT MEASURED: no file {args.file}; set GRAPHDREAM_DATA or give --file\n")
    points = report["growth"]["points"]
    print(
        table(
            (
                (point["entities"], point["rows"], round(point["seconds"], 2), round(point["cpu_seconds"], 2))
                for point in points
            ),
            ("entities", "rows", "seconds", "CPU seconds"),
        )
    )
    print(f"growth exponent {report['growth']['exponent']:.2f} (floor: <= {FLOOR_GROWTH})")


if __name__ == "__main__":
    main()
