"""Who would take back a pass that there is not is told why there is none, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graphdream.graph.store import Store
from graphdream.interfaces.cli import main

Call = Callable[..., str]


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command on one memory; what it printed, or said of a fault."""

    def called(*words: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main([*words, "--db", str(tmp_path / "memory.db")]) == code
        told = capsys.readouterr()
        return told.err if code else told.out

    return called


def test_beyond_the_newest_pass_it_says_what_stands_and_how_that_is_taken_back(call: Call) -> None:
    call("remember", "The kiln is fired on Fridays", "--category", "place/Pottery")
    said = call("undo", "2", code=6)
    assert "there is no pass 2; the newest is 1" in said and "a dream that finds nothing to do writes no pass" in said
    assert "graphdream undo 1 takes back the last pass that stands, pass 1" in said
    assert call("undo", "1").startswith("pass 2 takes back 1")
    assert "takes back" not in call("undo", "9", code=6), "no pass stands any more"


def test_where_every_pass_is_taken_back_the_last_one_is_none(call: Call) -> None:
    call("remember", "The kiln is fired on Fridays", "--category", "place/Pottery")
    call("undo", "last")
    said = call("undo", "last", code=6)
    assert "there is no pass to take back any more" in said and "graphdream passes lists them" in said


@pytest.mark.parametrize("which", ["1", "last"])
def test_in_an_empty_memory_it_says_how_a_first_pass_is_made(call: Call, tmp_path: Path, which: str) -> None:
    Store.open(tmp_path / "memory.db").close()
    said = call("undo", which, code=6)
    assert "graphdream import FILE" in said and "graphdream remember TEXT" in said
