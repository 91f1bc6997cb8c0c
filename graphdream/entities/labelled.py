"""Labelled graphs: records whose true clusters are known, for training, calibration and measurement only."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.entities.blocking import Candidates
from graphdream.entities.records import Record


@dataclass(frozen=True, slots=True)
class Labelled:
    """One labelled graph.

    Attributes:
        name: of the set.
        family: sets that share a source; a family is left out as a whole.
        records: what the resolver sees.
        truth: per record the clusters that it may belong to: one, several where even the truth cannot tell, none for
            rows that are no entity.
    """

    name: str
    family: str
    records: tuple[Record, ...]
    truth: tuple[frozenset[str], ...]

    def same(self, pairs: Candidates) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Labels of candidate pairs.

        Returns:
            Shape (pairs,): whether the two are one thing, and whether that is known.
        """
        same = np.zeros(len(pairs.left), dtype=np.bool_)
        known = np.zeros(len(pairs.left), dtype=np.bool_)
        for at, (i, j) in enumerate(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)):
            a, b = self.truth[i], self.truth[j]
            sure = len(a) == 1 and len(b) == 1
            same[at] = sure and a == b
            known[at] = bool(a) and bool(b) and (sure or not a & b)
        return same, known

    def gold_pairs(self) -> int:
        """Pairs of records that surely belong together."""
        count: dict[frozenset[str], int] = {}
        for clusters in self.truth:
            if len(clusters) == 1:
                count[clusters] = count.get(clusters, 0) + 1
        return sum(n * (n - 1) // 2 for n in count.values())


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def _sorted(name: str, family: str, records: Sequence[Record], truth: Mapping[str, frozenset[str]]) -> Labelled:
    ordered = tuple(sorted(records, key=lambda r: r.id))
    return Labelled(name, family, ordered, tuple(truth[r.id] for r in ordered))


def read_entities(path: Path) -> Labelled:
    """An entity set in the format of `data/er`: one entity a line with its gold `cluster`.

    Raises:
        KeyError: a line has no id or no cluster.
    """
    name = path.name.split(".")[0]
    records: list[Record] = []
    truth: dict[str, frozenset[str]] = {}
    for row in _lines(path):
        record = Record(
            id=str(row["id"]),
            name=str(row.get("name") or ""),
            type=str(row.get("type") or ""),
            attributes=tuple(row.get("attributes") or ()),
            neighbors=tuple(row.get("neighbors") or ()),
        )
        records.append(record)
        truth[record.id] = frozenset((str(row["cluster"]),))
    return _sorted(name, "okb" if name in OPEN_FAMILY else name, records, truth)


OPEN_FAMILY = frozenset({"okb_base", "okb_ambiguous", "okb_ambiguous_mentions"})
"""Sets drawn from one corpus, never on both sides of a split. Source: data/er/README.md."""


def read_graph(path: Path) -> Labelled:
    """A bloated graph `PREFIX.jsonl.gz` with its truth `PREFIX.gold.jsonl.gz` beside it (format of `data/bloat`).

    Raises:
        FileNotFoundError: the truth is missing.
    """
    rows: dict[str, dict[str, Any]] = {}
    facts: dict[str, list[str]] = {}
    links: list[tuple[str, str]] = []
    for row in _lines(path):
        if row["kind"] == "entity":
            rows[row["id"]] = row
        elif row["kind"] == "attribute" and row["status"] == "active":
            facts.setdefault(row["entity_id"], []).append(row["content"])
        elif row["kind"] == "edge":
            links.append((row["source_id"], row["target_id"]))
    near: dict[str, list[str]] = {}
    for a, b in links:
        if a in rows and b in rows:
            near.setdefault(a, []).append(rows[b]["name"])
            near.setdefault(b, []).append(rows[a]["name"])
    truth: dict[str, frozenset[str]] = {}
    for row in _lines(path.with_name(path.name.replace(".jsonl", ".gold.jsonl"))):
        if row["kind"] == "entity":
            truth[row["id"]] = frozenset(row.get("accept") or ([row["cluster"]] if row["cluster"] else []))
    records = [
        Record(i, r["name"], r["type"], tuple(facts.get(i, ())), tuple(near.get(i, ())), pinned=bool(r["pinned"]))
        for i, r in rows.items()
    ]
    name = path.name.split(".")[0]
    return _sorted(name, name, records, truth)
