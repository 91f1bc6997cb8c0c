"""What one session more costs, by size of the memory: recording it, the incremental pass, a question.

    python bench/incremental.py [--facts 1000,10000,100000,1000000] [--sessions 15] [--readme docs/measured.md]

Each memory is filled in an interpreter of its own. Then, in another, sessions come one after the other: each is
recorded, a pass looks at what it brought, and a question is asked; and another is recorded, for `graphdream dream` as a
process of its own, which is what a hook starts. The medians are set over those of the smallest memory: they should not
grow. The peak is that of the process that called the library, its libraries included.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from engine import machine  # noqa: E402
from page import write_between  # noqa: E402
from sides import alone  # noqa: E402

from graphdream.dream.gather import note_looked  # noqa: E402
from graphdream.dream.runner import PassOptions, dream  # noqa: E402
from graphdream.dreamers.local import LocalDreamer  # noqa: E402
from graphdream.events.record import record  # noqa: E402
from graphdream.graph.names import canonical, text_digest  # noqa: E402
from graphdream.graph.rows import insert  # noqa: E402
from graphdream.graph.store import Store  # noqa: E402
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY  # noqa: E402
from graphdream.interfaces.output import table  # noqa: E402
from graphdream.journal.passes import PassHeader, open_pass  # noqa: E402
from graphdream.recall.search import recall  # noqa: E402

MARKS = ("<!-- incremental: written by `python bench/incremental.py` -->", "<!-- end of incremental -->")
FACTS_PER_ENTITY = 10
WARM = 3  # sessions before those that count
FLOOR = 1.3
STEPS = ("record", "pass", "recall", "graphdream dream")
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u", "ar", "en", "il")]


def _word(chance: random.Random, syllables: int) -> str:
    return "".join(chance.choices(_SYLLABLES, k=syllables))


def _name(number: int) -> str:
    """A first and a last name, drawn by its number, so that it can be said again."""
    chance = random.Random(number)
    return f"{_word(chance, 2).title()} {_word(chance, 4).title()}"


def fill(path: str, facts: int) -> dict[str, float]:
    """A memory of so many facts, all of them looked at."""
    chance = random.Random(7)
    words = [_word(chance, 3) for _ in range(20_000)]
    began = time.perf_counter()
    with Store.open(Path(path)) as store:
        with open_pass(store, PassHeader("import")) as current:
            for number in range(facts // FACTS_PER_ENTITY):
                entity = insert(store, ENTITY, name=_name(number), canonical=canonical(_name(number)))
                aspect = insert(store, ASPECT, entity_id=entity, name="notes", canonical="notes")
                for _ in range(FACTS_PER_ENTITY):
                    content = " ".join(chance.choices(words, k=9))
                    insert(store, ATTRIBUTE, aspect_id=aspect, content=content, digest=text_digest(content))
        with store.writing():
            note_looked(store.connection, current.id)
    return {"fill s": time.perf_counter() - began}


def lived(path: str, facts: int, sessions: int) -> dict[str, float]:
    """Median milliseconds of each step over so many sessions, and the peak of memory."""
    chance, command = random.Random(11), [sys.executable, "-m", "graphdream", "dream", "--db", path]

    def told(number: int, name: str) -> str:
        place, other = _word(chance, 3).title(), _name(chance.randrange(facts // FACTS_PER_ENTITY))
        return f"{name} lives in {place}. {other} asked for {number + 20} boxes of {_word(chance, 3)}."

    taken: dict[str, list[float]] = {step: [] for step in STEPS}
    with Store.open(Path(path)) as store:
        for number in range(-WARM, sessions):
            name = _name(chance.randrange(facts // FACTS_PER_ENTITY))
            first, second = told(number, name), told(number, name)
            for step, work in {
                "record": lambda number=number, first=first: record(store, f"s{number}", summary=first),
                "pass": lambda: dream(store, LocalDreamer(), PassOptions()),
                "recall": lambda name=name: recall(store, f"where does {name} live?", k=10),
                "another": lambda number=number, second=second: record(store, f"t{number}", summary=second),
                "graphdream dream": lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT),
            }.items():
                began = time.perf_counter()
                work()
                if number >= 0 and step in taken:
                    taken[step].append(time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {step: statistics.median(times) * 1e3 for step, times in taken.items()} | {"peak MiB": peak}


def main() -> int:
    """Measure and print; the exit code is 1 where the command grew by more than the floor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", default="1000,10000,100000,1000000", help="sizes of memory, with commas")
    parser.add_argument("--sessions", type=int, default=15)
    parser.add_argument("--readme", type=Path)
    args = parser.parse_args()
    before = machine()
    rows: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory(prefix="graphdream-incremental-") as name:
        os.environ["GRAPHDREAM_HOME"] = os.environ["GRAPHDREAM_STATE_HOME"] = name
        os.environ["GRAPHDREAM_CONFIG_HOME"] = str(Path(name) / "config")
        for facts in map(int, args.facts.split(",")):
            path = Path(name) / f"{facts}.db"
            filled = alone(fill, path, facts)
            rows.append({"facts": facts, **filled, **alone(lived, path, facts, args.sessions)})
            path.unlink()
            print(rows[-1], file=sys.stderr)
    cells = [
        (
            f"{row['facts']:,.0f}",
            *(f"{row[step]:.1f} ms ({row[step] / rows[0][step]:.2f}×)" for step in STEPS),
            f"{row['peak MiB']:.0f} MiB",
        )
        for row in rows
    ]
    headings = ("facts", *STEPS, "peak")
    print(table(cells, headings), end="")
    if args.readme:
        lines = [f"{before}.", "", "| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
        write_between(args.readme, MARKS, "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in cells)]))
    return 0 if rows[-1]["graphdream dream"] / rows[0]["graphdream dream"] <= FLOOR else 1


if __name__ == "__main__":
    raise SystemExit(main())
