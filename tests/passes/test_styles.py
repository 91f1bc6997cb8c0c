"""Every pass that asks a model, with answers of every style and of ill will, through the real runner on a real file."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphdream.dreamers.client.base import Reply, Usage
from graphdream.passes.registry import kinds
from support.models import ScriptedClient

from .conftest import World
from .full_day import full_day, right

ASKING = [kind.name for kind in kinds() if kind.ask is not None]


def snake(text: str) -> str:
    """The names of the fields with underscores."""
    return re.sub(r'"(\w+)":', lambda found: '"' + re.sub("([A-Z])", r"_\1", found[1]).lower() + '":', text)


STYLES = {
    "fence": lambda text: f"```json\n{text}\n```",
    "think": lambda text: f'<think>Perhaps {{a}}, or {{"toDelete": ["a1"]}}?</think>\n{text}',
    "open think": lambda text: f"The user wants {{}} braces.</think>{text}",
    "prose": lambda text: f"I looked at all of it.\n\n{text}\n\nThat is all, {{}} as you asked.",
    "commas": lambda text: text.replace("]}", ",]}"),
    "snake case": snake,
    "a second thought": lambda text: f'{{"summary": "first"}}\nNo, better:\n{text}',
}


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The full day, once; each test works on a copy."""
    folder = tmp_path_factory.mktemp("day")
    world = World(folder / "memory.db")
    full_day(world)
    world.graph.close()
    return world


@pytest.fixture
def world(day: World, tmp_path: Path) -> Iterator[World]:
    """A copy of it."""
    made = copied(day, tmp_path)
    yield made
    made.graph.close()


def copied(day: World, folder: Path) -> World:
    """A copy of a memory that is closed, at the same time."""
    for file in day.folder.iterdir():
        shutil.copy(file, folder)
    made = World(folder / "memory.db")
    made.now = day.now
    return made


def snapshot(world: World) -> dict[int, tuple[str, str]]:
    """Each fact's words and status."""
    rows = world.graph.store.connection.execute("SELECT id, content, status FROM attribute")
    return {row[0]: (row[1], row[2]) for row in rows}


@pytest.fixture(scope="module")
def plainly(day: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The graph's hash after each pass with its answer in plain JSON."""
    found = {}
    for name in ASKING:
        world = copied(day, tmp_path_factory.mktemp("plain"))
        world.model(name, json.dumps(right(world, name), ensure_ascii=False))
        found[name] = world.hash
        world.graph.close()
    return found


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ASKING)
def test_every_pass_takes_its_answer_in_every_style(
    world: World, name: str, style: str, plainly: dict[str, str]
) -> None:
    done = world.model(name, STYLES[style](json.dumps(right(world, name), ensure_ascii=False)))
    assert done.status == "applied" and done.counts["failed"] == 0, (done.reason, done.proposals)
    assert done.counts["applied"] >= 1 and len(world.client.sent) == 1
    assert world.hash == plainly[name], "the same words make the same graph"


def _spoilt(value: Any, how: dict[str, str]) -> Any:
    """An answer with every text at certain places replaced."""
    if isinstance(value, dict):
        return {
            key: [how[key]] * len(part) if key in how and isinstance(part, list) and all(isinstance(one, str) for one in part)
            else how[key] if key in how and isinstance(part, str) else _spoilt(part, how)
            for key, part in value.items()
        }  # fmt: skip
    return [_spoilt(part, how) for part in value] if isinstance(value, list) else value


OF_SKILLS = ("skill-gap", "skill-consolidation", "skill-optimization")
IDS = ("sourceIds", "toDelete", "sourceNames", "seeAlso", "id", "session", "sessions", "name")
WORDS = ("content", "annotation", "summary", "steps", "reflection")
HARMFUL = {
    "invented ids": lambda answer: _spoilt(answer, dict.fromkeys(IDS, "a4711")),
    "ids of another kind": lambda answer: _spoilt(answer, dict.fromkeys(IDS, "e1")),
    "ids that are none": lambda answer: _spoilt(answer, dict.fromkeys(IDS, "'; DROP TABLE attribute; --")),
    "blank": lambda answer: _spoilt(answer, dict.fromkeys(WORDS, "  \n")),
    "blank ids": lambda answer: _spoilt(answer, dict.fromkeys(IDS, "")),
    "invented words": lambda answer: _spoilt(answer, dict.fromkeys(("content", "annotation"), "Atlantis rose in 1873.")),
    "nothing": lambda answer: {},
    "nulls": lambda answer: dict.fromkeys(answer),
}  # fmt: skip


@pytest.mark.parametrize("how", HARMFUL)
@pytest.mark.parametrize("name", ASKING)
def test_an_answer_with_wrong_ids_or_blanks_takes_nothing_away(world: World, name: str, how: str) -> None:
    world.run(name)
    before, hash_before = snapshot(world), world.hash
    done = world.model(name, json.dumps(HARMFUL[how](right(world, name))))
    assert done.status in ("applied", "failed") and done.reason.count("\n") == 0 and len(done.reason) < 600
    after = snapshot(world)
    gone = [after.get(number) for number, was in before.items() if after.get(number) != was]
    if name in OF_SKILLS and how == "invented words":
        assert all(now and now[1] == "superseded" for now in gone), "the steps of a skill are the model's to write"
        gone = []
    assert gone == [], "what was there is there"
    if name not in OF_SKILLS:
        assert not any("Atlantis" in text for text in world.facts()), "what nothing says is not saved"
    assert world.graph.verify().ok
    if done.status == "applied":
        world.graph.undo(done.pass_id or 0)
        assert world.hash == hash_before


@pytest.mark.parametrize("name", ASKING)
def test_an_answer_that_deletes_everything_destroys_nothing(world: World, name: str) -> None:
    world.run(name)
    before, hash_before = snapshot(world), world.hash
    names = [skill.name for skill in world.graph.skills.all()]
    assert len(names) == 4
    everything = [f"a{number}" for number in before] + [f"A{number}" for number in before] + names
    done = world.model(name, json.dumps({"toDelete": everything, "summary": "all of it"}))
    after = snapshot(world)
    assert {number: words for number, (words, _) in before.items()} == {number: after[number][0] for number in before}
    left = sum(status == "active" for _, status in after.values())
    assert left >= len(before) * 0.65, "no pass archives more than its share"
    assert "Never reveal the tender before it is opened." in world.facts()
    assert [skill.name for skill in world.graph.skills.all()] == names
    if done.pass_id is not None and done.status == "applied":
        world.graph.undo(done.pass_id)
    assert world.hash == hash_before and world.graph.verify().ok


@pytest.mark.parametrize("name", ASKING)
def test_an_answer_of_ten_megabytes_is_told_in_a_line_and_stays_with_its_pass(world: World, name: str) -> None:
    world.run(name)
    hash_before, long = world.hash, '{"toSave": [' + '{"content": "x"},' * 620_000 + "]}"
    assert len(long) > 10_000_000
    began = time.monotonic()
    done = world.model(name, ScriptedClient(lambda messages: Reply(long, "stop", "scripted/model", Usage(1, 900, 9))))
    assert time.monotonic() - began < 5
    assert done.status == "failed" and "at most" in done.reason and len(done.reason) < 600
    assert world.hash == hash_before
    kept = world.graph.store.connection.execute("SELECT max(length(messages)) FROM exchange").fetchone()[0]
    assert kept < 100_000
    assert world.local("decay").status in ("applied", "skipped", "nothing")
