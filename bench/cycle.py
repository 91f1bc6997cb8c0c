#!/usr/bin/env python3
"""How long a cycle with nothing new takes, and decay of every fact as one pass, on a graph of so many facts.

    python bench/cycle.py [--facts 100000] [--json]

The graph is made anew in a temporary folder: facts of one-sentence length on a tenth as many entities, all last seen a
year ago, and a hundred skills. Times are wall clock, of one run each; the floor of a cycle is 2 seconds, of decay 10.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from graphdream.clock import shifted, utc_now
from graphdream.library import Graph
from graphdream.library import open as open_graph
from graphdream.views.skills import Skill

SKILLS = 100


def made(folder: Path, facts: int) -> Path:
    """An import file of so many facts."""
    path = folder / "graph.jsonl"
    seen = shifted(utc_now(), -365 * 86_400)
    with path.open("w") as out:
        for entity in range(facts // 10):
            times = {"created_at": seen, "updated_at": seen}
            owner, under = f"ent_{entity}", f"asp_{entity}"
            head = {"kind": "entity", "id": owner, "name": f"Thing {entity}", "type": "thing", "pinned": False, **times}
            rows: list[dict[str, Any]] = [
                head,
                {"kind": "aspect", "id": under, "entity_id": owner, "name": "facts", "created_at": seen},
            ]
            for at in range(10):
                text = f"Thing {entity} was seen at place {at} beside post {entity * at}."
                rows.append(
                    {
                        "kind": "attribute", "id": f"att_{entity}_{at}", "entity_id": owner, "aspect_id": under,
                        "attribute_kind": "attribute", "content": text, "status": "active", "confidence": 0.8,
                        "importance": 0.9, **times,
                    }
                )  # fmt: skip
            out.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def measured(graph: Graph, facts: int) -> dict[str, float | int]:
    """The figures."""
    found: dict[str, float | int] = {"facts": facts}
    began = time.perf_counter()
    (decay,) = graph.cycle(only=["decay"]).passes
    found["decay_seconds"] = round(time.perf_counter() - began, 3)
    assert decay.status == "applied", decay
    changed = graph.pass_record(decay.pass_id or 0).counts["rows"]["attribute changed"]
    assert changed == facts, changed
    began = time.perf_counter()
    graph.cycle()
    found["first_cycle_seconds"] = round(time.perf_counter() - began, 3)
    graph.cycle()
    times = []
    for _ in range(5):
        began = time.perf_counter()
        report = graph.cycle()
        times.append(time.perf_counter() - began)
        assert report.tokens == 0 and {one.status for one in report.passes} == {"skipped"}, report.summary
    found["idle_cycle_seconds"] = round(sorted(times)[2], 3)
    found["idle_cycle_tokens"] = 0
    began = time.perf_counter()
    graph.undo(decay.pass_id or 0)
    found["undo_decay_seconds"] = round(time.perf_counter() - began, 3)
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = made(Path(folder), args.facts)
        with open_graph(Path(folder) / "memory.db") as graph:
            graph.import_graph(path)
            for at in range(SKILLS):
                graph.skills.put(Skill(f"family{at % 9}/skill-{at}", f"Does {at}", f"Step {at}. " * 40))
            found = measured(graph, args.facts)
    print(json.dumps(found) if args.json else "\n".join(f"{name:22} {value:>10,}" for name, value in found.items()))


if __name__ == "__main__":
    main()
