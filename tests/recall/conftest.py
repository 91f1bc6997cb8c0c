"""A small memory to ask: facts of two people and a folder, and a chat of two sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.events.record import record
from graphdream.graph.store import Store
from support.graphs import NOW, apply, entity

CHAT = [
    ("c1", "Dana", "How was your week?"),
    ("c2", "Robin", "I finally signed up for the pottery class on Tuesday."),
    ("c3", "Dana", "Which instrument would you like to learn next?"),
    ("c4", "Robin", "Probably the cello, my aunt left me hers."),
    ("c5", "Dana", "I am still fighting with the old motorcycle."),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def memory(store: Store) -> Store:
    apply(
        store,
        [
            entity("Avery", work=["Avery's editor is Zed.", "Avery leads the tracker rewrite."]),
            entity("Blake", work=["Blake's editor is Emacs.", "Blake maintains the billing service."]),
            entity("user-preferences", "category", timezone=["The user lives in Lisbon time."]),
        ],
        actor="person",
    )
    record(
        store,
        "chat-1",
        transcript=[{"id": uid, "speaker": who, "text": text} for uid, who, text in CHAT],
        started_at="2026-03-10T18:00:00Z",
        clock=lambda: NOW,
    )
    record(store, "told-1", summary="Robin asked for the recipe of the lemon cake.", started_at="2026-03-12T18:00:00Z")
    return store
