"""The dashboard on a large memory: a real server, a real client, from the request to the last byte of the page.

    python bench/web.py [--facts 100000] [--rounds 21] [--readme docs/measured.md]

Each page is asked for as the first request of a server that has just started (`first`: nothing is remembered, its
templates are not read yet), then again and again (the median). Two passes are laid over the graph: one of 2,500 merges
(which change far more than 5,000 rows) and one of 5,000 archived facts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from graphs import FACTS_PER_ENTITY, imported, merges
from page import write_between

from graphdream.clock import utc_now
from graphdream.graph.store import Store
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal, apply_proposals, record_outcomes
from graphdream.mutations.context import Applying

MARKS = ("<!-- web: written by `python bench/web.py` -->", "<!-- end of web -->")
FLOOR_MS = 500
STARTS = 3  # of the server for each page; the quickest first answer counts, the others are the machine's doing


def passed(store: Store, proposals: list[Proposal]) -> int:
    """A dream of these proposals; returns how many rows it changed."""
    now = utc_now()
    with open_pass(store, PassHeader("dream", mode="compact", inputs={"now": now})) as current:
        outcomes = apply_proposals(Applying(store, "pass", now, derived=True), proposals)
        current.counts.update(record_outcomes(store.connection, current.id, proposals, outcomes))
    found: int = store.connection.execute("SELECT count(*) FROM change WHERE pass_id = ?", (current.id,)).fetchone()[0]
    return found


def built(facts: int, folder: Path) -> tuple[Path, dict[str, int]]:
    """The memory, and how many rows each of its passes changed."""
    path = imported(facts // FACTS_PER_ENTITY // 2 * 2, folder)
    with Store.open(path) as store:
        of_merges = passed(store, merges(store.connection)[:2_500])
        worst = store.connection.execute(
            "SELECT id FROM attribute WHERE status = 'active' ORDER BY id DESC LIMIT 5000"
        ).fetchall()
        archived = [Proposal.of(model.DeleteAttribute(content=f"a{row[0]}", reason="says nothing")) for row in worst]
        of_archived = passed(store, archived)
    return path, {"merges": of_merges, "archived": of_archived}


class Served:
    """A server on the memory for a `with` block."""

    def __init__(self, path: Path) -> None:
        words = [sys.executable, "-m", "graphdream", "serve", "--db", str(path), "--port", "0", "--json"]
        self._process = subprocess.Popen(
            [*words, "--no-schedule"], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"GRAPHDREAM_HOME": str(path.parent)},
        )  # fmt: skip
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["said"].rpartition(" at ")[2]

    def __enter__(self) -> httpx.Client:
        self._client = httpx.Client(base_url=self.url, timeout=120)
        return self._client

    def __exit__(self, *why: object) -> None:
        self._client.close()
        self._process.terminate()
        self._process.wait(20)


def asked(client: httpx.Client, where: str) -> tuple[float, int]:
    """Milliseconds to the last byte, and how many bytes."""
    began = time.perf_counter()
    answer = client.get(where, headers={"accept": "text/html"})
    took = (time.perf_counter() - began) * 1000
    answer.raise_for_status()
    return took, len(answer.content)


def report(facts: int, rounds: int) -> str:
    with tempfile.TemporaryDirectory(prefix="graphdream-web-") as name:
        path, changed = built(facts, Path(name))
        pages = {
            f"first page, {facts:,} facts": "/",
            f"pass of 2,500 merges ({changed['merges']:,} rows changed)": "/passes/2",
            f"pass of 5,000 archived facts ({changed['archived']:,} rows changed)": "/passes/3",
            "one merge, field by field": "/passes/2/merges/e1",
            "all changes of one kind": "/passes/3/changes/0",
            "list of entities": "/entities",
            "entity": "/entities/e1?history=1",
            "recall": "/recall?q=river+market+garden",
        }
        rows = []
        for what, where in pages.items():
            firsts = []
            for _ in range(STARTS):
                with Served(path) as client:
                    first, size = asked(client, where)
                    firsts.append(first)
                    again = statistics.median(asked(client, where)[0] for _ in range(rounds))
            first = min(firsts)
            rows.append(f"| {what} | ≤ {FLOOR_MS} ms | {first:,.0f} ms | {again:,.0f} ms | {size / 1000:,.0f} kB |")
    return "\n".join(["| page | floor | first | again | size |", "|---|---|---|---|---|", *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--readme", type=Path, help="also write the table between the marks of this page")
    args = parser.parse_args()
    text = report(args.facts, args.rounds)
    print(text)
    if args.readme:
        write_between(args.readme, MARKS, text)


if __name__ == "__main__":
    main()
