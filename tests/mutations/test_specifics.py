"""What is read of a text: the same moment is the same token, however it is written."""

from __future__ import annotations

import pytest

from graphdream.mutations.specifics import tokens


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("rang at 5:54 PM.", "17:54"),
        ("rang at 5:54pm", "17:54"),
        ("rang at 17:54", "17:54"),
        ("rang at 5:54 am, twice", "05:54"),
        ("rang at 12:05 AM", "00:05"),
        ("rang at 5:54 PMC", "05:54"),
        ("[17:54:00] rang", "17:54"),
        ("[17:54:08] rang", "17:54:08"),
        ("rang at 5:54:08 PM", "17:54:08"),
    ],
)
def test_a_time_and_its_half_of_the_day_are_one_time(text: str, moment: str) -> None:
    assert [token.text for token in tokens(text) if token.kind == "time"] == [moment]
    assert {"am", "pm"}.isdisjoint(token.text for token in tokens(text))
