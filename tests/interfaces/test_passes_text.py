"""A list of passes says of each in a few words what it did, and who made it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import graphdream
from graphdream.interfaces.cli import main
from graphdream.interfaces.passes_text import made_by, what_it_did
from graphdream.journal.applied import applied_by_op

Call = Callable[..., str]


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command on one memory; what it printed."""

    def called(*words: str) -> str:
        capsys.readouterr()
        assert main([*words, "--db", str(tmp_path / "memory.db")]) == 0
        return capsys.readouterr().out

    return called


def test_each_line_tells_what_was_done_by_whom_and_whether_it_stands(call: Call) -> None:
    call("remember", "The ferry leaves from pier 4.", "--by", "agent", "--at", "2026-03-02")
    call("remember", "The ferry now leaves from pier 9.", "--by", "agent", "--at", "2026-05-04")
    call("dream", "--compact")
    call("undo", "3")
    heading, *lines = call("passes").splitlines()
    assert heading.split() == ["pass", "kind", "status", "by", "finished", "cost", "$", "what", "it", "did"]
    assert len(lines) == 4
    assert " agent " in lines[0] and "e1" in lines[0]
    assert " dream (compact) " in lines[2] and " undone by 4 " in lines[2] and " local (manual) " in lines[2]
    assert lines[2].endswith(" 1 fact replaced by a later one")
    assert " person " in lines[3] and lines[3].endswith("Took back pass 3")
    assert [one["id"] for one in json.loads(call("passes", "--json"))] == [1, 2, 3, 4]


def test_a_person_made_an_import(call: Call, tmp_path: Path) -> None:
    """Nobody stood there, in the column that tells who made a pass."""
    notes = tmp_path / "notes.md"
    notes.write_text("# Mill\n\n- The mill grinds on Tuesdays.\n")
    call("import", str(notes))
    (made,) = json.loads(call("passes", "--json"))
    assert made["trigger"] == "person" and " person " in call("passes").splitlines()[1]


def test_a_list_of_passes_counts_what_went_into_one_as_the_pass_itself_does(tmp_path: Path) -> None:
    """A pass that made 355 entities others by 61 merges was told to have merged 61."""
    with graphdream.open(tmp_path / "memory.db") as graph:
        for number in range(4):
            graph.remember(f"Pier {number} is closed.", category=f"place/Pier {number}/state")
        merged = graph.edit({"op": "merge_entities", "source": ["e2", "e3", "e4"], "target": "e1"})
        graph.edit({"op": "pin", "entity": "e1"})
        assert merged.pass_id == 5
        counted = applied_by_op(graph.store)
    assert (counted[5], counted[6]) == ({"merge_entities": 3}, {"pin": 1})


def _record(**said: object) -> dict[str, object]:
    blank = {"kind": "dream", "summary": "", "error": "", "counts": {}, "options": {}, "dreamer": "", "model": ""}
    return {**blank, "trigger": "", **said}


def test_what_matters_most_comes_first_and_what_was_not_applied_last() -> None:
    done = {"delete_attribute": 2, "decay_facts": 1, "merge_entities": 1_200}
    told = what_it_did(_record(counts={"skipped": 2, "failed": 1}), done)
    assert told == "1,200 entities merged, 2 facts archived, 1 decay facts; 3 not applied"


def test_what_did_nothing_by_mutations_tells_its_own_summary_or_what_went_wrong() -> None:
    assert what_it_did(_record(kind="import", summary="imported\n notes"), {"link": 3}) == "imported notes"
    assert what_it_did(_record(error="no model answered"), {}) == "no model answered"


def test_a_pass_is_made_by_who_asked_or_by_its_dreamer() -> None:
    assert made_by(_record(options={"by": "agent"}, trigger="person")) == "agent"
    assert made_by(_record(options={"actor": "person"}, trigger="manual")) == "person"
    assert made_by(_record(dreamer="hybrid", model="small", trigger="schedule")) == "hybrid small (schedule)"
    assert made_by(_record(trigger="person")) == "person"
    assert made_by(_record()) == ""
