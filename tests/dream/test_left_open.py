"""What was not understood without a model stays recallable, and waits for one that is added later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphdream.config import Settings
from graphdream.dream.estimate import estimate
from graphdream.dream.findings import open_sessions
from graphdream.dream.opening import Uncalled, Wish, open_hybrid
from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.local import LocalDreamer
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.recall.search import recall
from tests.support.graphs import clock, facts_of
from tests.support.models import ScriptedClient, said

NEW = PassOptions(mode="incremental")
TEXT = "Nobody liked the soup. It was far too salty for the guests."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """One session that names nobody, read by the local dreamer."""
    with Store.open(tmp_path / "memory.db") as store:
        record(store, "s1", summary=TEXT, clock=clock)
        dream(store, LocalDreamer(), NEW, clock=clock)
        yield store


def run(store: Store, client: Any) -> Any:
    return dream(store, open_hybrid(store, client, Wish("scripted/model", 0.005), Settings(), None, clock=clock), NEW)


def test_it_is_a_deferred_finding_and_recallable(store: Store) -> None:
    row = store.connection.execute("SELECT disposition, blocker FROM finding").fetchone()
    assert tuple(row) == ("deferred", "a model: 2 sentences not understood")
    assert open_sessions(store.connection) == ["s1"]
    assert recall(store, "who liked the soup?")[0].text == TEXT
    assert dream(store, LocalDreamer(), NEW, clock=clock).status == "nothing"


def test_a_model_that_is_added_later_reads_it_once(store: Store) -> None:
    fact = {
        "op": "create_entity", "name": "Soup kitchen", "type": "place",
        "aspects": [{"name": "food", "attributes": [
            {"content": "The soup was far too salty", "session": "s1", "quote": "It was far too salty for the guests"}
        ]}],
    }  # fmt: skip
    client = ScriptedClient([said(fact)])
    run(store, client)
    assert "far too salty for the guests" in client.prompt()
    assert facts_of(store, "Soup kitchen") == {"The soup was far too salty"}
    assert open_sessions(store.connection) == []
    assert run(store, ScriptedClient([])).status == "nothing"


def test_the_estimate_counts_it(store: Store) -> None:
    dreamer = open_hybrid(
        store, Uncalled("scripted/model", 128_000), Wish("scripted/model", 0.005), Settings(), None, clock=clock
    )
    assert estimate(store, dreamer, mode="incremental", model="scripted/model", clock=clock).calls == 1


def test_a_session_that_is_understood_waits_for_nobody(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        record(store, "s1", summary="Tobiah Wren runs the night shift.", clock=clock)
        dream(store, LocalDreamer(), NEW, clock=clock)
        assert open_sessions(store.connection) == []
