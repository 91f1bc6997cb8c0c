"""Times in the world of facts that become one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphdream.dream.replay import replay
from graphdream.graph.store import Store
from graphdream.journal.passes import list_passes
from graphdream.journal.undo import undo
from tests.support.graphs import apply, clock, dump, entity

NAMES = ("valid_from", "valid_to", "occurred_at", "review_after", "time_precision")
MAY, JUNE, DAY = "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z", "2026-05-11T00:00:00Z"
LATER, SOON = "2031-01-01T00:00:00Z", "2026-04-01T00:00:00Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


def merged(store: Store, first: dict[str, str], second: dict[str, str]) -> dict[str, Any]:
    """The times of a fact that absorbs another; both were seen on New Year's Day of 2026."""
    apply(store, [entity("Ada", work=["Ada leads the office.", "The office is led by Ada."])])
    dates = [
        {"op": "date_attribute", "attribute": f"a{at}", **times} for at, times in ((1, first), (2, second)) if times
    ]
    if dates:
        apply(store, dates, actor="host")
    before = dump(store)
    (outcome,) = apply(store, [{"op": "merge_attributes", "source": ["a2"], "target": "a1"}])
    assert outcome.status == "applied", outcome
    row = store.connection.execute(f"SELECT {', '.join(NAMES)} FROM attribute WHERE id = 1").fetchone()
    (newest,) = [one["id"] for one in list_passes(store.connection)][-1:]
    assert replay(store, newest).same
    undo(store, newest, clock=clock)
    assert dump(store) == before
    return {name: value for name, value in zip(NAMES, row, strict=True) if value}


@pytest.mark.parametrize(
    ("first", "second", "then"),
    [
        ({}, {}, {}),
        ({}, {"valid_from": "2019"}, {"valid_from": "2019-01-01T00:00:00Z", "time_precision": "year"}),
        ({"valid_from": "2021-03-01"}, {"valid_from": "2019"}, {"valid_from": "2019-01-01T00:00:00Z", "time_precision": "year"}),
        ({"valid_to": MAY}, {"valid_to": JUNE}, {"valid_to": JUNE, "time_precision": "time"}),
        ({"valid_to": JUNE}, {"valid_to": MAY}, {"valid_to": JUNE, "time_precision": "time"}),
        ({}, {"valid_to": LATER}, {"valid_to": LATER, "time_precision": "time"}),
        ({}, {"valid_to": "2020"}, {}),
        ({"occurred_at": "2026-05"}, {"occurred_at": "2026-05-11"}, {"occurred_at": DAY, "time_precision": "day"}),
        ({"occurred_at": "2026-05-11"}, {"occurred_at": "2026-05"}, {"occurred_at": DAY, "time_precision": "day"}),
        ({"occurred_at": "2026-05"}, {"occurred_at": "2026-06-11"}, {"occurred_at": MAY, "time_precision": "month"}),
        ({}, {"occurred_at": "2026-05-11"}, {"occurred_at": DAY, "time_precision": "day"}),
        ({"review_after": LATER}, {"review_after": SOON}, {"review_after": SOON}),
    ],
)  # fmt: skip
def test_ranges_widen_and_the_most_exact_moment_wins(
    store: Store, first: dict[str, str], second: dict[str, str], then: dict[str, str]
) -> None:
    assert merged(store, first, second) == then
