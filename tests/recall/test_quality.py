"""What recall finds on the development data: one store of each set, half of its questions."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.recall.search import recall


def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("name", "scope", "floor"),
    [("lookalike", "lookalike-dev", 1.0), ("locomo", "conv-26", 0.7), ("beam128k", "beam-01", 0.4)],
)
def test_recall_at_ten(shared_data: Path, tmp_path: Path, name: str, scope: str, floor: float) -> None:
    sessions = defaultdict(list)
    for memory in rows(shared_data / "recall" / f"{name}_memories.jsonl.gz"):
        if memory["scope"] == scope:
            sessions[memory["session"]].append(memory)
    asked = [row for row in rows(shared_data / "recall" / f"{name}_queries.jsonl.gz") if row["scope"] == scope][::2]
    with Store.open(tmp_path / "memory.db") as store:
        for key, turns in sessions.items():
            told = [
                {field: turn[field] for field in ("id", "speaker", "text", "time") if field in turn} for turn in turns
            ]
            record(store, key, transcript=told, started_at=turns[0].get("time"))
        shares = []
        for row in asked:
            if row["category"] == "adversarial":
                continue
            found = {uid for hit in recall(store, row["question"], k=10) for uid in hit.turns}
            wanted = 1 if row.get("any") else len(row["evidence"])
            shares.append(min(wanted, len(found & set(row["evidence"]))) / wanted)
    assert sum(shares) / len(shares) >= floor
