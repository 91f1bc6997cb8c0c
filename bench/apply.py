"""What a pass of merges costs: against a plain script that makes the same final rows, and against its own undo.

    python bench/apply.py [--merges 5000] [--rounds 5] [--json]

The plain script knows the outcome: it has, ready in memory, every row that differs in the end with the columns that
differ, and writes them with one `executemany` for each table and set of columns into the same tables with the same
indexes, foreign keys, page cache and durability, in one transaction, with the documents of both full-text indexes, but
without triggers, journal and hash. The floor is 4 times its time. An undo may take as long as what it undoes. Pass and
script have a copy of one file and an interpreter each and open the file anew. The script runs before and after each
pass, and its mean counts: it is short, and a machine that others share changes its speed within seconds. Printed are
medians, the ratios of what ran in one round, by the clock and by processor time.
"""

from __future__ import annotations

import argparse
import shutil
import sqlite3
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import graphs
from sides import Stopwatch, alone

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


def applied(path: str, between: str) -> dict[str, float]:
    """Cost of the pass and of its undo; `between` gets a copy of the file as it is then, unless there is one."""
    with Store.open(path) as store:
        proposals = graphs.merges(store.connection)
    with Store.open(path) as store:
        with Stopwatch("apply") as forth, open_pass(store, PassHeader("dream")) as current:
            outcomes = apply_proposals(Applying(store, "pass", NOW), proposals)
            record_outcomes(store.connection, current.id, proposals, outcomes)
        assert all(outcome.status == "applied" for outcome in outcomes)
        if not Path(between).exists():
            copy = sqlite3.connect(between)
            store.connection.backup(copy)
            copy.close()
        with Stopwatch("undo") as back:
            undo(store, current.id)
    return {**forth.figures, **back.figures}


def plain(path: str, after: str) -> dict[str, float]:
    """Cost of writing what the other file holds, and this one does not."""
    work = _work(path, after)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    with Stopwatch("plain") as watch:
        connection.execute("BEGIN IMMEDIATE")
        for sql, parameters in work:
            connection.executemany(sql, parameters)
        connection.execute("COMMIT")
    connection.close()
    assert not any(parameters for _, parameters in _work(path, after)), "the plain script makes other rows"
    return watch.figures


_Step = tuple[str, list[tuple[Any, ...]]]


def _work(path: str, after: str) -> list[_Step]:
    before, made = sqlite3.connect(path), sqlite3.connect(after)
    work = [step for one in TABLES for step in _rows(before, made, one.name)]
    work += [step for name in _INDEXES for step in _documents(before, made, name)]
    before.close()
    made.close()
    return work


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
    """Pass, undo and script, round by round; medians."""
    template, between = graphs.imported(2 * merges, folder), folder / "between.db"

    def copy(name: str) -> Path:
        for left in folder.glob(f"{name}*"):
            left.unlink()
        return Path(shutil.copy(template, folder / name))

    alone(applied, copy("first.db"), between)  # not timed against anything: the plain script learns the outcome from it
    runs = []
    for _ in range(rounds):
        before = alone(plain, copy("plain.db"), between)
        ours = alone(applied, copy("ours.db"), between)
        after = alone(plain, copy("plain.db"), between)
        runs.append({**ours, **{name: (before[name] + after[name]) / 2 for name in before}})
    report: dict[str, Any] = {"merges": merges}
    for which in ("wall", "cpu"):
        for name in ("apply", "undo", "plain"):
            report[f"{name} {which} s"] = round(statistics.median(run[f"{name} {which} s"] for run in runs), 3)
        for name, over in (("apply", "plain"), ("undo", "apply")):
            ratios = [run[f"{name} {which} s"] / run[f"{over} {which} s"] for run in runs]
            report[f"{name} / {over} {which}"] = round(statistics.median(ratios), 2)
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
