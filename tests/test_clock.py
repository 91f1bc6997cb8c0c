"""Moments: what lies beyond the years that a stamp can name is the first or the last of them."""

from __future__ import annotations

import pytest

from graphdream.clock import seconds_between, shifted

NOW = "2026-03-02T12:00:00.000Z"
FIRST, LAST = "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("moment", "seconds", "found"),
    [
        (NOW, 0.25, "2026-03-02T12:00:00.250Z"), (NOW, -86_400, "2026-03-01T12:00:00.000Z"),
        ("2026-03-02T12:00:00Z", 0, NOW), (NOW, 1e12 * 3_600, LAST), (NOW, -3e6 * 86_400, FIRST),
        (NOW, float("inf"), LAST), (NOW, float("-inf"), FIRST), (LAST, 1, LAST), (FIRST, -1, FIRST),
        ("9999-12-31T23:00:00Z", 14_400, LAST),
    ],
)  # fmt: skip
def test_a_moment_is_shifted_as_far_as_there_are_years(moment: str, seconds: float, found: str) -> None:
    assert shifted(moment, seconds) == found
    assert abs(seconds_between(shifted(found, 1), found)) <= 1, "and can be reckoned with"
