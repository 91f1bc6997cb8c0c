"""A memory whose seals are worth a look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.events.record import record
from graphdream.graph.store import Store


@pytest.fixture
def sealed_store(tmp_path: Path) -> Iterator[Store]:
    """A memory with a hundred sessions, whose tree has two levels."""
    with Store.open(tmp_path / "memory.db") as store, store.writing():
        for number in range(100):
            record(store, f"s{number}", summary=f"Session {number}.")
    with Store.open(tmp_path / "memory.db") as store:
        record(store, "first", summary="What this connection has written itself.")
        yield store
