"""What others have put beside a memory reaches a program that stays open and only reads, and never holds it up."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphdream import Graph
from graphdream import open as open_graph
from graphdream.events.spool import all_waiting
from graphdream.graph.store import Store
from graphdream.library import behind, taking

WAIT_SECONDS = 20.0


def told_by_another(path: Path, key: str, text: str) -> None:
    """Recorded by another program while somebody writes, so that it is put beside the file."""
    with Store.open(path) as writer, writer.writing():
        words = ["record", "--session", key, "--summary", text, "--db", str(path)]
        done = subprocess.run([sys.executable, "-m", "graphdream", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all_waiting(path)


def told_without_waiting(path: Path, text: str) -> None:
    """Told by a command, which leaves it to the next one."""
    words = ["remember", text, "--category", "person/Mirela/music", "--db", str(path)]
    done = subprocess.run([sys.executable, "-m", "graphdream", *words], capture_output=True, text=True)
    assert done.returncode == 0 and all_waiting(path), done.stderr


def found_in_time(graph: Graph, question: str) -> bool:
    deadline = time.monotonic() + WAIT_SECONDS
    while not graph.recall(question):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_a_reader_finds_what_another_program_has_put_aside_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_graph(path) as graph:
        for key, word in (("one", "oboe"), ("two", "bassoon")):
            assert graph.recall(word) == []
            told_by_another(path, key, f"Mirela plays the {word}.")
            assert found_in_time(graph, word)
            assert not all_waiting(path)


def test_a_fact_that_a_command_was_told_without_waiting_is_taken_in_from_the_next_call_on(tmp_path: Path) -> None:
    """It was left to whoever writes, and nobody did: three calls, seconds apart, did not find it."""
    path = tmp_path / "memory.db"
    with open_graph(path) as graph:
        for word in ("oboe", "bassoon"):
            time.sleep(taking._SETTLED_SECONDS * 2)
            graph.recall(word)
            told_without_waiting(path, f"Mirela plays the {word}")
            graph.recall(word)
            deadline = time.monotonic() + WAIT_SECONDS
            while all_waiting(path) and time.monotonic() < deadline:
                time.sleep(0.05)
            assert any(word in hit.text for hit in graph.recall(word))


def test_a_dream_takes_in_what_waits_before_it_begins(tmp_path: Path) -> None:
    """It said that there was nothing to do, where the command took in a fact and dreamed of it."""
    path = tmp_path / "memory.db"
    with open_graph(path) as graph:
        told_without_waiting(path, "Mirela plays the oboe")
        graph.dream(compact=True)
        assert not all_waiting(path) and graph.passes()[0].kind == "remember"


def test_a_cycle_takes_in_what_waits_before_it_begins(tmp_path: Path) -> None:
    """The command did, the library did not: the cycle left out what had been told before it."""
    path = tmp_path / "memory.db"
    with open_graph(path) as graph:
        told_without_waiting(path, "Mirela plays the oboe")
        graph.cycle(only=["decay"])
        assert not all_waiting(path) and graph.passes()[0].kind == "remember"


def test_no_call_of_a_reader_takes_in_what_others_have_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a thread beside it does, for which it would have to wait."""
    path = tmp_path / "memory.db"
    with open_graph(path) as graph:
        for module in (taking, behind):
            monkeypatch.setattr(module, "take_in_waiting", _fail)
        for key, word in (("one", "oboe"), ("two", "bassoon")):
            told_by_another(path, key, f"Mirela plays the {word}.")
            assert found_in_time(graph, word)


def test_where_no_process_can_be_started_a_thread_takes_it_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.db"
    monkeypatch.setattr(sys, "executable", "/opt/another/program")
    with open_graph(path) as graph:
        monkeypatch.undo()
        told_by_another(path, "one", "Mirela plays the oboe.")
        monkeypatch.setattr(sys, "executable", "/opt/another/program")
        assert found_in_time(graph, "oboe")


def test_one_program_at_a_time_has_what_waits_taken_in(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_graph(path).close()
    told_by_another(path, "one", "Mirela plays the oboe.")
    with behind._alone(path) as first, behind._alone(path) as second:
        assert (first, second) == (True, False)
        behind.take_in_apart(path)
        assert all_waiting(path)
    behind.take_in_apart(path)
    assert not all_waiting(path)


def _fail(store: Store) -> None:
    raise AssertionError("taken in here")


def test_a_program_finds_at_once_what_it_has_put_aside_itself(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_graph(path) as graph, Store.open(path) as writer:
        with writer.writing():
            assert graph.record_session("one", summary="Mirela plays the oboe.").spooled
            assert graph.recall("oboe") == []  # and does not wait for who writes
        assert graph.recall("oboe")


def test_what_waited_before_it_was_opened_is_found_by_the_first_question(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_graph(path).close()
    told_by_another(path, "one", "Mirela plays the oboe.")
    with open_graph(path) as graph:
        assert graph.recall("oboe")
