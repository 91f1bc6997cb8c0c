"""Whether a newer statement tells by how much something changed: `rent: 640 euros`, `the rent went up by 35 euros`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import NUMBER, Reading
from graphdream.language.classes import spoken_class


@lru_cache(maxsize=50_000)
def tells_a_difference(before: Reading, after: Reading) -> bool:
    """Whether each number of the newer stands behind what leads in to a difference, and no number of the older does;
    who tells the former number, too, tells a change (`2.1 was replaced by 2.4`).

    What it is now, it does not say; with the older one gone, nobody could tell.
    """
    told = _led_in(after)
    return bool(told) and all(told) and NUMBER in before.shape and not any(_led_in(before))


def _led_in(one: Reading) -> list[bool]:
    """Of each number of a statement, whether what leads in to a difference stands before it."""
    leads = spoken_class("by", one.words)
    return [at > 0 and one.words[at - 1] in leads for at, kind in enumerate(one.shape) if kind == NUMBER]
