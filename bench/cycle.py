#!/usr/bin/env python3
"""What cycles cost: in time on a graph of many facts, and in tokens on the month of an agent in fixtures/month.

    python bench/cycle.py [--facts 100000] [--readme docs/measured.md] [--json]

The graph is made anew in a temporary folder: facts of one-sentence length on a tenth as many entities, all last seen a
year ago, and a hundred skills. Times are wall clock, of one run each; the idle cycle is the median of five.

The month is lived day by day with a simulated clock and a model that finds nothing to do, so that what is counted is
what is sent. Beside it stands what would be sent if a pass showed its whole view in each cycle, as the systems do that
these passes come from, and once, at the month's end.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from page import write_between

from graphdream.clock import shifted, utc_now
from graphdream.dreamers.client.base import Message, Reply, Tool, Usage
from graphdream.events.tokens import default_tokenizer
from graphdream.library import Graph
from graphdream.library import open as open_graph
from graphdream.passes.registry import kinds
from graphdream.views.skills import Skill

MARKS = ("<!-- cycle: written by `python bench/cycle.py` -->", "<!-- end of cycle -->")
MONTH = Path(__file__).resolve().parents[1] / "fixtures" / "month"
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


class Idle:
    """A model that finds nothing to do, and is told apart by what it was asked."""

    model = "bench/idle"

    def __init__(self) -> None:
        self._tokenizer = default_tokenizer()
        self._titles = {_title(kind.name): kind.name for kind in kinds() if kind.ask is not None}
        self.asked: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.standing: dict[str, int] = {}

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None, tools: Sequence[Tool] = (),
        max_tokens: int = 8192,
    ) -> Reply:  # fmt: skip
        """Nothing is to be done."""
        name = self._titles[messages[0].content.splitlines()[0]]
        sent = [self.count(message.content) for message in messages]
        self.asked[name] += 1
        self.tokens[name] += sum(sent)
        self.standing[name] = sent[0]
        return Reply("{}", "stop", self.model, Usage(1, sum(sent), 1))

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return self._tokenizer.count(text)

    def context_window(self) -> int:
        """As many as anybody has."""
        return 1_000_000


def _title(name: str) -> str:
    from graphdream.passes.registry import kind_named, read_directive

    return read_directive(kind_named(name), None).text.splitlines()[0]


def lived(folder: Path) -> list[dict[str, Any]]:
    """What each pass sent in the month, and what it would have sent with its whole view."""
    by_day: dict[str, list[Any]] = defaultdict(list)
    for line in (MONTH / "events.jsonl").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        by_day[event["at"][:10]].append(event)
    now = ""
    client, each, once = Idle(), Idle(), Idle()
    names = [kind.name for kind in kinds() if kind.ask is not None]
    with open_graph(folder / "memory.db", clock=lambda: now) as graph:
        now = f"{min(by_day)}T00:00:00.000Z"
        graph.import_graph(MONTH / "memory.jsonl")
        for day in sorted(by_day):
            now = f"{day}T23:30:00.000Z"
            graph.observe(by_day[day])
            _whole(folder, now, names, each)
            graph.cycle(client=client)
        _whole(folder, now, names, once)
        idle = client.tokens.total()
        for _ in range(2):  # what the last day's passes found is news once
            now = shifted(now, 86_400)
            graph.cycle(client=client)
        settled = client.tokens.total()
        for _ in range(30):
            now = shifted(now, 86_400)
            graph.cycle(client=client)
        assert client.tokens.total() == settled >= idle, "an idle month costs nothing"
    return [
        {"pass": name, "asked": client.asked[name], "tokens": client.tokens[name],
         "standing": client.standing.get(name, 0), "once": once.tokens[name], "each": each.tokens[name]}
        for name in names
    ]  # fmt: skip


def _whole(folder: Path, now: str, names: Sequence[str], client: Idle) -> None:
    """Ask some passes with their whole view, on a copy of the file."""
    with tempfile.TemporaryDirectory(dir=folder) as other:
        for file in folder.glob("memory.db*"):
            shutil.copy(file, other)
        with open_graph(Path(other) / "memory.db", clock=lambda: now) as copy:
            copy.cycle(only=names, again=True, client=client)


def table(found: Mapping[str, float | int], month: Sequence[Mapping[str, Any]]) -> str:
    """Both as Markdown."""
    facts = f"{found['facts']:,}"
    lines = [
        "| what | floor | aim | measured |",
        "|---|---|---|---|",
        f"| a whole cycle, local, nothing new, on {facts} facts | ≤ 2 s, 0 tokens | ≤ .5 s |"
        f" {found['idle_cycle_seconds']:.2f} s, {found['idle_cycle_tokens']} tokens |",
        f"| decay of {facts} facts as one pass with journal and undo | ≤ 10 s | ≤ 3 s |"
        f" {found['decay_seconds'] + found['undo_decay_seconds']:.1f} s ({found['decay_seconds']:.1f} s and"
        f" {found['undo_decay_seconds']:.1f} s) |",
        f"| the first whole cycle on {facts} facts, local | none | none | {found['first_cycle_seconds']:.1f} s |",
        "| tokens of an idle month, with a model | 0 | 0 | 0 |",
        "",
        "| pass | asked in 30 days | tokens sent | of these the same each time | whole view in each cycle |"
        " share | whole view once, at the end |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in (*month, _sum(month)):
        # What looks back on some hours alone has no view that could be sent whole.
        share = f"{one['tokens'] / one['each']:.0%}" if one["each"] > one["tokens"] else "-"
        lines.append(
            f"| {one['pass']} | {one['asked']} | {one['tokens']:,} | {round(one['standing'] * one['asked']):,} |"
            f" {one['each']:,} | {share} | {one['once']:,} |"
        )
    return "\n".join(lines)


def _sum(month: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    total = {name: sum(one[name] for one in month) for name in ("asked", "tokens", "once", "each")}
    standing = sum(one["standing"] * one["asked"] for one in month)
    return {**total, "pass": "**all**", "standing": standing / max(1, total["asked"])}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--readme", type=Path, help="also write the tables between the marks of this page")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        month = lived(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        path = made(Path(folder), args.facts)
        with open_graph(Path(folder) / "memory.db") as graph:
            graph.import_graph(path)
            for at in range(SKILLS):
                graph.skills.put(Skill(f"family{at % 9}/skill-{at}", f"Does {at}", f"Step {at}. " * 40))
            found = measured(graph, args.facts)
    text = table(found, month)
    print(json.dumps({**found, "month": month}) if args.json else text)
    if args.readme:
        write_between(args.readme, MARKS, text)


if __name__ == "__main__":
    main()
