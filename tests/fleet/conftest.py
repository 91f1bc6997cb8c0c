"""Folders of small memories, each worth a pass."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest

import graphdream
from tests.laws.cuts import cut, entities_of

PROJECT = Path(__file__).resolve().parents[2]
KINDS = 4
ENTITIES = 12  # of the demo's graph, in each memory
MakeFleet = Callable[[int], Path]


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Memories that were imported and never dreamed."""
    source, folder = PROJECT / "fixtures" / "small.jsonl.gz", tmp_path_factory.mktemp("graphs")
    entities, out = entities_of(source), []
    for kind in range(KINDS):
        told, path = folder / f"{kind}.jsonl", folder / f"{kind}.db"
        lines = cut(source, entities[kind * ENTITIES : (kind + 1) * ENTITIES])
        told.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        with graphdream.open(path) as graph:
            graph.import_graph(told)
        out.append(path)
    return out


@pytest.fixture
def make_fleet(tmp_path: Path, graphs: list[Path]) -> MakeFleet:
    """Makes a folder of so many agents, each with a memory."""

    def made(count: int) -> Path:
        folder = tmp_path / "fleet"
        for number in range(count):
            home = folder / f"agent-{number:02}"
            home.mkdir(parents=True)
            shutil.copy(graphs[number % len(graphs)], home / "memory.db")
        return folder

    return made


@pytest.fixture
def here() -> Iterator[Executor]:
    """Runs the work of a fleet in this process, one memory after another, for what is not about processes: each of those
    loads the whole program before it dreams, which takes longer than the dream."""
    with ThreadPoolExecutor(1) as pool:
        yield pool
