"""Whatever a model answers, no exception escapes, every item ends in an outcome, and the laws hold (FEATURES S4)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphdream.dreamers.client.answers import read_answer, repair_request, with_repairs
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_lines
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.journal.verify import verify
from graphdream.mutations.applier import apply_proposals, record_outcomes
from graphdream.mutations.context import Applying
from graphdream.mutations.outcome import CODES, Outcome
from tests.dreamers.client.fuzz import Fuzzer
from tests.laws.plans import FIRST_GRAPH
from tests.laws.promises import astray, lost, protected, unsound, violated
from tests.support.graphs import NOW, clock

LIVES = {
    "in-ci": (6, 100, 50_000),
    "soak": (1_000, 100, 10_000_000),
}  # graphs, answers to each, characters of a long one


@pytest.fixture
def first(tmp_path: Path) -> Path:
    path = tmp_path / "first.db"
    with Store.open(path) as store:
        import_lines(store, FIRST_GRAPH, source="first graph", clock=clock)
    return path


def handles(store: Store) -> list[str]:
    listed = (("e", "entity"), ("a", "attribute"), ("l", "link"))
    return [
        f"{letter}{row[0]}"
        for letter, table in listed
        for row in store.connection.execute(f"SELECT id FROM {table} ORDER BY id")
    ]


def one_answer(store: Store, text: str) -> list[Outcome]:
    """Read it, repair it with itself, apply it as a pass, and look whether every item has its outcome."""
    known = set(handles(store))
    parsed = read_answer(text, knows=known.__contains__)
    assert isinstance(repair_request(parsed), str)
    both = with_repairs(parsed, read_answer(text[: len(text) // 2], finish="length"))
    assert len(both.proposals) >= len(parsed.proposals)
    safe, were_astray = protected(store), astray(store)
    with open_pass(store, PassHeader("dream", inputs={"now": NOW}), clock=clock) as current:
        applying = Applying(store, "pass", NOW)
        outcomes = apply_proposals(applying, both.proposals, archive_cap=2)
        record_outcomes(store.connection, current.id, both.proposals, outcomes)
    assert len(outcomes) == len(both.proposals)
    assert all(outcome.code in CODES and outcome.message for outcome in outcomes)
    assert [*violated(store, safe), *(astray(store) - were_astray)] == []
    return outcomes


@pytest.mark.parametrize("size", ["in-ci", pytest.param("soak", marks=pytest.mark.soak)])
def test_whatever_is_answered_the_laws_hold(tmp_path: Path, first: Path, size: str) -> None:
    lives, answers, characters = LIVES[size]
    seen: set[str] = set()
    for life in range(lives):
        folder = tmp_path / f"life-{life}"
        folder.mkdir()
        path = Path(shutil.copy(first, folder / "memory.db"))
        with Store.open(path) as store:
            store.connection.execute("PRAGMA synchronous = OFF")
            fuzzer = Fuzzer(life, lambda store=store: handles(store))  # type: ignore[misc]
            for _ in range(answers):
                seen |= {outcome.code for outcome in one_answer(store, fuzzer.answer())}
            if life % 50 == 0:
                one_answer(store, fuzzer.huge(characters))
            assert [*unsound(store), *lost(store)] == []
            report = verify(store)
            assert report.ok, report.as_text()
        shutil.rmtree(folder)
    # It would prove little if all of it were refused for one reason.
    assert seen >= {"ok", "invalid", "not_found", "not_active", "nothing_to_do", "pinned", "constraint", "ambiguous"}
