"""A fact that is told for later: on disk at once, remembered once, by whichever command comes next."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.dream import later
from graphdream.dream.later import put_off, take_in_told
from graphdream.errors import IntegrityError, UsageError
from graphdream.events.spool import FACTS, refused, waiting
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    Store.open(path).close()
    return path


def facts(path: Path) -> list[tuple[str, int]]:
    with Store.open(path) as store:
        rows = store.connection.execute("SELECT content, reinforcement FROM attribute ORDER BY id").fetchall()
    return [tuple(row) for row in rows]


def test_the_next_command_writes_what_was_told_as_told_then(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["remember", "Ada sings in a choir.", "--category", "person/Ada/music", "--db", str(path)]
    assert main([*words, "--at", "2026-02-03"]) == 0
    assert capsys.readouterr().out == "noted; the next command puts it in its place, --wait does so at once\n"
    assert facts(path) == [] and len(waiting(path, FACTS)) == 1
    assert main(["recall", "who sings?", "--db", str(path)]) == 0
    assert "Ada sings in a choir." in capsys.readouterr().out
    with graphdream.open(path) as graph:
        assert (
            graph.store.connection.execute("SELECT first_seen FROM attribute").fetchone()[0] == "2026-02-03T00:00:00Z"
        )
        assert waiting(path, FACTS) == [] and graph.verify().ok


@pytest.mark.parametrize(
    "opening", [graphdream.open, lambda path: main(["passes", "--db", str(path)])], ids=["library", "command"]
)
def test_whoever_opens_the_file_next_takes_it_in(path: Path, opening: Callable[[Path], object]) -> None:
    put_off(path, "Ada sings.")
    opened = opening(path)
    if isinstance(opened, graphdream.Graph):
        opened.close()
    assert facts(path) == [("Ada sings.", 1)]


def test_a_purged_fact_that_is_told_again_is_kept_nowhere(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was set aside as refused, and so the purged words lay on the disk again, for anybody to read."""
    told = ["remember", "Ada's code is 4711.", "--category", "person/Ada/secrets", "--db", str(path)]
    assert main([*told, "--wait"]) == 0 and main(["purge", "a1", "--yes", "--db", str(path)]) == 0
    assert main(told) == 0 and main(["passes", "--db", str(path)]) == 0
    said = capsys.readouterr().err
    assert "a person has purged this fact" in said and "graphdream remember --again" in said and "4711" not in said
    assert waiting(path, FACTS) == [] and refused(path) == [] and facts(path) == []
    assert main([*told, "--wait"]) == 4 and "graphdream remember --again" in capsys.readouterr().err
    assert main([*told, "--again", "--by", "agent"]) == 2
    assert main([*told, "--again"]) == 0 and main(["passes", "--db", str(path)]) == 0
    assert facts(path) == [("Ada's code is 4711.", 1)]


def test_what_was_written_before_a_crash_is_not_written_again(path: Path) -> None:
    call = put_off(path, "Ada sings.")
    text = call.read_text()
    with Store.open(path) as store:
        assert take_in_told(store) == 1
        call.write_text(text)  # as if the program had ended before it could discard the file
        assert take_in_told(store) == 1
    assert facts(path) == [("Ada sings.", 1)] and waiting(path, FACTS) == []


def test_many_facts_that_wait_are_written_in_few_transactions(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One each let those who tell and those who take in wait for each other for minutes, where thirty programs write."""
    monkeypatch.setattr(later, "_TOGETHER_SECONDS", 60.0)
    for name in ("Ada", "Bo", "Cy", "Di"):
        put_off(path, f"{name} sings.")
    with Store.open(path) as store:
        begun = list[str]()
        store.connection.set_trace_callback(begun.append)
        assert take_in_told(store) == 4
        assert begun.count("BEGIN IMMEDIATE") == begun.count("COMMIT") == 1
        assert verify(store).ok
    assert len(facts(path)) == 4 and waiting(path, FACTS) == []


def test_what_waits_is_written_for_a_short_time_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(later, "_TOGETHER_SECONDS", 0.0)
    for name in ("Ada", "Bo", "Cy"):
        put_off(path, f"{name} sings.")
    with Store.open(path) as store:
        begun = list[str]()
        store.connection.set_trace_callback(begun.append)
        assert take_in_told(store) == 3
        assert begun.count("BEGIN IMMEDIATE") == 3


def test_one_that_the_file_is_in_the_way_of_keeps_back_no_older_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remembered(store: Store, told: dict[str, Any], call: Path) -> None:
        if told["text"] == "Bo sings.":
            raise IntegrityError("a row that it would change is not as it was sealed")
        remember(store, told, call)

    remember = later._TAKE_IN[FACTS]
    monkeypatch.setitem(later._TAKE_IN, FACTS, remembered)
    for name in ("Ada", "Bo", "Cy"):
        put_off(path, f"{name} sings.")
    with Store.open(path) as store:
        assert take_in_told(store) == 1
    assert facts(path) == [("Ada sings.", 1)]
    assert len(waiting(path, FACTS)) == 2 and refused(path) == []


def test_while_another_writes_it_waits(path: Path) -> None:
    put_off(path, "Ada sings.")
    with Store.open(path) as writer, Store.open(path) as store:
        with writer.writing():
            assert take_in_told(store) == 0
        assert take_in_told(store) == 1


def test_what_cannot_be_remembered_is_kept_and_told(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put_off(path, "Ada sings.", by="nobody")
    put_off(path, "Bo sings.")
    assert main(["doctor", "--db", str(path)]) == 0
    assert "2 told for later; the next command writes them" in capsys.readouterr().out
    assert main(["passes", "--db", str(path)]) == 0
    assert facts(path) == [("Bo sings.", 1)] and len(refused(path)) == 1
    assert "'Ada sings.' is not remembered: 'nobody' tells nothing here; it is kept in" in capsys.readouterr().err
    capsys.readouterr()
    assert main(["doctor", "--db", str(path)]) == 1
    assert "could not be taken in: " in capsys.readouterr().out
    with pytest.raises(UsageError, match="blank"):
        put_off(path, "  ")
    with pytest.raises(UsageError, match="is not a time"):
        put_off(path, "Cy sings.", at="soon")


def test_a_memory_that_is_open_already_finds_it_too(path: Path) -> None:
    with graphdream.open(path) as graph:
        assert graph.recall("Koriander") == []
        assert main(["remember", "Imke mag keinen Koriander", "--db", str(path)]) == 0
        assert [hit.text for hit in graph.recall("Koriander")] == ["Imke mag keinen Koriander"]


def test_a_file_that_is_no_memory_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("- Ada sings\n")
    assert main(["remember", "Ada sings.", "--db", str(notes)]) != 0
    assert "notes.md" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == [notes] and notes.read_text() == "- Ada sings\n"


def test_nothing_heavy_is_loaded_for_it(path: Path) -> None:
    code = (
        "import sys; from graphdream.interfaces.cli import main;"
        f"main(['remember', 'Ada sings.', '--db', {str(path)!r}]);"
        "print(sorted({'pydantic', 'numpy', 'networkx', 'litellm', 'yaml', 'sqlite3', 'hashlib', 'typing'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert told.splitlines()[-1] == "[]"


def _meet(what: str, fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is told of Ada meet a fault."""
    from graphdream.dream import remember as module

    remembering = module.remember

    def remember(store: Store, text: str, **how: Any) -> Any:
        if text.startswith(what):
            raise fault
        return remembering(store, text, **how)

    monkeypatch.setattr(module, "remember", remember)


def test_a_fault_that_nobody_foresaw_keeps_nobody_behind_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("Ada sings.", "Bo sings."):
        put_off(path, text)
    _meet("Ada", RuntimeError("nobody foresaw this"), monkeypatch)
    told: list[str] = []
    with Store.open(path) as store:
        take_in_told(store, told.append)
    assert facts(path) == [("Bo sings.", 1)] and len(refused(path)) == 1
    assert "'Ada sings.' is not remembered: nobody foresaw this" in told[0]


def test_a_fault_of_the_database_sets_nothing_aside(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_off(path, "Ada sings.")
    fault = sqlite3.DatabaseError("database disk image is malformed")
    fault.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    with monkeypatch.context() as patch, Store.open(path) as store, pytest.raises(sqlite3.DatabaseError):
        _meet("Ada", fault, patch)
        take_in_told(store)
    assert refused(path) == []
    with Store.open(path) as store:
        assert take_in_told(store) == 1
