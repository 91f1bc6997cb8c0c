"""What is unusual about a pass is told on the command line, in JSON and on the page, and the usual is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphdream.dream.runner import PassOptions, dream
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.undo import undo
from graphdream.journal.unusual import unusual_in
from tests.support.dreamers import Scripted
from tests.support.graphs import apply, clock, entity

OPTIONS = PassOptions(mode="compact", loss_cap=1.0)


def archive(store: Store, first: int, count: int) -> int:
    """A dream that archives facts a{first} and following."""
    gone = [{"op": "delete_attribute", "content": f"a{at}", "reason": "noise"} for at in range(first, first + count)]
    report = dream(store, Scripted(*gone, empty=range(first, first + count)), OPTIONS, clock=clock)
    assert report.status == "applied" and report.pass_id is not None
    return report.pass_id


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """Three dreams that archived six facts each; 300 facts are left."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(store, [entity("Ada", general=[f"has a parrot by the name of Number {at}" for at in range(318)])])
        for first in (1, 7, 13):
            archive(store, first, 6)
    return path


def test_eight_times_the_usual_is_told(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(memory) as store:
        assert unusual_in(store.connection, archive(store, 19, 5)) == []
        strange = archive(store, 30, 48)
        assert [one.words for one in unusual_in(store.connection, strange)] == [
            "this pass archived: 48, 8 times the usual (6)"
        ]
    assert main(["show", str(strange), "--db", str(memory)]) == 0
    assert "  unusual: this pass archived: 48, 8 times the usual (6)" in capsys.readouterr().out
    assert main(["show", str(strange), "--json", "--db", str(memory)]) == 0
    assert json.loads(capsys.readouterr().out)["unusual"][0]["usual"] == 6
    assert main(["show", str(strange - 1), "--db", str(memory)]) == 0
    assert "unusual" not in capsys.readouterr().out


def test_nothing_is_unusual_before_there_is_a_usual_and_of_a_handful(memory: Path) -> None:
    with Store.open(memory) as store:
        undo(store, 4, clock=clock)  # what was done and undone was usual as well
        assert unusual_in(store.connection, 2) == unusual_in(store.connection, 3) == []
        assert unusual_in(store.connection, archive(store, 100, 19)) == []
        assert unusual_in(store.connection, archive(store, 130, 100))
        assert unusual_in(store.connection, 10**6) == []
