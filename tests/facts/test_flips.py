"""A value that comes back: A, then B, then A again leaves A active and B in history, told at once or one by one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphdream import Graph
from graphdream import open as open_graph

TOLD = {
    "labelled": ("Editor: Vim", "Editor: Zed", "Editor: Vim"),
    "a sentence": ("lives in Ísafjörður", "lives in Höfn", "lives in Ísafjörður"),
}


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    with open_graph(tmp_path / "memory.db") as graph:
        yield graph


@pytest.mark.parametrize("told", TOLD.values(), ids=TOLD.keys())
def test_in_one_import_the_value_that_came_back_is_active_and_the_one_between_is_not(
    graph: Graph, tmp_path: Path, told: tuple[str, ...]
) -> None:
    rows = [
        {"kind": "meta", "format": "graphdream/1"},
        {"kind": "entity", "id": "u", "name": "Mirela", "type": "person"},
        {"kind": "aspect", "id": "p", "entity_id": "u", "name": "tools"},
    ] + [
        {"kind": "attribute", "id": f"f{at}", "entity_id": "u", "aspect_id": "p", "content": text,
         "created_at": f"2026-0{2 * at + 1}-05T09:00:00Z"}
        for at, text in enumerate(told)
    ]  # fmt: skip
    path = tmp_path / "told.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    graph.import_file(path)
    graph.dream(compact=True)
    active = [fact.content for facts in graph.entity("Mirela").facts.values() for fact in facts]
    assert active == [told[-1]]
    kept = [fact.content for facts in graph.entity("Mirela", history=True).facts.values() for fact in facts]
    assert sorted(kept) == sorted(told)
