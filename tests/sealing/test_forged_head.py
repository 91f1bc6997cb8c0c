"""A head that is no head: told and mended as one that was taken away, whatever stands in its place."""

from __future__ import annotations

import json

import pytest

from graphdream.interfaces.cli import main
from tests.support.attacks import World, shell

OTHERWISE = {
    "a list": "[]",
    "nothing": "null",
    "a number": "3",
    "a text": '"x"',
    "no object at all": "{",
    "deeper than can be read": "[" * 100_000,
    "without most of it": '{"file":"x","notes":5}',
}
FIELDS = {
    "file": 3, "count": "12", "pass": 1, "change": None, "trees": [], "place": 4, "places": {}, "since": "1",
    "notes": 5,
}  # fmt: skip


def run(world: World, *words: str) -> int:
    return main([*words, "--db", str(world.memory)])


@pytest.mark.parametrize("state", OTHERWISE.values(), ids=OTHERWISE)
def test_another_text_is_a_head_that_was_taken_away(
    state: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    with shell(world.memory) as c:
        c.execute("UPDATE seal SET state = ?", (state,))
    mended(world, capsys)


@pytest.mark.parametrize("field", FIELDS)
def test_so_is_a_field_of_another_kind(field: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    with shell(world.memory) as c:
        (state,) = c.execute("SELECT state FROM seal").fetchone()
        c.execute("UPDATE seal SET state = ?", (json.dumps(json.loads(state) | {field: FIELDS[field]}),))
    mended(world, capsys)


@pytest.mark.parametrize("column", ["key", "mac", "state"])
def test_so_is_what_cannot_be_read_as_text(column: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    with shell(world.memory) as c:
        c.execute(f"UPDATE seal SET {column} = CAST(x'ff00' AS TEXT)")
    mended(world, capsys)


def mended(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told, nothing is written, and a person takes the file as it is."""
    for words in (["verify"], ["trust"], ["dream"], ["export"]):
        capsys.readouterr()
        assert run(world, *words) == 1, words
        said = capsys.readouterr()
        assert "the head of the file was taken away" in said.out + said.err
    assert run(world, "recall", "Grace sails") == 0
    assert run(world, "doctor") != 70
    assert run(world, "trust", "--reason", "I looked at it") == 0
    capsys.readouterr()
    for words in (["verify"], ["trust"], ["dream"], ["recall", "Grace sails"]):
        assert run(world, *words) == 0, words
        assert capsys.readouterr().err == ""
