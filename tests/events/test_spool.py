"""A hook does not wait for a pass: what it tells is kept beside the file and is on record once, whatever happens."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import graphdream
from graphdream.errors import NotFoundError, UnwritableError
from graphdream.events.adding import Recorded, add
from graphdream.events.counter import backlog
from graphdream.events.record import record, take_in
from graphdream.events.spool import (
    CALLS,
    FACTS,
    LONGEST_CALL,
    REFUSED,
    put_aside,
    refused,
    spool_path,
    unsealed,
    waiting,
)
from graphdream.events.tokens import default_tokenizer
from graphdream.events.told import Observation, Told
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.trust import trust
from tests.support.sessions import find_session, list_sessions, observations_of, summaries_of, turns_of

PROJECT = Path(__file__).resolve().parents[2]
KILLS = 4
TURNS = [{"role": "user", "content": "Ship it."}, {"role": "assistant", "content": "Shipped \ud83d."}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one session on record."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        record(store, "first", summary="Avery moved to Oslo.")
    return path


@contextmanager
def somebody_writes(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def tell(store: Store, key: str) -> bool:
    """Tell all there is to tell of a session; whether it had to wait beside the file."""
    recorded = record(
        store, key, summary=f"What {key} was about. \udc80", transcript=TURNS, metadata={"host": "desk"},
        observations=[Observation("likes tea", "Avery", ("t1",))], clock=lambda: "2026-04-01T09:30:00.000Z",
    )  # fmt: skip
    assert recorded.anything
    return recorded.spooled


def on_record(store: Store) -> list[list[tuple[object, ...]]]:
    """Every row of the events."""
    tables = ("session", "summary", "turn", "observation")
    return [[tuple(row) for row in store.connection.execute(f"SELECT * FROM {table}")] for table in tables]


def test_a_hook_does_not_wait_for_a_pass_and_the_next_one_takes_in_what_it_told(path: Path) -> None:
    with Store.open(path) as store:
        with somebody_writes(path):
            assert tell(store, "second")
            assert take_in(store) == 0
            assert [session.key for session in list_sessions(store.connection)] == ["first"]
        assert not tell(store, "third")
        assert waiting(path) == []
        for key in ("second", "third"):
            session = find_session(store.connection, key)
            assert session.recorded_at == "2026-04-01T09:30:00.000Z" and session.metadata == {"host": "desk"}
            assert len(turns_of(store.connection, session.id)) == len(TURNS)
            assert [told.content[:9] for told in summaries_of(store.connection, session.id)] == ["What " + key[:4]]
            (seen,) = observations_of(store.connection, session.id)
            assert (seen.content, seen.speaker, seen.evidence) == ("likes tea", "Avery", ("t1",))


def test_tokens_that_nobody_has_read_are_exact_once_what_waits_is_taken_in(path: Path) -> None:
    with Store.open(path) as store:
        with somebody_writes(path):
            assert tell(store, "second")
        found = backlog(store)
        texts = [row[0] for row in store.connection.execute("SELECT content FROM summary")]
        assert (found.summaries, found.tokens) == (2, sum(default_tokenizer().count_many(texts)))


def test_what_was_taken_in_is_not_taken_in_twice_when_its_file_is_still_there(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store:
        with somebody_writes(path):
            assert tell(store, "second")
        (call,) = waiting(path)
        kept = tmp_path / call.name
        shutil.copy(call, kept)
        assert take_in(store) == 1
        before = on_record(store)
        shutil.copy(kept, call)  # as if the program had ended between the commit and this
        assert take_in(store) == 1
        assert on_record(store) == before
        assert waiting(path) == []


def test_a_session_that_somebody_puts_back_says_nothing_older_than_what_is_on_record(
    path: Path, tmp_path: Path
) -> None:
    with Store.open(path) as store:
        with somebody_writes(path):
            assert tell(store, "second")
        (call,) = waiting(path)
        kept = tmp_path / call.name
        shutil.copy(call, kept)
        record(store, "second", summary="It went on.", metadata={"host": "laptop"})
        before = on_record(store)
        shutil.copy(kept, call)
        take_in(store)
        assert on_record(store) == before and waiting(path) == []
        assert find_session(store.connection, "second").metadata == {"host": "laptop"}


@pytest.mark.parametrize("text", ["", "{", "[]", '[["second"], [], [], [], 1]', '{"a": 1}'])
def test_a_call_that_cannot_be_read_keeps_nobody_from_recording(path: Path, text: str) -> None:
    put_aside(path, text, "2026")
    with Store.open(path) as store:
        assert not tell(store, "second")
        assert take_in(store) == 0
        assert len(list_sessions(store.connection)) == 2
    assert waiting(path) == [] and [call.read_text().rpartition("\n")[0] for call in refused(path)] == [text]


def _endless(call: Path) -> None:
    call.symlink_to("/dev/zero")


def _nowhere(call: Path) -> None:
    call.symlink_to(call.with_name("nowhere"))


def _too_long(call: Path) -> None:
    call.touch()
    os.truncate(call, LONGEST_CALL + 1)


_NO_CALLS = [os.mkfifo, _endless, _nowhere, _too_long, Path.mkdir] if os.name == "posix" else [Path.mkdir]


@pytest.mark.parametrize("kind", [".json", FACTS, CALLS])
@pytest.mark.parametrize("put", _NO_CALLS, ids=lambda put: put.__name__)
def test_what_is_no_file_of_a_call_is_set_aside_and_stops_nobody(
    path: Path, kind: str, put: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    spool_path(path).mkdir()
    planted = spool_path(path) / f"2026-11-27T000000.000Z-dd{kind}"
    put(planted)
    with Store.open(path) as store:
        assert unsealed(path, store.seal) == []
        assert not tell(store, "second")
    assert main(["verify", "--db", str(path)]) == 0
    with graphdream.open(path) as graph:
        assert {session.key for session in list_sessions(graph.store.connection)} == {"first", "second"}
    assert waiting(path, kind) == [] and [call.name for call in refused(path)] == [planted.name + REFUSED]
    capsys.readouterr()
    assert main(["doctor", "--db", str(path)]) == 1
    assert str(planted) in capsys.readouterr().out


def test_a_call_that_could_not_be_read_again_is_not_put_aside(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphdream.events.spool.LONGEST_CALL", 1_000)
    with pytest.raises(UnwritableError, match="1,000 bytes"):
        put_aside(path, "x" * 1_000, "2026")
    put_aside(path, "x" * 700, "2026")
    assert len(list(spool_path(path).iterdir())) == 1


def test_what_somebody_else_has_put_there_waits_until_a_person_lets_it_in(path: Path) -> None:
    with Store.open(path) as store, somebody_writes(path):
        assert tell(store, "second")
    (call,) = waiting(path)
    call.write_text(call.read_text().rpartition("\n")[0].replace("second", "planted"))
    with Store.open(path) as store:
        assert take_in(store) == 0 and refused(path) == [] and unsealed(path, store.seal) == [call]
        assert trust(store, "I wrote it").calls == (call.name,)
        assert take_in(store) == 1
        assert {session.key for session in list_sessions(store.connection)} == {"first", "planted"}


def test_a_call_that_waits_for_another_memory_is_not_taken_in(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store, somebody_writes(path):
        assert tell(store, "second")
    other = tmp_path / "other" / "memory.db"
    with Store.open(other) as store:
        tell(store, "theirs")
    shutil.copytree(spool_path(path), spool_path(other))
    with Store.open(other) as store:
        assert take_in(store) == 0
        assert len(unsealed(other, store.seal)) == 1


def test_what_waits_moves_along_with_its_memory(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store, somebody_writes(path):
        assert tell(store, "second")
    moved = tmp_path / "moved" / "memory.db"
    moved.parent.mkdir()
    path.rename(moved)
    spool_path(path).rename(spool_path(moved))
    with Store.open(moved) as store:
        assert take_in(store) == 1


@pytest.mark.skipif(not hasattr(os, "link"), reason="a file has one name here")
def test_what_waits_for_a_second_name_that_was_removed_is_named_and_can_be_let_in(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a version has left it that kept it there, beside a name that nothing else knows."""
    second = path.with_name("hard.db")
    shutil.copy(path, second)
    with Store.open(second) as store, somebody_writes(second):
        assert tell(store, "second")
    second.unlink()
    assert main(["doctor", "--db", str(path)]) == 1
    assert f"1 calls wait in {spool_path(second)} for hard.db, which is gone" in capsys.readouterr().out
    spool_path(second).rename(spool_path(path))
    assert main(["trust", "--reason", "I told it by another name", "--db", str(path)]) == 0
    with Store.open(path) as store:
        assert take_in(store) == 1
    capsys.readouterr()
    main(["doctor", "--db", str(path)])
    assert "waiting" not in capsys.readouterr().out


def test_what_an_older_version_has_left_is_taken_in_by_the_first_that_seals(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store, somebody_writes(path):
        assert tell(store, "second")
    (call,) = waiting(path)
    fresh = tmp_path / "older" / "memory.db"
    spool_path(fresh).mkdir(parents=True)
    (spool_path(fresh) / call.name).write_text(call.read_text().rpartition("\n")[0])
    with Store.open(fresh) as store:
        assert take_in(store) == 1


def test_a_call_of_another_kind_than_the_session_on_record_is_refused_and_kept(path: Path) -> None:
    with Store.open(path) as store:
        with somebody_writes(path):
            assert record(store, "first", summary="A dream of the same name.", kind="dream").spooled
        assert take_in(store) == 0
        assert len(refused(path)) == 1
        assert [session.kind for session in list_sessions(store.connection)] == ["session"]


def test_opening_a_memory_takes_in_what_waits(path: Path) -> None:
    with Store.open(path) as store, somebody_writes(path):
        assert tell(store, "second")
    with graphdream.open(path) as graph:
        assert find_session(graph.store.connection, "second").key == "second"


def test_what_waits_of_a_purged_session_does_not_come_back(path: Path) -> None:
    with Store.open(path) as store, somebody_writes(path):
        assert tell(store, "second")
    with graphdream.open(path) as graph:
        with somebody_writes(path):
            assert tell(graph.store, "second")
        graph.purge("second", session=True)
        assert waiting(path) == [] and take_in(graph.store) == 0
        with pytest.raises(NotFoundError):
            find_session(graph.store.connection, "second")
    assert b"What second" not in path.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL here")
def test_a_hook_that_is_killed_beside_a_pass_leaves_its_session_once_or_not_at_all(path: Path) -> None:
    chance = random.Random(11)
    acknowledged = []
    for number in range(KILLS):
        with somebody_writes(path):
            words = ["record", "--session-id", f"killed-{number}", "--summary", f"Session {number}.", "--json"]
            hook = subprocess.Popen(
                [sys.executable, "-m", "graphdream", *words, "--db", str(path)], cwd=PROJECT, text=True,
                stdout=subprocess.PIPE,
            )  # fmt: skip
            time.sleep(chance.uniform(1.8, 3.2))
            hook.send_signal(signal.SIGKILL)
            out, _ = hook.communicate()
            if hook.returncode == 0:
                assert json.loads(out)["spooled"]
                acknowledged.append(f"killed-{number}")
        with Store.open(path) as store:
            take_in(store)
            keys = [session.key for session in list_sessions(store.connection)]
            assert len(keys) == len(set(keys)) and set(acknowledged) <= set(keys)
            half = "SELECT count(*) FROM session WHERE id NOT IN (SELECT session_id FROM summary)"
            assert store.connection.execute(half).fetchone()[0] == 0
    assert waiting(path) == [] and refused(path) == []


def _adding(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one session meet a fault where it is written."""

    def adding(connection: sqlite3.Connection, told: Told) -> Recorded:
        if told.header.key == "second":
            raise fault
        return add(connection, told)

    monkeypatch.setattr("graphdream.events.record.add", adding)


def test_a_fault_that_nobody_foresaw_keeps_nobody_behind_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(path) as store:
        with somebody_writes(path):
            assert tell(store, "second") and tell(store, "third")
        _adding(RuntimeError("nobody foresaw this"), monkeypatch)
        assert take_in(store) == 1
        assert {session.key for session in list_sessions(store.connection)} == {"first", "third"}
    assert waiting(path) == [] and len(refused(path)) == 1


@pytest.mark.parametrize(
    ("said", "code"),
    [("database disk image is malformed", sqlite3.SQLITE_CORRUPT), ("database or disk is full", sqlite3.SQLITE_FULL)],
)
def test_a_fault_of_the_database_sets_nothing_aside(
    path: Path, said: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = sqlite3.DatabaseError(said)
    fault.sqlite_errorcode = code
    with Store.open(path) as store:
        with somebody_writes(path):
            assert tell(store, "second")
        with monkeypatch.context() as patch, pytest.raises(sqlite3.DatabaseError, match=said):
            _adding(fault, patch)
            take_in(store)
        assert refused(path) == [] and len(waiting(path)) == 1
        assert take_in(store) == 1
