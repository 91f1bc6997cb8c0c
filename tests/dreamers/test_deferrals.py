"""A model puts a question off: with what it waits for it is asked again, without it is told so and counts for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphdream.config import Settings
from graphdream.dream.findings import MOST_DEFERRALS
from graphdream.dream.opening import Wish, open_hybrid
from graphdream.dream.report import DreamReport
from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.asking.deferrals import blockers, read_deferrals
from graphdream.dreamers.client.answers import read_answer, with_repairs
from graphdream.graph.store import Store
from graphdream.mutations.outcome import UNREASONED
from tests.support.graphs import apply, clock, entity
from tests.support.models import ScriptedClient

ASKED = {1: "e1 ? e2", 2: "a3 or a5"}


@pytest.mark.parametrize(
    ("told", "put_off", "faulty"),
    [
        ([{"question": "e1 ? e2", "blocker": "Ada's birthday"}], {"e1 ? e2": "Ada's birthday"}, 0),
        ([{"question": " e1  ? e2", "blocker": "more facts"}, {"question": "a3 or a5", "blocker": " . "}], {"e1 ? e2": "more facts"}, 1),
        ([{"question": "e1 ? e2"}, "a3 or a5"], {}, 2),
        ([{"question": "e1 ? e2", "blocker": ""}, {"question": "e1 ? e2", "blocker": "a name"}], {"e1 ? e2": "a name"}, 0),
        ([{"question": "e7 ? e9", "blocker": "x"}, 5, None, {"question": ["e1 ? e2"]}], {}, 0),
        ("e1 ? e2", {}, 0),
        (None, {}, 0),
        ([{"question": 2, "blocker": "time"}, {"question": "1: e1 ? e2", "blocker": "facts"}], {"a3 or a5": "time", "e1 ? e2": "facts"}, 0),
        ([{"question": "2", "blocker": "time"}, {"question": 3, "blocker": "x"}, {"question": True, "blocker": "x"}], {"a3 or a5": "time"}, 0),
    ],
)  # fmt: skip
def test_a_deferral_names_a_question_that_was_asked_and_what_it_waits_for(
    told: Any, put_off: dict[str, str], faulty: int
) -> None:
    items = read_deferrals(told, ASKED)
    assert blockers(items) == put_off
    assert sum(fault.startswith(UNREASONED) for _, fault in items) == faulty == len(items) - len(put_off)


def test_a_correction_stands_behind_what_it_corrects() -> None:
    first = read_answer('{"mutations": [], "deferred": [{"question": "e1 ? e2", "blocker": ""}], "note": 1}')
    repaired = read_answer('{"mutations": [], "deferred": [{"question": "e1 ? e2", "blocker": "time"}], "note": 2}')
    both = with_repairs(first, repaired).extra
    assert both["note"] == 2 and blockers(read_deferrals(both["deferred"], ASKED)) == {"e1 ? e2": "time"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two facts of Ada that contradict each other."""
    with Store.open(tmp_path / "memory.db") as store:
        apply(store, [entity("Ada", home=["lives in London", "lives in Paris"])])
        apply(store, [{"op": "flag_contradiction", "first": "a1", "second": "a2"}])
        yield store


def dreamt(store: Store, *answers: dict[str, Any]) -> tuple[DreamReport, ScriptedClient]:
    client = ScriptedClient(answers)
    dreamer = open_hybrid(store, client, Wish("m", 0.005), Settings(), None, clock=clock)
    return dream(store, dreamer, PassOptions(mode="compact"), clock=clock), client


def findings(store: Store) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in store.connection.execute("SELECT disposition, blocker, times FROM finding")]


def putting_off(blocker: str) -> dict[str, Any]:
    return {"mutations": [], "summary": "wait", "deferred": [{"question": "a1 or a2", "blocker": blocker}]}


def test_what_was_put_off_rightly_is_asked_again_until_it_is_left_alone(store: Store) -> None:
    for times in range(1, MOST_DEFERRALS):
        report, client = dreamt(store, putting_off("Ada's next letter"))
        assert len(client.sent) == 1 and report.counts["failed"] == 0
        assert findings(store) == [("deferred", "Ada's next letter", times)]
    dreamt(store, putting_off("still her letter"))
    assert findings(store) == [("declined", "still her letter", MOST_DEFERRALS)]
    assert dreamt(store)[1].sent == []


def test_without_a_reason_the_model_is_told_once_and_it_is_an_outcome(store: Store) -> None:
    report, client = dreamt(store, putting_off(""), putting_off(" "))
    assert "without a word on what it waits for" in client.prompt(1)
    assert [(outcome.status, outcome.code) for outcome in report.outcomes] == [("failed", UNREASONED)]
    assert [row[0] for row in findings(store)] == ["declined"]


def test_a_reason_that_is_given_when_asked_for_counts(store: Store) -> None:
    report, _ = dreamt(store, putting_off(""), putting_off("her letter"))
    assert list(report.outcomes) == [] and findings(store) == [("deferred", "her letter", 1)]
