"""`passes`, `show`, `diff`, `undo`, `replay`, `verify`, and a person's edits, as one story told at the command line."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.graphs import apply, dump, entity

Call = Callable[..., Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Pass 1: Ada (e1: a1 likes tea, a2 lives in London) and Ada Lovelace (e2: a3 born in 1815)."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(
            store,
            [entity("Ada", general=["likes tea", "lives in London"]), entity("Ada Lovelace", general=["born in 1815"])],
        )
    return path


@pytest.fixture
def call(path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command; its text, or what its JSON says."""

    def called(*words: str, code: int = 0, json_out: bool = False) -> Any:
        capsys.readouterr()
        found = main([*words, "--db", str(path), *(["--json"] if json_out else [])])
        out, err = capsys.readouterr()
        assert found == code, err
        return json.loads(out) if json_out else out + err

    return called


def state(path: Path) -> object:
    with Store.open(path) as store:
        return dump(store)


def test_a_person_s_edit_is_shown_taken_back_and_brought_again(path: Path, call: Call) -> None:
    before = state(path)
    assert "undo 2" in call("same", "Ada", "Ada Lovelace", "--reason", "her own words")
    after = state(path)
    assert after != before
    listed = call("passes", json_out=True)
    assert [record["id"] for record in listed] == [1, 2]
    assert {"id", "kind", "mode", "status", "counts", "cost"} <= listed[1].keys()
    assert (listed[1]["kind"], listed[1]["status"]) == ("edit", "applied")
    [mutation] = call("show", "2", json_out=True)["mutations"]
    assert mutation["body"]["reason"] == "her own words" and mutation["status"] == "applied"
    assert "Ada Lovelace" in call("diff", "2") and "Ada Lovelace" in call("diff", "1..2")
    undone = call("undo", "2", json_out=True)
    assert (undone["pass"], undone["undone"]) == (3, [2])
    assert state(path) == before
    assert [record["undone_by"] for record in call("passes", json_out=True)] == [None, 3, None]
    assert call("undo", "3", json_out=True)["brought_back"] == [2]
    assert state(path) == after
    assert call("verify", json_out=True)["ok"]


def test_an_undo_in_the_way_of_which_others_stand_names_them(path: Path, call: Call) -> None:
    call("merge", "e1", "e2")
    call("forget", "a3")
    before = state(path)
    told = call("undo", "2", code=4)
    assert "(3)" in told and "--cascade" in told
    assert state(path) == before
    assert call("undo", "2", "--cascade", json_out=True)["undone"] == [3, 2]


def test_a_merge_taken_back_is_judged_wrong_only_where_somebody_says_so(path: Path, call: Call) -> None:
    call("merge", "e1", "e2")
    assert call("undo", "2", json_out=True)["rejected"] == []
    call("merge", "e1", "e2")
    distinct = [{"merged_by": 4, "distinct": ["e1", "e2"]}]
    assert call("undo", "4", "--wrong", "e2", json_out=True)["rejected"] == distinct
    call("merge", "e1", "e2")
    distinct[0]["merged_by"] = 6
    assert call("undo", "6", "--all-wrong", json_out=True)["rejected"] == distinct
    call("merge", "e1", "e2")
    assert "e9 was not merged there" in call("undo", "8", "--wrong", "e2,e9", code=6)
    assert "is no handle" in call("undo", "8", "--wrong", "Ada", code=2)


def test_the_last_pass_needs_no_number(path: Path, call: Call) -> None:
    call("same", "Ada", "Ada Lovelace", "--reason", "her own words")
    assert "her own words" in call("show", "last", "--all")
    assert call("undo", "last", json_out=True)["undone"] == [2]
    assert "undo" in call("show", "last")
    assert call("undo", "last", json_out=True)["undone"] == [1], "an undo is not taken back by that"
    assert "no pass to take back" in call("undo", "last", code=6)
    assert "nor `last`" in call("undo", "lost", code=2)


def test_undo_last_says_what_it_took_back_and_takes_back_no_import(call: Call, tmp_path: Path) -> None:
    """Typed twice it took back the pass and then the import that it stood on."""
    notes = tmp_path / "notes.md"
    notes.write_text("- Bo sings in a choir\n")
    call("import", str(notes))
    call("pin", "Ada")
    call("rename", "Ada", "Ada King")
    told = call("undo", "last")
    assert "taken back: pass 4 (edit): " in told and "`undo last` would take back pass 3 (edit): " in told
    told = call("undo", "last")
    assert "taken back: pass 3 (edit)" in told and "pass 2 is an import, undone by its number alone" in told
    told = call("undo", "last", code=4)
    assert "is an import, pass 2" in told and "graphdream undo 2" in told
    assert call("undo", "2", json_out=True)["undone"] == [2]
    assert "nothing is left to take back" in call("undo", "last")


def test_undo_last_leaves_what_a_person_has_decided_of_the_file(call: Call) -> None:
    """It took back that rows which somebody had changed were put right."""
    call("pin", "Ada")
    call("trust", "--reason", "looked it through")
    assert "taken back: pass 2 (edit)" in call("undo", "last")


def test_undo_twice_is_a_conflict_that_says_what_to_do(call: Call) -> None:
    call("pin", "e1")
    call("undo", "2")
    assert "undone already, by pass 3" in call("undo", "2", code=4)


@pytest.mark.parametrize("level", ["1", "2"])
def test_a_replay_says_whether_it_is_the_same_graph(call: Call, level: str) -> None:
    call("merge", "e1", "e2")
    assert "the same graph" in call("replay", "2", "--level", level)
    told = call("replay", "2", "--level", level, json_out=True)
    assert told["same"] and told["hash_then"] == told["hash_now"]


def test_verify_finds_what_somebody_has_changed_behind_its_back(path: Path, call: Call) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER entity_changed")
        connection.execute("UPDATE entity SET name = 'Eve' WHERE id = 1")
    told = call("verify", code=1, json_out=True)
    assert not told["ok"] and {fault["check"] for fault in told["faults"]} >= {"schema", "fold", "hash"}
    assert "FAULT" in call("verify", code=1)


def test_the_page_of_an_entity_has_its_history_on_demand(call: Call) -> None:
    call("forget", "a1", "--reason", "she asked for it")
    assert "likes tea" not in call("entity", "Ada")
    assert "likes tea" in call("entity", "Ada", "--history")
    call("restore", "a1")
    assert "likes tea" in call("entity", "Ada")
    page = call("entity", "Ada", json_out=True)
    assert [fact["content"] for fact in page["facts"]["general"]] == ["likes tea", "lives in London"]


def test_what_is_so_already_is_no_pass(call: Call) -> None:
    call("pin", "Ada")
    assert "nothing changed" in call("pin", "Ada")
    assert call("pin", "Ada", json_out=True)["pass"] is None
    assert len(call("passes", json_out=True)) == 2


def test_every_edit_can_be_taken_back(path: Path, call: Call) -> None:
    call("alias", "Ada", "Ada B.")
    call("link", "Ada", "wrote_to", "Ada Lovelace")
    edits = [
        ["pin", "Ada"], ["distinct", "Ada", "Ada Lovelace"], ["rename", "Ada", "Ada Byron"], ["retype", "Ada", "poet"],
        ["split", "Ada", "--name", "Eve", "--fact", "a2", "--link", "l1", "--alias", "Ada B."], ["unlink", "l1"],
        ["forget", "a1"], ["forget", "e2"], ["merge", "Ada", "Ada Lovelace", "--into", "Ada Lovelace"],
        ["alias", "e2", "Lady Lovelace"], ["link", "e2", "knows", "e1"],
    ]  # fmt: skip
    for words in edits:
        before = state(path)
        done = call(*words, json_out=True)
        assert done["pass"] is not None, words
        assert state(path) != before, words
        call("undo", str(done["pass"]))
        assert state(path) == before, words
