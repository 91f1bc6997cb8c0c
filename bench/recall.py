#!/usr/bin/env python3
"""How fast recall is: warm and cold, on a store of a given size, beside a bare interpreter.

    python bench/recall.py [--facts 100000] [--turns 20000] [--json out.json]

The store is made: names, aspects and sentences from a made-up vocabulary whose words are as unevenly frequent as the
content words of a language (Zipf-Mandelbrot without the function words, which no question is searched by), so that a
question has rare and common words. Seeded; the same store every time. What recall finds is measured by recall_bench.py
through bench/adapters/recall.py.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from bisect import bisect
from itertools import accumulate
from pathlib import Path

from graphdream.events.record import record
from graphdream.graph.names import canonical, text_digest
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.recall.facts import Searcher
from graphdream.recall.search import recall

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
_VOCABULARY = 40_000


class Language:
    """Words by rank; a lower rank is a more frequent word."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._mass = list(accumulate(1 / (rank + 30) for rank in range(_VOCABULARY)))

    def word(self, rank: int) -> str:
        """The word of a rank, two syllables or more."""
        parts = []
        rank += len(_SYLLABLES)
        while rank:
            rank, part = divmod(rank, len(_SYLLABLES))
            parts.append(_SYLLABLES[part])
        return "".join(parts)

    def text(self, words: int) -> str:
        """A sentence."""
        return " ".join(self.word(bisect(self._mass, self._random.random() * self._mass[-1])) for _ in range(words))

    def pick(self, below: int) -> int:
        return self._random.randrange(below)


def build(path: Path, facts: int, turns: int) -> Store:
    """A store with so many facts on an eighth as many entities, and so many turns of a chat."""
    language = Language(7)
    store = Store.open(path)
    entities = max(1, facts // 8)
    with open_pass(store, PassHeader(kind="import")) as current:
        connection = store.connection
        names = [f"{language.word(rank).title()} {language.text(1).title()}" for rank in range(entities)]
        stamp = "2026-01-01T00:00:00Z"
        first = store.reserve_ids(ENTITY, entities)
        connection.executemany(
            "INSERT INTO entity (id, uid, name, canonical, type, first_seen, version)"
            " VALUES (?, ?, ?, ?, 'person', ?, ?)",
            [(first + at, f"ent_{at}", name, canonical(name), stamp, current.id) for at, name in enumerate(names)],
        )
        aspect = store.reserve_ids(ASPECT, entities)
        connection.executemany(
            "INSERT INTO aspect (id, uid, entity_id, name, canonical, first_seen, version)"
            " VALUES (?, ?, ?, 'work', 'work', ?, ?)",
            [(aspect + at, f"asp_{at}", first + at, stamp, current.id) for at in range(entities)],
        )
        fact = store.reserve_ids(ATTRIBUTE, facts)
        connection.executemany(
            "INSERT INTO attribute (id, uid, aspect_id, content, digest, first_seen, last_seen, version)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (fact + at, f"att_{at}", aspect + at % entities, text, text_digest(text), stamp, stamp, current.id)
                for at, text in ((at, f"{names[at % entities]} {language.text(12)}") for at in range(facts))
            ),
        )
    for session in range(0, turns, 25):
        record(
            store,
            f"s{session}",
            transcript=[
                {"id": f"u{session + at}", "speaker": ("Ada", "Bo")[at % 2], "text": language.text(22)}
                for at in range(25)
            ],
            started_at="2026-02-01T00:00:00Z",
        )
    return store


def questions(store: Store, count: int) -> list[str]:
    """Questions about facts of the store: the name and every third word."""
    language = Language(11)
    last = store.connection.execute("SELECT max(id) FROM attribute").fetchone()[0]
    asked = []
    while len(asked) < count:
        row = store.connection.execute(
            "SELECT content FROM attribute WHERE id = ?", (1 + language.pick(last),)
        ).fetchone()
        words = row[0].split()
        asked.append(f"what does {' '.join(words[:2])} {' '.join(words[2::3])}?")
    return asked


def timed(asked: list[str], call: object) -> dict[str, float]:
    """Milliseconds a question: median and 95th percentile, by the clock and by the processor."""
    assert callable(call)
    for text in asked[:20]:
        call(text)
    spent, cpu = [], time.process_time()
    for text in asked:
        began = time.perf_counter()
        call(text)
        spent.append(1e3 * (time.perf_counter() - began))
    spent.sort()
    return {
        "p50_ms": statistics.median(spent),
        "p95_ms": spent[int(0.95 * len(spent))],
        "cpu_ms": 1e3 * (time.process_time() - cpu) / len(asked),
    }


def cold(path: Path, text: str) -> dict[str, float]:
    """A whole `graphdream recall` process against a bare interpreter, medians of nine in seconds."""

    def wall(command: list[str]) -> float:
        times = []
        for _ in range(9):
            began = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True, env=os.environ)
            times.append(time.perf_counter() - began)
        return statistics.median(times)

    bare = wall([sys.executable, "-c", "import sqlite3, json"])
    whole = wall([sys.executable, "-m", "graphdream", "recall", text, "--db", str(path)])
    return {"bare_s": bare, "recall_s": whole, "ratio": whole / bare}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recall-speed-") as folder:
        path = Path(folder) / "memory.db"
        began = time.perf_counter()
        store = build(path, args.facts, args.turns)
        result: dict[str, object] = {"facts": args.facts, "turns": args.turns, "build_s": time.perf_counter() - began}
        asked = questions(store, args.questions)
        result["recall"] = timed(asked, lambda text: recall(store, text, k=10))
        searcher = Searcher(store.connection)
        result["searcher"] = timed(asked, lambda text: searcher.top(text, 5))
        began = time.perf_counter()
        record(store, "added", transcript=[{"id": f"a{at}", "text": f"one more turn {at}"} for at in range(200)])
        result["add_turn_ms"] = 1e3 * (time.perf_counter() - began) / 200
        store.close()
        result["cold"] = cold(path, asked[0])
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result, indent=2))
    if args.json:
        args.json.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
