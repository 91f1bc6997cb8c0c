"""What each pass asks a model, to the letter: a prompt that changes is a change of behaviour, and is looked at.

`make golden` writes the files in `golden/` anew; what differs is then read in the commit.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graphdream.passes.registry import kinds
from support.models import ScriptedClient

from .conftest import World
from .full_day import full_day

GOLDEN = Path(__file__).parent / "golden"
ASKING = [kind.name for kind in kinds() if kind.ask is not None]


@pytest.mark.parametrize("name", ASKING)
def test_the_prompt_of_a_pass_is_the_one_on_file(world: World, name: str) -> None:
    full_day(world)
    client = ScriptedClient(lambda messages: "{}")
    world.model(name, client)
    (messages,) = client.sent
    prompt = "".join(f"[{message.role}]\n{message.content}\n" for message in messages)
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("GOLDEN") == "write":
        file.write_text(prompt, encoding="utf-8")
    assert prompt == file.read_text(encoding="utf-8"), "make golden writes it anew"


def test_there_is_no_prompt_of_a_pass_that_is_gone() -> None:
    assert sorted(file.stem for file in GOLDEN.iterdir()) == sorted(ASKING)


@pytest.mark.parametrize("name", ASKING)
def test_the_standing_part_of_a_prompt_comes_first_and_is_the_same_for_every_memory(world: World, name: str) -> None:
    """A provider caches what begins alike: no time, name or count of this memory stands before the material."""
    full_day(world)
    client = ScriptedClient(lambda messages: "{}")
    world.model(name, client)
    system, user = client.sent[0]
    assert system.cache and system.role == "system" and "Bruno" not in system.content and "2026" not in system.content
    assert user.content and not user.cache
