"""A plan is walked through cluster by cluster in the terminal, by a real process that reads its answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphdream.dream.plan import items_of
from graphdream.dream.runner import PassOptions, dream
from graphdream.graph.store import Store
from graphdream.journal.verify import verify
from tests.support.dreamers import Scripted
from tests.support.graphs import apply, clock, dump, entity

REVIEW = PassOptions(mode="compact", loss_cap=1.0, review=True)
MUTATIONS = (
    {"op": "merge_entities", "source": ["e2"], "target": "e1", "reason": "one sailor"},
    {"op": "merge_entities", "source": ["e3"], "target": "e1", "reason": "one sailor"},
    {"op": "merge_entities", "source": ["e5"], "target": "e4", "reason": "one boat"},
    {"op": "delete_attribute", "content": "a2", "reason": "noise of a log"},
    {"op": "delete_attribute", "content": "a3", "reason": "noise of a log"},
    {"op": "delete_attribute", "content": "a4", "reason": "cut off"},
)  # positions 0 to 5; clusters c0 (three sailors), c2 (two boats), c3 and c4 (noise), c5 (cut off)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A memory with a plan, pass 2, that waits: three clusters of archiving are two, by their reasons."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(store, [
            entity("Βασιλική", general=["rows at dawn", "0x00 0x00", "0x01 0x01", "sails the"]),
            entity("Vasiliki"), entity("V. Pappa"), entity("海鷗", "boat"), entity("Kamome", "boat"),
        ])  # fmt: skip
        report = dream(store, Scripted(*MUTATIONS), REVIEW, clock=clock)
        assert report.pass_id == 2
    return path


def run(memory: Path, *words: str, answers: str = "", code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "graphdream", "plan", *words, "--db", str(memory)],
        input=answers, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def verdicts(memory: Path) -> list[str]:
    with Store.open(memory) as store:
        return [item.verdict for item in items_of(store.connection, 2)]


def entities_left(memory: Path) -> int:
    with Store.open(memory) as store:
        assert verify(store).ok
        return int(store.connection.execute("SELECT count(*) FROM entity WHERE status = 'active'").fetchone()[0])


def test_clusters_are_shown_side_by_side_and_done_as_they_were_answered(memory: Path) -> None:
    told = run(memory, "review", "2", answers="w\ny\nn\nn\ny\n")
    assert "4 clusters to decide: 3 entities that become one; 3 facts archived" in told
    assert "1 of 4 · entities that become one: Βασιλική" in told and "rows at dawn" in told
    assert told.index("e2") < told.index("Vasiliki") and "stays" in told and "one sailor" in told
    assert "e2 and e1:" in told and "probability" in told  # the evidence that was asked for
    assert "rejected: 3 items" in told and "pass 3: 3 items of plan 2 applied" in told and "still open" not in told
    assert verdicts(memory) == ["approved", "approved", "rejected", "rejected", "rejected", "approved"]
    assert entities_left(memory) == 3


@pytest.mark.parametrize("last", ["q\n", "", "Q"])
def test_who_stops_keeps_what_was_decided_and_leaves_the_rest_open(memory: Path, last: str) -> None:
    told = run(memory, "review", "2", answers=f"l\ny\n{last}")
    assert (
        "pass 3: 1 item of plan 2 applied" in told and "still open: 5 items; graphdream plan review 2 goes on" in told
    )
    assert verdicts(memory) == ["open", "open", "approved", "open", "open", "open"]
    assert "3 clusters to decide" in run(memory, "review", "2", answers="q\n")


def test_one_answer_stands_for_the_rest_of_a_kind(memory: Path) -> None:
    run(memory, "review", "2", answers="a\nx\n")
    assert verdicts(memory) == ["approved"] * 3 + ["rejected"] * 3


def test_lines_of_a_cluster_are_decided_one_by_one(memory: Path) -> None:
    told = run(memory, "review", "2", answers="x\no\nn\n?\ny\nl\n")
    assert "0x01 0x01" in told and "l leaves it for later" in told
    assert verdicts(memory) == ["rejected"] * 3 + ["rejected", "approved", "open"]


def test_nothing_decided_changes_nothing(memory: Path) -> None:
    with Store.open(memory) as store:
        before = dump(store)
    assert "nothing was changed" in run(memory, "review", "2", answers="perhaps\n?\nl\nl\nl\nl\n")
    with Store.open(memory) as store:
        assert dump(store) == before


def test_clusters_have_handles_that_show_and_approve_take(memory: Path) -> None:
    told = run(memory, "show", "2", "--clusters")
    assert [line.split()[0] for line in told.splitlines()[1:]] == ["c0", "c2", "c3", "c5"]
    shown = json.loads(run(memory, "show", "2", "--clusters", "--json"))
    assert [(one["id"], one["positions"], one["open"]) for one in shown] == [
        (0, [0, 1], 2), (2, [2], 1), (3, [3, 4], 2), (5, [5], 1)
    ]  # fmt: skip
    assert "3 items of plan 2 applied" in run(memory, "approve", "2", "c0", "5")
    assert verdicts(memory) == ["approved", "approved", "open", "open", "open", "approved"]
    assert "is decided already" in run(memory, "reject", "2", "c0", code=2)
    assert "has no cluster 1" in run(memory, "approve", "2", "c1", code=6)
    assert "names no item" in run(memory, "approve", "2", "c", code=2)


def test_a_walk_takes_no_items_and_prints_no_json(memory: Path) -> None:
    assert "plan show PLAN --json" in run(memory, "review", "2", "--json", code=2)
    assert "every open cluster" in run(memory, "review", "2", "c0", code=2)
    assert "there is no pass 9" in run(memory, "review", "9", code=6)
