"""Facts that may say the same, or of which one may have replaced the other, are asked of a model by their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphdream.config import Settings
from graphdream.dream.opening import Wish, open_hybrid
from graphdream.dream.runner import PassOptions, dream
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from tests.support.graphs import clock
from tests.support.models import ScriptedClient, said

CARS = (("Imke fährt einen Golf seit dem Sommer", "2026-03-02"), ("Imke ist im Polo unterwegs", "2026-05-04"))
COMPACT = PassOptions(mode="compact", loss_cap=1.0)
HOMES = (("Imke wohnt in Kassel", "2026-03-02"), ("Imke ist in Erfurt zu Hause", "2026-05-04"))
NUMBER = re.compile(r"^(\d+): a\d+ \? a\d+$", re.MULTILINE)

Told = Callable[..., Store]


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    """A memory in which two things were told of Imke, by whom it says."""
    opened: list[Store] = []

    def tell(*facts: tuple[str, str], by: tuple[str, str] = ("agent", "agent")) -> Store:
        for (text, day), teller in zip(facts, by, strict=True):
            words = ["--category", "person/Imke/leben", "--at", day, "--by", teller, "--wait"]
            assert main(["remember", text, *words, "--db", str(tmp_path / "memory.db")]) == 0
        opened.append(Store.open(tmp_path / "memory.db"))
        return opened[0]

    yield tell
    for store in opened:
        store.close()


def run(store: Store, client: ScriptedClient) -> Any:
    dreamer = open_hybrid(store, client, Wish("scripted/model", 0.005), Settings(), None, clock=clock)
    return dream(store, dreamer, COMPACT, clock=clock)


def answering(verdict: str) -> ScriptedClient:
    """A model that answers every question about facts with one verdict."""

    def script(messages: Any) -> dict[str, Any]:
        return {verdict: [int(found) for found in NUMBER.findall(messages[-1].content)], **said()}

    return ScriptedClient(script)


def statuses(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute("SELECT status FROM attribute ORDER BY id")]


@pytest.mark.parametrize(
    ("verdict", "after"),
    [("second", ["superseded", "active"]), ("first", ["active", "superseded"]), ("both", ["active", "active"])],
)
def test_a_verdict_does_what_it_says_is_asked_once_and_can_be_undone(
    told: Told, verdict: str, after: list[str]
) -> None:
    store = told(*HOMES)
    client = answering(verdict)
    report = run(store, client)
    assert "a1 ? a2" in client.prompt() and all(text in client.prompt() for text, _ in HOMES)
    assert statuses(store) == after
    again = answering(verdict)
    run(store, again)
    assert again.sent == []
    undo(store, report.pass_id, clock=clock)
    assert statuses(store) == ["active", "active"] and verify(store).ok


def test_facts_with_values_of_their_own_are_not_folded_into_one_because_a_model_says_so(told: Told) -> None:
    store = told(*CARS)
    report = run(store, answering("same"))
    assert statuses(store) == ["active", "active"]
    assert [outcome.code for outcome in report.outcomes] == ["coverage"]


def test_what_a_person_told_is_not_replaced_because_a_model_says_so(told: Told) -> None:
    store = told(*HOMES, by=("user", "agent"))
    run(store, answering("second"))
    assert statuses(store) == ["active", "active"]


def test_what_a_person_said_of_two_facts_is_not_asked_again(told: Told, tmp_path: Path) -> None:
    store = told(*HOMES)
    assert main(["distinct", "a1", "a2", "--db", str(tmp_path / "memory.db")]) == 0
    client = answering("second")
    run(store, client)
    assert client.sent == [] and statuses(store) == ["active", "active"]
