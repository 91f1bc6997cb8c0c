#!/usr/bin/env python3
"""How fast recall is: warm and cold, with words and with vectors, on a store of a given size.

    python bench/recall.py [--facts 100000] [--turns 20000] [--json out.json] [--page docs/recall.md]

The store is made: names, aspects and sentences from a made-up vocabulary whose words are as unevenly frequent as the
content words of a language (Zipf-Mandelbrot without the function words, which no question is searched by), so that a
question has rare and common words. Seeded; the same store every time. Each kind of asking runs in a process of its own,
so that its peak of memory is its own. --page writes the figures between the marks of a page. What recall finds is
measured by recall_bench.py through bench/adapters/recall.py.
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
from collections.abc import Callable
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

from pages import table, write_between

from graphdream.dream.edit import edit
from graphdream.events.record import record
from graphdream.graph.names import canonical, text_digest
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.mutations import model
from graphdream.recall.embedders import WordLlama
from graphdream.recall.search import recall
from graphdream.recall.vectors import Meanings, embed_missing

MARKS = ("<!-- speed: written by `python bench/recall.py --page docs/recall.md` -->", "<!-- end of speed -->")

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
_VOCABULARY = 40_000
_EXTRA = find_spec("wordllama") is not None


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


def build(path: Path, facts: int) -> Store:
    """A store with so many facts on an eighth as many entities."""
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
    return store


def talk(store: Store, turns: int) -> None:
    """Record so many turns of a chat."""
    language = Language(13)
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


def timed(asked: list[str], call: Callable[[str], object]) -> dict[str, float]:
    """Milliseconds a question: median and 95th percentile. Of three times each, the fastest: the others measure what
    else the machine does. `processor_` is the time of this process alone, which is all it takes where the machine is
    quiet. `adds_ms` is what the same machine takes for 100,000 additions, to compare with others."""
    for text in asked[:20]:
        call(text)
    figures = {"adds_ms": min(_spent(_additions) for _ in range(20))}
    tries = [[_both_spent(call, text) for _ in range(3)] for text in asked]
    for clock, kind in enumerate(("", "processor_")):
        spent = sorted(min(one[clock] for one in times) for times in tries)
        figures[f"{kind}p50_ms"] = statistics.median(spent)
        figures[f"{kind}p95_ms"] = spent[int(0.95 * len(spent))]
    return figures


def _both_spent(call: Callable[[str], object], text: str) -> tuple[float, float]:
    """Milliseconds of one question: by the clock, and of the processor."""
    began = time.process_time()
    wall = _spent(lambda: call(text))
    return wall, 1e3 * (time.process_time() - began)


def _spent(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - began)


def _additions() -> int:
    total = 0
    for number in range(100_000):
        total += number
    return total


def cold(path: Path, text: str) -> dict[str, float]:
    """A whole `graphdream recall` process against a bare interpreter, medians of nine in seconds.

    As installed: modules are compiled once and kept, whatever this process was told about that.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def wall(command: list[str]) -> float:
        times = []
        for _ in range(10):
            began = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True, env=environment)
            times.append(time.perf_counter() - began)
        return statistics.median(times[1:])

    bare = wall([sys.executable, "-c", "import sqlite3, json"])
    whole = wall([sys.executable, "-m", "graphdream", "recall", text, "--db", str(path)])
    return {"bare_s": bare, "recall_s": whole, "ratio": whole / bare}


def ask(path: Path, count: int, how: str) -> dict[str, float]:
    """Put questions to a store in this process, with "words" or with "vectors" too."""
    with Store.open(path, create=False) as store:
        asked = questions(store, count)
        meanings = Meanings(WordLlama()) if how == "vectors" else None
        figures = timed(asked, lambda text: recall(store, text, k=10, meanings=meanings))
    figures["peak_mb"] = _peak_mb()
    return figures


def _peak_mb() -> float:
    """Of this program: what the kernel tells of a process begins with the peak of the one that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(path: Path, count: int, how: str) -> dict[str, float]:
    """`ask` in a process of its own."""
    command = [sys.executable, __file__, "--ask", how, "--store", str(path), "--questions", str(count)]
    return dict(json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout))


def adding(store: Store, count: int = 1_000) -> dict[str, float]:
    """Milliseconds to add one turn of a session, and one fact of a pass, with their index."""
    figures = {}
    turns = [{"id": f"a{at}", "text": f"one more turn {at} of a talk about barley"} for at in range(count)]
    facts = [
        model.CreateAttribute(entity=f"e{1 + at % 25}", content=f"sows barley in field {at}") for at in range(count)
    ]
    for what, add in (
        ("turn", lambda: record(store, "added", transcript=turns)),
        ("fact", lambda: edit(store, facts, clock=lambda: "2026-03-01T00:00:00Z")),
    ):
        figures[f"add_{what}_ms"] = _spent(add) / count
    return figures


def measured(facts: int, turns: int, count: int) -> dict[str, Any]:
    """Every figure, on a store of that size."""
    with tempfile.TemporaryDirectory(prefix="recall-speed-") as folder:
        path = Path(folder) / "memory.db"
        with build(path, facts) as store:
            asked = questions(store, 1)[0]
        result: dict[str, Any] = {"facts": facts, "turns": turns, "cold": cold(path, asked)}
        result["of_facts"] = _asked(path, count)
        with Store.open(path, create=False) as store:
            talk(store, turns)
        result["of_both"] = _asked(path, count)
        with Store.open(path, create=False) as store:
            result |= adding(store)
    return result


def _asked(path: Path, count: int) -> dict[str, dict[str, float]]:
    """The figures of asking, by how."""
    figures = {"words": apart(path, count, "words")}
    if _EXTRA:
        with Store.open(path, create=False) as store:
            embed_missing(store, WordLlama(), limit=sys.maxsize)
        figures["words and vectors"] = apart(path, count, "vectors")
    return figures


def report(result: dict[str, Any]) -> str:
    """The figures as markdown."""
    start = result["cold"]
    of_facts, of_both = result["of_facts"], result["of_both"]
    kinds = [(f"{how}, facts alone", one) for how, one in of_facts.items()]
    kinds += [(f"{how}, facts and turns", one) for how, one in of_both.items()]
    rows = [
        ("", "p50", "p95", "p95 of the processor", "p50, in loops"),
        *(
            (f"a question, {what}", f"{one['p50_ms']:.1f} ms", f"{one['p95_ms']:.1f} ms",
             f"{one['processor_p95_ms']:.1f} ms", f"{one['p50_ms'] / one['adds_ms']:.1f}")
            for what, one in kinds
        ),
        ("`graphdream recall`, a whole process", f"{1e3 * start['recall_s']:.0f} ms", "", "", ""),
        ("the same against `python -c 'import sqlite3, json'`", f"{start['ratio']:.1f} times", "", "", ""),
        ("one more turn, index included", f"{result['add_turn_ms']:.2f} ms", "", "", ""),
        ("one more fact, index included", f"{result['add_fact_ms']:.2f} ms", "", "", ""),
        *((f"peak memory, {what}", f"{one['peak_mb']:.0f} MB", "", "", "") for what, one in of_both.items()),
    ]  # fmt: skip
    loop = statistics.median(one["adds_ms"] for _, one in kinds)
    said = (
        f"A made-up store of {result['facts']:,} facts, without turns and with {result['turns']:,}; warm, but for the"
        " whole\nprocess, which has no turns. Of three times the fastest. A loop of 100,000 additions in Python took"
        f" {loop:.1f} ms."
    )
    return f"{said}\n\n{table(rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--page", type=Path, help="write the figures between the marks of this page")
    parser.add_argument("--ask", choices=("words", "vectors"), help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.ask:
        print(json.dumps(ask(args.store, args.questions, args.ask)))
        return
    if not _EXTRA:
        print("NOT MEASURED: vectors, which are an extra: pip install 'graphdream[vectors]'", file=sys.stderr)
        if args.page:
            parser.error("--page writes every row, and those with vectors cannot be measured")
    result = measured(args.facts, args.turns, args.questions)
    print(json.dumps(result, indent=2))
    if args.json:
        args.json.write_text(json.dumps(result))
    if args.page:
        write_between(args.page, report(result), MARKS)


if __name__ == "__main__":
    main()
