"""A history of real notes as if its lines had been told: what holds beside what in people's own words.

    python tools/told_history.py HISTORY.jsonl.gz OUT.jsonl.gz

HISTORY is what `history.py` of the data makes of a repository, `HISTORY.gold.json` beside it. A line that stands at the
end holds; one that was edited into another with other values was replaced by it; of one that only went, nobody knows.
The truth is written beside OUT in the format of the bloated graphs (`OUT.gold.jsonl.gz`). A file is cut into entities
of some dozens of lines under its headings, since that is how much is told of one thing. Whether two lines say the same
is left open (`same_known`): no history tells it of lines that stood together.

People's own words: neither file is ever committed.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import told_rows
from graphdream.graph.names import canonical_text
from told_rows import Row

MOST = 60
"""Lines of one entity."""
ENOUGH = 45
"""Lines of an entity from which the next heading begins another one."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of lines: the first line of the same text stands for all.

    Attributes:
        stands_for: line -> the first line of its text.
        holds: lines that stand at the end.
        next: line -> the one that it was edited into, None where that is not in the memory.
    """

    stands_for: Mapping[str, str]
    holds: frozenset[str]
    next: Mapping[str, str | None]

    @classmethod
    def of(cls, lines: Sequence[Row], history: Mapping[str, Any]) -> Truth:
        """From what git tells."""
        first: dict[str, str] = {}
        for row in lines:
            first.setdefault(canonical_text(row["content"]), row["id"])
        stands_for = {row["id"]: first[canonical_text(row["content"])] for row in lines}
        holds = frozenset(stands_for[key] for key in history["current"] if key in stands_for)
        edited = {
            stands_for[update["old"]]: stands_for.get(update["new"])
            for update in history["updates"]
            if update["kind"] == "value_change" and update["old"] in stands_for
        }
        return cls(stands_for, holds, {old: new for old, new in edited.items() if old not in holds and old != new})

    def known(self, line: str) -> bool:
        """Whether it is known what became of a line."""
        first = self.stands_for[line]
        return first in self.holds or first in self.next

    def successor(self, line: str) -> str | None:
        """The fact that replaced a line's; `GONE` where it is in no line whose fate is known."""
        first = self.stands_for[line]
        if first not in self.next:
            return None
        newer = self.next[first]
        return f"f_{newer}" if newer is not None and (newer in self.holds or newer in self.next) else GONE


GONE = "f_gone"


def _entities(lines: Iterable[Row], headings: Mapping[str, str]) -> list[tuple[str, list[Row]]]:
    """(file, lines) of what is made one entity: lines of neighbouring headings of one file."""
    under: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in lines:
        under[row["entity_id"], headings[row["aspect_id"]].split(" > ")[0]].append(row)
    out: list[tuple[str, list[Row]]] = []
    open_: dict[str, list[Row]] = {}
    for (file, _), rows in under.items():
        if file not in open_ or len(open_[file]) + len(rows) > ENOUGH:
            open_[file] = []
            out.append((file, open_[file]))
        for row in rows:
            if len(open_[file]) >= MOST:
                open_[file] = []
                out.append((file, open_[file]))
            open_[file].append(row)
    return out


def convert(rows: Sequence[Row], history: Mapping[str, Any]) -> tuple[list[Row], list[Row]]:
    """A memory of told facts and its truth, as rows of the bloated graphs' format."""
    headings = {row["id"]: row["name"] for row in rows if row["kind"] == "aspect"}
    files = {row["id"]: row for row in rows if row["kind"] == "entity"}
    lines = [row for row in rows if row["kind"] == "attribute"]
    truth = Truth.of(lines, history)
    meta = {"format": "graphdream-bloat/1", "vocab": f"told-{history['repo']}", "same_known": False}
    told: list[Row] = [{"kind": "meta", **meta}]
    gold: list[Row] = [{"kind": "gold_meta", **meta}, told_rows.true_fact(GONE, "", "", None)]
    seen: set[str] = set()
    for number, (file, mine) in enumerate(_entities(lines, headings)):
        key, cluster, name = f"ent_{number:05d}", f"c{number:05d}", files[file]["name"]
        aspects: dict[str, str] = {}
        tellings: list[Row] = []
        gold += told_rows.true_entity(key, cluster, name)
        for row in mine:
            heading, line, when = headings[row["aspect_id"]], row["id"], row["created_at"]
            aspect = aspects.setdefault(heading, f"asp_{number:05d}{len(aspects):03d}")
            said = row["content"]
            tellings.append(told_rows.telling(line, key, aspect, said, when, session=f"ses_{when}", confidence=0.8))
            fact = f"f_{truth.stands_for[line]}" if truth.known(line) else None
            gold.append(told_rows.true_telling(line, fact))
            if fact:
                gold.append(told_rows.true_fact(fact, cluster, heading, truth.successor(line)))
        first = min(row["created_at"] for row in mine)
        homes = [(aspect, heading) for heading, aspect in aspects.items()]
        own = name if name not in seen else f"{name} {number}"
        told += [*told_rows.entity(key, own, files[file]["type"], first, homes), *tellings]
        seen.add(name)
    return told, gold


def main(argv: Sequence[str] | None = None) -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="A history of real notes as if its lines had been told.")
    parser.add_argument("history", type=Path, help="HISTORY.jsonl.gz; HISTORY.gold.json beside it")
    parser.add_argument("out", type=Path, help="OUT.jsonl.gz; the truth goes to OUT.gold.jsonl.gz")
    args = parser.parse_args(argv)
    with gzip.open(args.history, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    history = json.loads(
        args.history.with_name(args.history.name.replace(".jsonl.gz", ".gold.json")).read_text("utf-8")
    )
    told, gold = convert(rows, history)
    told_rows.write(args.out, told, gold)


if __name__ == "__main__":
    main()
