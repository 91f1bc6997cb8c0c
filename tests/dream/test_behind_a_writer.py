"""What a hook calls waits two seconds behind a writer, then it is kept for the next command, which does it."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import graphdream
from graphdream.dream.later import StillWaitsError, in_turn, put_off, put_off_call, take_in_told
from graphdream.dream.lease import hold
from graphdream.errors import UnwritableError
from graphdream.events.patience import PATIENCE_SECONDS
from graphdream.events.spool import CALLS, FACTS, put_aside, refused, seal_call, spool_path, waiting
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify

LONGEST = PATIENCE_SECONDS + 2.5  # with the start of everything that is loaded


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory with two facts and a session."""
    path = tmp_path / "memory.db"
    for text in ("Grace writes compilers", "Grace likes ships"):
        assert main(["remember", text, "--wait", "--category", "person/Grace/work", "--db", str(path)]) == 0
    assert main(["record", "--session", "s0", "--summary", "Grace wrote one.", "--db", str(path)]) == 0
    return path


@contextmanager
def somebody_writes(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def count(path: Path, question: str) -> object:
    with Store.open(path) as store:
        return store.connection.execute(question).fetchone()[0]


@pytest.mark.parametrize(
    ("words", "question", "before", "after"),
    [
        (["feedback", "a1", "used", "--session", "s0"], "SELECT count(*) FROM recall_feedback", 0, 1),
        (["feedback", "good", "--kind", "summary", "--session", "s0"],
         "SELECT count(*) FROM observed WHERE kind = 'feedback'", 0, 1),
        (["working", "put", "plan", "go on"], "SELECT count(*) FROM working_memory", 0, 1),
        (["pin", "e1"], "SELECT count(*) FROM entity WHERE pinned", 0, 1),
        (["constraint", "a1"], "SELECT count(*) FROM attribute WHERE kind = 'constraint'", 0, 1),
        (["remember", "Grace sails", "--wait"], "SELECT count(*) FROM attribute WHERE content = 'Grace sails'", 0, 1),
        (["context", "--session", "s9", "--message", "ships", "--mark"],
         "SELECT count(*) > 0 FROM injected WHERE session_key = 's9'", 0, 1),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)  # fmt: skip
def test_a_call_of_a_hook_is_kept_and_done_by_the_next_command(
    words: list[str], question: str, before: int, after: int, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert count(path, question) == before
    with somebody_writes(path):
        began = time.monotonic()
        capsys.readouterr()
        assert main([*words, "--db", str(path)]) == 0
        assert time.monotonic() - began < LONGEST
        said = capsys.readouterr().out
        assert "next command" in said if words[0] != "context" else "Grace likes ships" in said
        assert count(path, question) == before
        assert len(waiting(path, CALLS) + waiting(path, FACTS)) == 1
    assert main(["passes", "--db", str(path)]) == 0
    assert count(path, question) == after
    assert waiting(path, CALLS) == waiting(path, FACTS) == refused(path) == []
    with Store.open(path) as store:
        assert verify(store).ok


def test_the_library_gives_a_context_behind_a_writer_too(path: Path) -> None:
    with graphdream.open(path) as graph, somebody_writes(path):
        began = time.monotonic()
        assert "Grace likes ships" in graph.context("s9", "ships").text
        assert time.monotonic() - began < LONGEST and len(waiting(path, CALLS)) == 1
    with graphdream.open(path) as graph:
        assert "Grace likes ships" not in graph.context("s9", "ships").text


def test_beside_a_pass_a_hook_does_not_wait(path: Path) -> None:
    with graphdream.open(path) as graph, Store.open(path) as dreaming, hold(dreaming), somebody_writes(path):
        began = time.monotonic()
        assert graph.record_session("s5", summary="Grace rowed.").spooled
        assert "Grace likes ships" in graph.context("s9", "ships").text
        assert time.monotonic() - began < PATIENCE_SECONDS
    with graphdream.open(path) as graph:
        assert graph.status().backlog.summaries == 2 and waiting(path) == []


def test_a_kept_call_that_cannot_be_done_is_set_aside_and_told(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with somebody_writes(path):
        assert main(["pin", "Nobody of this name", "--db", str(path)]) in (0, 6)
    put_aside(path, '{"call": "edit", "now": "2026-01-01T00:00:00Z", "mutations": [{"op": "pin", "entity": "e99"}],'
                    ' "by": "user"}', "2026-01-01T00:00:00Z", CALLS, key="x")  # fmt: skip
    assert main(["passes", "--db", str(path)]) == 0
    assert "cannot be made" in capsys.readouterr().err
    assert len(refused(path)) >= 1 and waiting(path, CALLS) == []


def started(path: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "graphdream", *words, "--db", str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


@pytest.mark.parametrize(
    ("first", "second", "question", "after"),
    [
        (["pin", "e1"], ["unpin", "e1"], "SELECT pinned FROM entity WHERE id = 1", 0),
        (["pin", "e1"], ["edit", '{"op": "unpin", "entity": "e1"}'], "SELECT pinned FROM entity WHERE id = 1", 0),
        (["working", "put", "plan", "old"], ["working", "put", "plan", "new"],
         "SELECT value FROM working_memory", "new"),
        (["working", "put", "plan", "old"], ["working", "drop", "plan"], "SELECT count(*) FROM working_memory", 0),
        (["remember", "Grace sails", "--wait"], ["remember", "Grace rows", "--wait"],
         "SELECT group_concat(content) FROM (SELECT content FROM attribute WHERE id > 2 ORDER BY id)",
         "Grace sails,Grace rows"),
        (["feedback", "a1", "used", "--note", "old"], ["feedback", "a1", "used", "--note", "new"],
         "SELECT note FROM recall_feedback", "old"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)  # fmt: skip
def test_what_waits_is_done_before_what_is_told_after_it(
    first: list[str], second: list[str], question: str, after: object, path: Path
) -> None:
    with somebody_writes(path):
        assert "next command" in ended(started(path, *first))
        later = started(path, *second)
        time.sleep(1.2)  # by now it waits for whoever writes, and has seen that it can take in nothing
    ended(later)
    assert count(path, question) == after
    assert main(["passes", "--db", str(path)]) == 0
    assert count(path, question) == after
    assert waiting(path, CALLS, FACTS) == refused(path) == []
    with Store.open(path) as store:
        assert verify(store).ok


def test_what_waits_is_taken_in_as_it_was_told_whatever_it_is(path: Path) -> None:
    for _ in range(3):  # within a millisecond or two
        put_off_call(path, "edit", mutations=[{"op": "pin", "entity": "e1"}], by="user")
        put_off_call(path, "edit", mutations=[{"op": "unpin", "entity": "e1"}], by="user")
    put_off(path, "Grace sails", category="person/Grace/work")
    put_off_call(path, "edit", mutations=[{"op": "mark_constraint", "attribute": "a3"}], by="user")
    with Store.open(path) as store:
        before = store.connection.execute("SELECT max(id) FROM pass").fetchone()[0]
        assert take_in_told(store) == 8
        told = store.connection.execute(
            "SELECT kind, coalesce(summary, '') FROM pass WHERE id > ? ORDER BY id", (before,)
        ).fetchall()
        assert [row[0] for row in told] == ["edit"] * 6 + ["remember", "edit"]
        assert ["not pinned" in row[1] for row in told[:6]] == [False, True] * 3 and refused(path) == []
        assert verify(store).ok


def test_a_call_waits_behind_what_takes_longer_than_a_hook_can(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(path) as store:
        for text in ("Grace sails", "Grace rows"):
            put_off(path, text, category="person/Grace/work")
        with pytest.raises(StillWaitsError), in_turn(store, 0):
            raise AssertionError("it is not its turn")
        assert len(waiting(path, FACTS)) == 2
        monkeypatch.setattr("graphdream.interfaces.opening.take_in_waiting", lambda store, refusing: store)
        monkeypatch.setattr("graphdream.events.patience.PATIENCE_SECONDS", 0.0)
        capsys.readouterr()
        assert main(["pin", "e1", "--db", str(path)]) == 0
        assert "what was told before is still being taken in; it waits" in capsys.readouterr().out
        assert len(waiting(path, FACTS)) == 2 and len(waiting(path, CALLS)) == 1
        assert take_in_told(store) == 3
    assert count(path, "SELECT kind FROM pass ORDER BY id DESC LIMIT 1") == "edit"


def test_a_call_that_fails_takes_nothing_of_what_waits_with_it(path: Path) -> None:
    with Store.open(path) as store:
        put_off(path, "Grace sails", category="person/Grace/work")
        with pytest.raises(ZeroDivisionError), in_turn(store):
            1 // 0  # noqa: B018
        assert take_in_told(store) == 1
    assert count(path, "SELECT count(*) FROM attribute WHERE content = 'Grace sails'") == 1


def test_an_edit_that_changes_nothing_within_what_waits_leaves_no_pass(path: Path) -> None:
    for _ in range(2):
        put_off(path, "Grace sails", category="person/Grace/work", valid_from="2020")
        put_off_call(path, "edit", mutations=[{"op": "pin", "entity": "e1"}], by="user")
    with Store.open(path) as store:
        with in_turn(store):
            pass
        assert store.connection.execute("SELECT count(*) FROM pass WHERE status = 'open'").fetchone()[0] == 0
        assert waiting(path, FACTS, CALLS) == refused(path) == [] and verify(store).ok


def test_a_call_that_was_taken_in_is_not_taken_in_again_when_somebody_puts_it_back(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    with somebody_writes(path):
        assert main(["pin", "e1", "--db", str(path)]) == 0
        assert main(["remember", "Grace sails", "--db", str(path)]) == 0
    shutil.copytree(spool_path(path), kept)
    assert main(["unpin", "e1", "--db", str(path)]) == 0
    told = "SELECT (SELECT pinned FROM entity WHERE id = 1) || ' ' || (SELECT sum(reinforcement) FROM attribute)"
    before = count(path, told)
    time.sleep(0.1)  # a file system's clock may be a few milliseconds behind
    shutil.copytree(kept, spool_path(path), dirs_exist_ok=True)
    capsys.readouterr()
    assert main(["passes", "--db", str(path)]) == 0
    err = capsys.readouterr().err
    assert "a call that waited ('edit') cannot be made: it was taken in at" in err
    assert "'Grace sails' is not remembered: it was taken in at" in err
    assert count(path, told) == before and waiting(path, CALLS, FACTS) == []
    assert main(["doctor", "--db", str(path)]) == 1
    said = capsys.readouterr().out
    assert all(str(file) in said for file in refused(path)) and len(refused(path)) == 2
    with Store.open(path) as store:
        assert verify(store).ok


def test_a_call_that_nobody_had_time_to_discard_is_no_second_one(path: Path) -> None:
    call = put_off_call(path, "edit", mutations=[{"op": "pin", "entity": "e1"}], by="user")
    with Store.open(path) as store:
        with pytest.MonkeyPatch.context() as patch:  # as if the program had ended before
            patch.setattr("graphdream.dream.later.discard", lambda calls: None)
            assert take_in_told(store) == 1 and call.exists()
        assert take_in_told(store) == 1
    assert waiting(path, CALLS) == refused(path) == []
    assert count(path, "SELECT count(*) FROM pass WHERE kind = 'edit'") == 1


def test_what_says_that_a_call_was_taken_in_is_sealed(path: Path, tmp_path: Path) -> None:
    call = put_off_call(path, "edit", mutations=[{"op": "pin", "entity": "e1"}], by="user")
    shutil.copy(call, tmp_path / call.name)
    with Store.open(path) as store:
        assert take_in_told(store) == 1
    with closing(sqlite3.connect(path, isolation_level=None)) as stranger:
        stranger.create_function("gd_seal", -1, lambda *told: None)
        assert stranger.execute("DELETE FROM meta WHERE key LIKE 'taken in %'").rowcount == 1
    shutil.copy(tmp_path / call.name, call)
    with Store.open(path) as store:
        assert take_in_told(store) == 0 and call.exists()
        assert not verify(store).ok


def bad_entries(folder: Path) -> list[Path]:
    """Everything that does not belong into a spool, under the names of what does."""
    folder.mkdir(exist_ok=True)
    made = []
    texts = {
        "half": '[["k", "session", nu', "blank": "", "null": "null", "number": "7", "list": "[]", "deep": "[" * 200_000,
        "object": "{}", "types": '[[1, 2, 3, 4, 5], 6, 7, 8, 9]', "huge": '[["k","session",null,null,{}],[1e999],[],[],"t"]',
        "long": "9" * 5_000, "facts": '{"text": 7}', "calls": '{"call": "nothing"}', "wrong": '{"call": "note", "now": 7}',
        "kinds": '[["k", "nokind", null, null, {}], ["x"], [], [], "2026-01-01T00:00:00Z"]',
    }  # fmt: skip
    for kind in (".json", ".fact", ".call"):
        for name, text in texts.items():
            made.append(folder / f"2020-{name}{kind}")
            made[-1].write_text(text, encoding="utf-8")
            seal_call(made[-1])  # what has no seal of ours is not looked at
        made.append(folder / f"2020-bytes{kind}")
        made[-1].write_bytes(b"\xff\xfe\x00\xd8")
        made.append(folder / f"2020-folder{kind}")
        made[-1].mkdir()
        made.append(folder / f"2020-link{kind}")
        made[-1].symlink_to("/dev/mem/none")
    return made


def test_bad_entries_of_the_spool_stop_nobody(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = bad_entries(spool_path(path))
    with somebody_writes(path):
        assert main(["record", "--session", "s1", "--summary", "Told among bad ones.", "--db", str(path)]) == 0
    for words in (["verify"], ["status"], ["recall", "ships"], ["record", "--session", "s2", "--summary", "After."]):
        assert main([*words, "--db", str(path)]) == 0, words
    assert count(path, "SELECT count(*) FROM session") == 3
    assert len(waiting(path) + waiting(path, FACTS) + waiting(path, CALLS)) <= 3  # links to nowhere
    assert len(refused(path)) >= len(made) - 3
    capsys.readouterr()
    assert main(["doctor", "--db", str(path)]) == 1
    told = capsys.readouterr().out
    assert "could not be taken in" in told and "2020-" in told and f"more in {spool_path(path)}" in told
    with Store.open(path) as store:
        assert verify(store).ok


def test_where_nothing_can_be_kept_that_is_said(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spool_path(path).write_text("a file, no folder", encoding="utf-8")
    with somebody_writes(path):
        assert main(["record", "--session", "s1", "--summary", "Nowhere to go.", "--db", str(path)]) == 3
    assert "what was told is lost" in capsys.readouterr().err
    assert main(["record", "--session", "s1", "--summary", "Nowhere to go.", "--db", str(path)]) == 0
    assert main(["verify", "--db", str(path)]) == 0
    assert main(["doctor", "--db", str(path)]) == 1
    with pytest.raises(UnwritableError):
        put_aside(path, "{}", "2026-01-01T00:00:00Z")
