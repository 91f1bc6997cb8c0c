"""What the stories of faults begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.graph.store import Store
from tests.support.graphs import apply, entity


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Pass 1: Ada (e1: a1 likes tea, a2 lives in London), Bo (e2: a3 plays chess), Cy of no type (e3: a4 sings)."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(
            store,
            [
                entity("Ada", general=["likes tea", "lives in London"]),
                entity("Bo", general=["plays chess"]),
                entity("Cy", kind="unknown", general=["sings"]),
            ],
        )
        yield store
