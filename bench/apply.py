"""What a pass of merges costs: against a plain script that makes the same final rows, and against its own undo.

    python bench/apply.py [--merges 5000] [--rounds 5] [--json]

The plain script knows the outcome: it has, ready in memory, every row that differs in the end with the columns that
differ, and writes them with one `executemany` for each table and set of columns into the same tables with the same
indexes, foreign keys and page cache, in one transaction, with the documents of both full-text indexes, but without
triggers, journal and hash. The floor is 4 times its time. An undo may take as long as what it undoes. The three run in
turn on copies of one file, so that they meet the same load of the machine; printed are medians of the ratios, by the
clock and by processor time.
"""

from __future__ import annotations

import argparse
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import graphs

from graphdream.graph.schema import CACHE_KIB
from graphdream.graph.store import Store
from graphdream.graph.tables import TABLES
from graphdream.interfaces.output import print_json, table
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.undo import undo
from graphdream.mutations.applier import apply_proposals, record_outcomes
from graphdream.mutations.context import Applying

FLOOR = 4.0
FLOOR_UNDO = 1.0
NOW = "2026-03-01T00:00:00Z"
_INDEXES = {"fact_index": ("name", "path", "content", "tags"), "name_index": ("names",)}


class Cost(NamedTuple):
    """Of one run, in seconds."""

    wall: float
    cpu: float


class Stopwatch:
    def __enter__(self) -> Stopwatch:
        self._began = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *fault: object) -> None:
        self.cost = Cost(time.perf_counter() - self._began[0], time.process_time() - self._began[1])


def applied(path: Path) -> tuple[Cost, Cost, sqlite3.Connection]:
    """Cost of the pass and of its undo; and a copy, in memory, of the file in between."""
    between = sqlite3.connect(":memory:")
    with Store.open(path) as store:
        proposals = graphs.merges(store.connection)
        with Stopwatch() as watch, open_pass(store, PassHeader("dream")) as current:
            outcomes = apply_proposals(Applying(store, "pass", NOW), proposals)
            record_outcomes(store.connection, current.id, proposals, outcomes)
        assert all(outcome.status == "applied" for outcome in outcomes)
        store.connection.backup(between)
        with Stopwatch() as back:
            undo(store, current.id)
    return watch.cost, back.cost, between


def plain(path: Path, after: sqlite3.Connection) -> Cost:
    """Cost of writing what the other file holds, and this one does not."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    work = [step for one in TABLES for step in _rows(connection, after, one.name)]
    work += [step for name in _INDEXES for step in _documents(connection, after, name)]
    with Stopwatch() as watch:
        connection.execute("BEGIN IMMEDIATE")
        for sql, parameters in work:
            connection.executemany(sql, parameters)
        connection.execute("COMMIT")
    connection.close()
    return watch.cost


_Step = tuple[str, list[tuple[Any, ...]]]


def _rows(before: sqlite3.Connection, after: sqlite3.Connection, name: str) -> list[_Step]:
    old = {row[0]: row for row in before.execute(f"SELECT * FROM {name}")}
    new = {row[0]: row for row in after.execute(f"SELECT * FROM {name}")}
    columns = [row[1] for row in after.execute(f"PRAGMA table_info({name})")]
    shapes: dict[tuple[int, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row_id in sorted(new.keys() & old.keys()):
        changed = tuple(n for n in range(len(columns)) if new[row_id][n] != old[row_id][n])
        if changed:
            shapes[changed].append((*(new[row_id][n] for n in changed), row_id))
    gone = [(row_id,) for row_id in sorted(old.keys() - new.keys())]
    made = [new[row_id] for row_id in sorted(new.keys() - old.keys())]
    steps: list[_Step] = [(f"DELETE FROM {name} WHERE id = ?", gone)] if gone else []
    # What stops being active gives up its key before another row takes it.
    status = columns.index("status") if "status" in columns else -1
    for changed, rows in sorted(shapes.items(), key=lambda item: status not in item[0]):
        sets = ", ".join(f"{columns[n]} = ?" for n in changed)
        steps.append((f"UPDATE {name} SET {sets} WHERE id = ?", rows))
    if made:
        steps.append((f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", made))
    return steps


def _documents(before: sqlite3.Connection, after: sqlite3.Connection, name: str) -> list[_Step]:
    columns = ("rowid", *_INDEXES[name])
    sql = f"SELECT {', '.join(columns)} FROM {name}"
    old = {row[0]: row for row in before.execute(sql)}
    new = {row[0]: row for row in after.execute(sql)}
    stale = [(row_id,) for row_id in sorted(old) if new.get(row_id) != old[row_id]]
    fresh = [new[row_id] for row_id in sorted(new) if new[row_id] != old.get(row_id)]
    insert = f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    return [(f"DELETE FROM {name} WHERE rowid = ?", stale), (insert, fresh)]


def measure(merges: int, rounds: int, folder: Path) -> dict[str, Any]:
    """All three in turn; medians."""
    template = graphs.imported(2 * merges, folder)
    runs = []
    for number in range(rounds):
        ours, theirs = folder / f"ours{number}.db", folder / f"plain{number}.db"
        shutil.copy(template, ours)
        shutil.copy(template, theirs)
        apply, back, between = applied(ours)
        runs.append((apply, back, plain(theirs, between)))
        between.close()
    report: dict[str, Any] = {"merges": merges}
    for which in ("wall", "cpu"):
        times = [tuple(getattr(cost, which) for cost in run) for run in runs]
        for place, name in enumerate(("apply", "undo", "plain")):
            report[f"{name} {which} s"] = round(statistics.median(one[place] for one in times), 3)
        report[f"apply / plain {which}"] = round(statistics.median(one[0] / one[2] for one in times), 2)
        report[f"undo / apply {which}"] = round(statistics.median(one[1] / one[0] for one in times), 2)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--merges", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        report = measure(args.merges, args.rounds, Path(name))
    if args.json:
        print_json(report)
        return
    floors = {"apply / plain wall": f"<= {FLOOR:g}", "undo / apply wall": f"<= {FLOOR_UNDO:g}"}
    rows = [(name, value, floors.get(name, "")) for name, value in report.items()]
    print(table(rows, ("measure", "figure", "floor")), end="")


if __name__ == "__main__":
    main()
