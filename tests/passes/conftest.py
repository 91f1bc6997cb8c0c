"""What the tests of passes share: a memory with a clock that a test moves, and a model that says what it is told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from graphdream.clock import shifted
from graphdream.dream.cycle import CycleReport, PassReport
from graphdream.library import Graph
from graphdream.library import open as open_graph
from support.models import ScriptedClient

DAY = 86_400.0


class World:
    """A memory, its clock, and the passes over it."""

    def __init__(self, path: Path) -> None:
        self.now = "2026-03-01T08:00:00.000Z"
        self.folder = path.parent
        (path.parent / "agent.yaml").write_text("")
        self.graph: Graph = open_graph(path, clock=lambda: self.now)

    def later(self, days: float = 0.0, *, seconds: float = 0.0) -> str:
        """Move the clock."""
        self.now = shifted(self.now, days * DAY + seconds)
        return self.now

    def observe(self, *rows: Mapping[str, Any]) -> None:
        """Put events on record; all of them are right."""
        report = self.graph.observe([{"at": self.now, **row} for row in rows])
        assert not report.faults, report.faults

    def run(
        self, *names: str, client: ScriptedClient | None = None, **options: Any
    ) -> dict[tuple[str, str], PassReport]:
        """Run passes by hand; their reports by name and part."""
        report = self.cycle(only=names or None, client=client, **options)
        return {(one.name, one.part): one for one in report.passes}

    def local(self, name: str, **options: Any) -> PassReport:
        """Run the local part of a pass."""
        return self.run(name, **options)[name, "local"]

    def model(self, name: str, answer: Any, **options: Any) -> PassReport:
        """Run the part of a pass that asks a model; `answer` is what that says, or a script."""
        self.client = answer if isinstance(answer, ScriptedClient) else ScriptedClient(lambda messages: answer)
        return self.run(name, client=self.client, **options)[name, "model"]

    def cycle(self, **options: Any) -> CycleReport:
        """Run what is due."""
        return self.graph.cycle(**options)

    @property
    def hash(self) -> str:
        """The graph's hash."""
        row = self.graph.store.connection.execute("SELECT hash_after FROM pass ORDER BY id DESC LIMIT 1").fetchone()
        return str(row[0]) if row else ""

    def facts(self, category: str = "") -> list[str]:
        """Texts of active facts, in order of id."""
        from graphdream.views.memory import entries

        found = sorted(entries(self.graph.store.connection, category=category), key=lambda one: int(one.handle[1:]))
        return [one.content for one in found]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty memory in a folder of its own, which is the agent's."""
    made = World(tmp_path / "agent" / "memory.db") if (tmp_path / "agent").mkdir() is None else None
    assert made is not None
    yield made
    made.graph.close()


Script = Callable[..., Any]
