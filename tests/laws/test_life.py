"""One state machine over random graphs and random mutations: nothing is lost, no pass changes what is pinned, undo gives
back the exact state and replay the same one, and a merge keeps every name, fact, link, date and count."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from graphdream.graph.store import Store
from tests.laws.machine import Life

RUNS = {"in-ci": (20, 12), "soak": (2_000, 40)}  # lives, steps each


@pytest.mark.parametrize("size", ["in-ci", pytest.param("soak", marks=pytest.mark.soak)])
def test_whatever_happens_to_a_file_the_laws_hold(tmp_path: Path, size: str) -> None:
    Life.blank = tmp_path / "blank.db"
    Store.open(Life.blank).close()
    lives, steps = RUNS[size]
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=lives, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
