"""A real server in a real process, on a small memory that was dreamt over."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from graphdream.interfaces.importers import import_lines
from graphdream.library import open as open_graph
from support.graphs import entity
from support.serving import Server, running

FIXTURE = Path(__file__).resolve().parents[3] / "fixtures" / "small.jsonl.gz"
_FAMILIES = ("marlow", "hollow", "reyes", "kapoor")


def part_of_the_fixture() -> list[dict[str, Any]]:
    """A bloated graph that is dreamt over in a second: four families of names, and 120 others."""
    rows = [json.loads(line) for line in gzip.decompress(FIXTURE.read_bytes()).decode().splitlines()]
    entities = [row for row in rows if row["kind"] == "entity"]
    chosen = [row["id"] for row in entities if any(name in row["name"].casefold() for name in _FAMILIES)]
    kept = {*chosen, *(row["id"] for row in entities[:120])}
    return [{"kind": "meta", "format": "graphdream/1"}] + [
        row
        for row in rows
        if row.get("id" if row["kind"] == "entity" else "entity_id") in kept
        or (row["kind"] == "edge" and {row["source_id"], row["target_id"]} <= kept)
    ]


@pytest.fixture(scope="session")
def dreamt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that was dreamt over: pass 1 imported it, 2 is hostile text, 3 a plan, 4 the whole plan approved."""
    path = tmp_path_factory.mktemp("dreamt") / "memory.db"
    with open_graph(path) as graph:
        import_lines(graph.store, part_of_the_fixture(), source="part.jsonl")
        hostile = entity("<script>alert(1)</script>", "project", ports=["<img src=x onerror=alert(2)> is its logo."])
        graph.edit(hostile)
        assert graph.dream(compact=True, review=True).status == "planned"
        assert graph.approve(3).pass_id == 4
    return path


@pytest.fixture
def memory(dreamt: Path, tmp_path: Path) -> Path:
    """A copy of its own."""
    for file in dreamt.parent.iterdir():
        shutil.copy(file, tmp_path / file.name)
    return tmp_path / dreamt.name


@pytest.fixture(scope="session")
def reading(dreamt: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that only read."""
    folder = tmp_path_factory.mktemp("reading")
    for file in dreamt.parent.iterdir():
        shutil.copy(file, folder / file.name)
    with running(folder / dreamt.name, "--no-schedule") as server:
        yield server


@pytest.fixture
def serving(memory: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers on a memory of the test's own; they end with the test."""
    with ExitStack() as stack:

        def start(*words: str, environ: dict[str, str] | None = None) -> Server:
            return stack.enter_context(running(memory, *(words or ("--no-schedule",)), environ=environ))

        yield start


@pytest.fixture(scope="session")
def places(reading: Server) -> dict[str, str]:
    """A survivor, one that went into it, and a cluster of the plan."""
    with reading.client() as client:
        merge = client.get("/api/passes/4/merges").json()["merges"][0]
        cluster = client.get("/api/plans/3").json()["clusters"][0]
    gone = next(member["handle"] for member in merge["members"] if not member["survives"])
    return {"merge": merge["survivor"], "gone": gone, "cluster": str(cluster["id"])}
