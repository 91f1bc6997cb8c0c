"""What is held, purged or replayed rests on no forged pass."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphdream
from graphdream.interfaces.cli import main
from tests.support.attacks import REPLACED, World, change, shell

SAME = ("The harbour of Quay opens at six.", "The harbour of Quay opens at 6.")


@pytest.fixture
def held(world: World) -> World:
    """A memory in which a person has taken back a fold of two facts, which the next dream would make again."""
    with graphdream.open(world.memory) as graph:
        first, second = (graph.remember(fact, category="place/Quay/hours").handle for fact in SAME)
        folded = graph.edit(
            {"op": "merge_attributes", "source": [first], "target": second, "reason": "the same hour"}
        ).pass_id
        graph.undo(folded)
    return world


def run(world: World, *words: str) -> int:
    return main([*words, "--db", str(world.memory)])


def forge(path: Path, sql: str) -> None:
    with shell(path) as c:
        assert c.execute(sql).rowcount


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE pass SET undone_by = NULL WHERE undone_by IS NOT NULL",
        "UPDATE pass SET undone_by = 1 WHERE id = 2",
        "UPDATE mutation SET body = replace(body, 'hour', 'day') WHERE op = 'merge_attributes'",
        "UPDATE change SET diff = '{}' WHERE op = '~' AND pass_id = (SELECT max(id) FROM pass WHERE undone_by > 0)",
    ],
    ids=["let go", "held", "another mutation", "another change"],
)
def test_what_is_held_is_no_matter_of_a_forged_pass(sql: str, held: World, capsys: pytest.CaptureFixture[str]) -> None:
    forge(held.memory, sql)
    capsys.readouterr()
    assert run(held, "dream") == 1
    said = capsys.readouterr().err
    assert "not as it was sealed" in said and "pass " in said


def test_a_dream_goes_on_where_only_a_pass_was_forged_that_nothing_is_held_by(held: World) -> None:
    forge(held.memory, "UPDATE pass SET model = 'gpt-9' WHERE kind = 'remember' AND undone_by IS NULL")
    assert run(held, "dream") == 0


def test_a_replay_takes_nothing_from_a_forged_pass(held: World, capsys: pytest.CaptureFixture[str]) -> None:
    change(held)
    for words in (["replay", "5"], ["replay", str(REPLACED), "--level", "2"], ["explain", "a1", "a2"]):
        capsys.readouterr()
        code = run(held, *words)
        said = capsys.readouterr()
        assert (code == 1 and f"pass {REPLACED} was changed" in said.err) or words[0] == "explain"


def test_a_purge_erases_nothing_by_a_forged_pass(held: World, capsys: pytest.CaptureFixture[str]) -> None:
    change(held)
    capsys.readouterr()
    assert run(held, "purge", "a2", "--yes") == 1
    assert f"pass {REPLACED} was changed" in capsys.readouterr().err
    with graphdream.open(held.memory) as graph:
        assert graph.store.connection.execute("SELECT count(*) FROM attribute WHERE id = 2").fetchone()[0] == 1
