"""A few words that say what something is set to say something."""

from __future__ import annotations

import pytest

from graphdream.facts.reading import ReadingMemory
from graphdream.facts.settings import is_setting
from graphdream.facts.statements import StatementMaker
from support.facts_world import ONDREA, fact


def says_what_it_is(text: str) -> bool:
    one = fact(0, 1, text)
    return is_setting(StatementMaker([one], [ONDREA], ReadingMemory()).make([one])[0])


@pytest.mark.parametrize(
    "text", ["safe mode = on", "tags = paper tags", "colour = dark green", "Farbe: hell", "animal: caballo"]
)
def test_a_setting_says_something(text: str):
    assert says_what_it_is(text)


@pytest.mark.parametrize(
    "text", ["ayoutx = wood", "wool = the wool that we spin for", "id=null row=0.00", "the mill is"]
)
def test_a_piece_is_no_setting(text: str):
    assert not says_what_it_is(text)
