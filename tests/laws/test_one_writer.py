"""One pass at a time, whoever asks; and who only reads never waits."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphdream.dream.lease import read_holder
from graphdream.graph.store import Store
from graphdream.journal.passes import list_passes
from graphdream.journal.verify import verify
from tests.support.graphs import apply, entity

PROJECT = Path(__file__).resolve().parents[2]

# A pass whose dreamer says that it has begun to think, and thinks until it is told to go on.
SLOW_DREAM = """
import sys
from graphdream.dream.runner import PassOptions, dream
from graphdream.graph.store import Store
from tests.support.dreamers import Scripted
def meanwhile():
    print("thinking", flush=True)
    sys.stdin.readline()
with Store.open(sys.argv[1]) as store:
    body = {"op": "create_attribute", "entity": "Ada", "content": "was dreamt of"}
    print(dream(store, Scripted(body, meanwhile=meanwhile), PassOptions(mode="compact")).status)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(store, [entity("Ada", general=["likes tea very much"])])
    return path


@pytest.fixture
def thinking(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process in the middle of a pass."""
    words = [sys.executable, "-c", SLOW_DREAM, str(path)]
    with subprocess.Popen(
        words, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "thinking\n"
        yield process
        if process.poll() is None:
            process.kill()


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "graphdream", *words], cwd=PROJECT, capture_output=True, text=True)


def test_of_two_that_dream_at_once_one_is_told_that_the_other_does(path: Path, thinking: subprocess.Popen[str]) -> None:
    refused = command("dream", "--compact", "--db", str(path))
    assert refused.returncode == 5, refused.stderr
    assert f"pid {thinking.pid}" in refused.stderr and "wait" in refused.stderr
    status = json.loads(command("dream", "--status", "--db", str(path), "--json").stdout)
    assert status["lease"]["pid"] == thinking.pid
    out, err = thinking.communicate("go on\n")
    assert (out, err) == ("applied\n", "")
    with Store.open(path) as store:
        assert [record["status"] for record in list_passes(store.connection)] == ["applied", "applied"]
        assert read_holder(store.connection) is None and verify(store).ok


def test_readers_and_recorders_go_on_while_a_pass_thinks_and_while_one_writes(
    path: Path, thinking: subprocess.Popen[str]
) -> None:
    assert command("entity", "Ada", "--db", str(path)).returncode == 0
    assert command("record", "--session", "s1", "--summary", "Ada called.", "--db", str(path)).returncode == 0
    assert command("verify", "--db", str(path)).returncode == 0
    thinking.communicate("go on\n")
    with Store.open(path) as writer, writer.writing(), Store.open(path) as reader:
        writer.connection.execute("UPDATE dream_state SET last_error = 'in the middle of it'")
        began = time.monotonic()
        assert reader.connection.execute("SELECT last_error FROM dream_state").fetchone()[0] is None
        assert time.monotonic() - began < 1.0  # the writer never ends, so whoever waited would wait for BUSY_SECONDS


def test_a_pass_that_was_killed_does_not_keep_the_next_one_out(path: Path, thinking: subprocess.Popen[str]) -> None:
    thinking.kill()
    thinking.wait()
    with Store.open(path) as store:
        assert read_holder(store.connection) is not None
    done = command("dream", "--compact", "--db", str(path))
    assert done.returncode == 0, done.stderr
    with Store.open(path) as store:
        assert read_holder(store.connection) is None
        assert next(record["status"] for record in list_passes(store.connection)) == "applied"
        assert verify(store).ok


def test_passes_one_after_the_other_form_one_chain(path: Path) -> None:
    """Two connections take turns; neither writes from what it remembers of the file."""
    with Store.open(path) as one, Store.open(path) as other:
        for number in range(6):
            apply((one, other)[number % 2], [entity(f"Guest {number}", general=[f"sits at table {number}"])])
        assert verify(one).ok and verify(other).ok
        assert one.connection.execute("SELECT count(*) FROM entity").fetchone()[0] == 7
