"""What only leads to rows, and is none: lists of what is unread, and figures by which turns are ranked."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.clock import shifted, utc_now
from graphdream.events.record import record
from graphdream.graph import sealedwrite
from graphdream.graph.sealhead import write_head
from graphdream.graph.sealindexes import CONSTRAINTS, TALK, UNREAD, digests
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.attacks import shell

UNREAD_WORDS = "the list of what no pass has read was changed"
FIGURES_WORDS = "the figures by which turns are ranked were changed"


@pytest.fixture
def unread(memory: Path) -> Path:
    """Two sessions and an observation that no pass has read, so long ago that one is due for them."""
    long_ago = shifted(utc_now(), -400 * 3600)
    with Store.open(memory) as store:
        record(store, "s8", summary="Ada sold the boat.")
        record(store, "s9", transcript=[{"role": "user", "content": "Ada moved the log to Postgres 17."}])
        with store.writing():
            store.connection.execute(
                "INSERT INTO observation (session_id, position, speaker, content)"
                " SELECT id, 7, 'user', 'Ada rows.' FROM session WHERE key = 's8'"
            )
            store.connection.execute("UPDATE dream_state SET last_pass_at = ?1, last_checked_at = ?1", (long_ago,))
    return memory


def forge(path: Path, *statements: str) -> None:
    with shell(path) as c:
        for sql in statements:
            assert c.execute(sql).rowcount, sql


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE summary SET read_by = 1 WHERE read_by IS NULL",
        "UPDATE turn SET read_by = 1 WHERE read_by IS NULL",
        "UPDATE observation SET read_by = 1 WHERE read_by IS NULL",
        "UPDATE summary SET read_by = NULL WHERE id = 1",
    ],
)
def test_what_is_said_to_have_been_read_is_told_on_opening(
    sql: str, unread: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(unread)]
    assert main(["status", *db]) == 0
    assert capsys.readouterr().err == ""
    forge(unread, sql)
    for words in (["status"], ["recall", "boat"], ["context", "--session", "s1", "--message", "boat"]):
        assert main([*words, *db]) == 0
        told = capsys.readouterr()
        assert UNREAD_WORDS in told.err + told.out, words
    assert main(["remember", "Ada rows.", "--wait", *db]) == 1


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE summary SET read_by = 1 WHERE read_by IS NULL; UPDATE turn SET read_by = 1 WHERE read_by IS NULL", ""),
        ("UPDATE session SET kind = 'dream' WHERE key IN ('s8', 's9')", "turn 2"),
    ],
)
def test_no_pass_is_said_not_to_be_due_by_rows_that_were_forged(
    sql: str, named: str, unread: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(unread)]
    forge(unread, *sql.split("; "))
    assert main(["dream", "--if-due", *db]) == 1
    assert named in capsys.readouterr().err
    assert main(["status", *db]) == 0
    assert named in capsys.readouterr().err
    assert main(["dream", "--if-due", "--accept-damage", *db]) == 0


def test_a_sound_memory_dreams_when_it_is_due(unread: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["dream", "--if-due", "--db", str(unread)]) == 0
        assert capsys.readouterr().err == ""


FIGURES = {
    "all of the talk": "UPDATE talk_shape SET chars = 99999",
    "none of the talk": "DELETE FROM talk_shape",
    "a speaker": "UPDATE speaker_shape SET name = 'Mallory'",
    "a session": "UPDATE session_shape SET chars = 99999",
    "a session gone": "DELETE FROM session_shape",
    "a turn": "UPDATE turn_shape SET chars = 99999",
    "a turn gone": "DELETE FROM turn_shape",
}


@pytest.mark.parametrize("edit", FIGURES)
def test_figures_of_the_talk_that_were_changed_are_told_and_made_anew(
    edit: str, unread: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(unread)]
    question = ["recall", "Where is the log of Ada", "--json", *db]
    assert main(question) == 0
    before = capsys.readouterr()
    assert '"t1"' in before.out and before.err == ""
    forge(unread, FIGURES[edit])
    assert main(question) == 0
    told = capsys.readouterr()
    assert FIGURES_WORDS in told.err and '"t1"' in told.out
    assert main(["verify", *db]) == 1
    assert FIGURES_WORDS in capsys.readouterr().out
    assert main(["doctor", "--mend-schema", *db]) == 0
    assert "made the figures by which turns are ranked anew" in capsys.readouterr().out
    assert main(["verify", *db]) == 0
    capsys.readouterr()
    assert main(question) == 0
    assert capsys.readouterr() == before


def test_a_head_of_a_version_that_says_nothing_of_these_lists_is_no_alarm(
    unread: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_before(connection: Any, key: Any, state: dict[str, Any], file_key: bytes) -> Any:
        for name in (UNREAD, TALK):
            state["indexes"].pop(name)
        return write_head(connection, key, state, file_key)

    with monkeypatch.context() as before, Store.open(unread) as store:
        before.setattr(sealedwrite, "write_head", of_before)
        record(store, "s10", summary="Ada bought another boat.")
    with Store.open(unread) as store:
        assert {UNREAD, TALK}.isdisjoint(store.seal.head().state["indexes"])
        assert store.seal.faults(anew=True) == []
        record(store, "s11", transcript=[{"role": "user", "content": "Ada sold it."}])
        assert {UNREAD, TALK} <= set(store.seal.head().state["indexes"])


def test_constraints_are_listed_as_earlier_versions_listed_them(memory: Path):
    """What they sealed is opened: a digest of ids that commas join, where later lists are joined by line feeds."""
    with graphdream.open(memory) as graph:
        for handle in ("a1", "a2"):
            graph.edit({"op": "mark_constraint", "attribute": handle})
        connection = graph.store.connection
        ids = connection.execute(
            "SELECT id FROM attribute WHERE kind = 'constraint' AND status = 'active' ORDER BY importance DESC, id"
        ).fetchall()
        record = (",".join(str(row[0]) for row in ids),)
        sealed = hashlib.blake2b(repr(record).encode(), digest_size=8, person=b"gd index").hexdigest()
        assert len(ids) > 1 and digests(connection)[CONSTRAINTS] == sealed
