"""Undo, fold, verify and diff cost what was changed: twice the changes, about twice the time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from graphdream.graph import rows
from graphdream.graph.store import Store
from graphdream.graph.tables import ATTRIBUTE, ENTITY
from graphdream.journal.diff import diff_pass
from graphdream.journal.fold import fold
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from journal.graphs import clock, new_store

SMALL, LARGE = 500, 4_000
MOST = 1.2  # exponent; 1 is linear, and the rest is what a busy machine adds at this size


def _import(store: Store, entities: int) -> None:
    with open_pass(store, PassHeader("import"), clock=clock) as current:
        ids = range(1, entities + 1)
        store.connection.executemany(
            "INSERT INTO entity (id, uid, name, canonical, version) VALUES (?, ?, 'name', 'name', ?)",
            ((i, f"ent_{i}", current.id) for i in ids),
        )
        store.connection.executemany(
            "INSERT INTO aspect (id, uid, entity_id, name, canonical, version) VALUES (?, ?, ?, 'a', 'a', ?)",
            ((i, f"asp_{i}", i, current.id) for i in ids),
        )
        store.connection.executemany(
            "INSERT INTO attribute (id, uid, aspect_id, content, digest, version) VALUES (?, ?, ?, 'a fact', ?, ?)",
            ((i, f"att_{i}", i, i, current.id) for i in ids),
        )


def _merge(store: Store, entities: int) -> None:
    """Every second entity into the one before, row by row as an applier would."""
    with open_pass(store, PassHeader("dream"), clock=clock):
        for i in range(1, entities, 2):
            rows.update(store, ATTRIBUTE, i + 1, aspect_id=i)
            rows.update(store, ENTITY, i + 1, status="absorbed", absorbed_into=i)
            rows.update(store, ENTITY, i, mentions=2)


def _times(store: Store, entities: int) -> Iterator[tuple[str, float]]:
    def _fold() -> None:
        with closing(fold(store)):
            pass

    steps: tuple[tuple[str, Callable[[], object]], ...] = (
        ("import", lambda: _import(store, entities)),
        ("merge", lambda: _merge(store, entities)),
        ("diff", lambda: diff_pass(store, 2)),
        ("undo", lambda: undo(store, 2, clock=clock)),
        ("redo", lambda: undo(store, 3, clock=clock)),
        ("fold", _fold),
        ("verify", lambda: verify(store)),
        ("undo everything", lambda: undo(store, 1, cascade=True, clock=clock)),
    )
    for name, step in steps:
        start = time.process_time()
        step()
        yield name, time.process_time() - start


@pytest.fixture(scope="module")
def measured(tmp_path_factory, template) -> dict[str, tuple[float, float]]:
    """Processor seconds of each step at both sizes."""
    found = []
    for entities in (SMALL, LARGE):
        with new_store(tmp_path_factory.mktemp(str(entities)), template) as store:
            found.append(dict(_times(store, entities)))
    return {name: (found[0][name], found[1][name]) for name in found[0]}


@pytest.mark.parametrize("step", ["diff", "undo", "redo", "fold", "verify", "undo everything"])
def test_growth_is_linear(measured, step):
    small, large = measured[step]
    exponent = math.log(large / small) / math.log(LARGE / SMALL)
    assert exponent < MOST, f"{step}: {small:.3f} s at {SMALL}, {large:.3f} s at {LARGE}"
