"""What was recorded must not be kept from a dream by a row that was forged."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from tests.support.attacks import shell


@pytest.fixture
def unread(memory: Path) -> Path:
    """Two sessions and an observation that no pass has read."""
    with Store.open(memory) as store:
        record(store, "s8", summary="Ada sold the boat.")
        record(store, "s9", transcript=[{"role": "user", "content": "Ada moved the log to Postgres 17."}])
        with store.writing():
            store.connection.execute(
                "INSERT INTO observation (session_id, position, speaker, content)"
                " SELECT id, 7, 'user', 'Ada rows.' FROM session WHERE key = 's8'"
            )
    return memory


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE summary SET read_by = 1", "summary 3"),
        ("UPDATE turn SET read_by = 1 WHERE read_by IS NULL", "turn 2"),
        ("UPDATE observation SET read_by = 1 WHERE read_by IS NULL", "observation 2"),
        ("UPDATE session SET kind = 'dream' WHERE key = 's9'", "turn 2"),
        ("UPDATE turn SET session_id = 1, position = 9 WHERE id = 2", "turn 2"),
    ],
)
def test_what_a_row_hides_from_a_dream_is_told(
    sql: str, named: str, unread: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(unread)]
    with shell(unread) as c:
        assert c.execute(sql).rowcount
    capsys.readouterr()
    assert main(["dream", *db]) == 1
    assert named in capsys.readouterr().err
    assert main(["dream", "--accept-damage", *db]) == 0


def test_it_is_looked_at_as_far_back_as_nothing_was_read(unread: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(unread) as store:
        for number in range(300):
            record(store, f"many-{number}", summary=f"Ada rowed {number} times.")
    with shell(unread) as c:
        assert c.execute("UPDATE summary SET read_by = 1 WHERE id = 3").rowcount
    capsys.readouterr()
    assert main(["dream", "--db", str(unread)]) == 1
    assert "summary 3 was changed" in capsys.readouterr().err


def test_a_dream_that_nobody_has_kept_anything_from_goes_on(unread: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        capsys.readouterr()
        assert main(["dream", "--db", str(unread)]) == 0
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE attribute SET content = 'Ada moved the log to Postgres 17.' WHERE id = 1", " a1 was"),
        ("UPDATE attribute SET authority = 'inferred' WHERE id = 1", " a1 was"),
        ("UPDATE entity SET type = 'place' WHERE name = 'Ada'", " e1 was"),
        ("UPDATE alias SET name = 'Mallory' WHERE entity_id = 1", "alias "),
    ],
)
def test_what_is_known_of_whom_a_session_names_is_looked_at(
    sql: str, named: str, unread: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seen: a fact that was forged to say what a session told, and a dream that folded the two."""
    db = ["--db", str(unread)]
    with shell(unread) as c:
        assert c.execute(sql).rowcount
    for words in (["dream", "--dry-run"], ["dream"]):
        capsys.readouterr()
        assert main([*words, *db]) == 1, words
        assert named in capsys.readouterr().err
    assert main(["dream", "--accept-damage", *db]) == 0


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE meta SET value = '999999' WHERE key = 'looked_at'", "meta was changed"),
        ("UPDATE finding SET disposition = 'declined'", "finding was changed"),
        ("UPDATE finding SET kind = 'nobody'", "finding was changed"),
    ],
)
def test_what_a_dream_is_said_to_have_looked_at_is_looked_at_itself(
    sql: str, named: str, unread: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with shell(unread) as c:
        assert c.execute(sql).rowcount
    capsys.readouterr()
    assert main(["dream", "--db", str(unread)]) == 1
    assert named in capsys.readouterr().err
    assert main(["dream", "--accept-damage", "--db", str(unread)]) == 0
