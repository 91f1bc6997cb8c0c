"""What cannot be the name of anything, and odd names that are some."""

from __future__ import annotations

import pytest

from graphdream.graph.name_gate import name_fault


@pytest.mark.parametrize("name", ["it", "***", "and then we", "I'm", "They've", "Here's", "line 12", "0x1f"])
def test_what_names_nothing_is_refused(name: str):
    assert name_fault(name)


@pytest.mark.parametrize("name", ["O'Brien", "Xi'an", "L'Oréal", "The Hague", "C++", "Ильза", "小陈", "3M", "Q'eros"])
def test_an_odd_name_is_one(name: str):
    assert name_fault(name) is None
