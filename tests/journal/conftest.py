"""An empty file for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.graph.store import Store
from journal.graphs import new_store


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty file to copy."""
    folder = tmp_path_factory.mktemp("template")
    new_store(folder).close()
    return folder / "memory.db"


@pytest.fixture
def store(tmp_path: Path, template: Path) -> Iterator[Store]:
    """An empty file of one's own."""
    with new_store(tmp_path, template) as opened:
        yield opened
