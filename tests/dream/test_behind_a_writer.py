"""What a hook calls waits two seconds behind a writer, then it is kept for the next command, which does it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import graphdream
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
