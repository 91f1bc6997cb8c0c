"""Whether a newer statement tells by how much something changed: `rent: 640 euros`, `the rent went up by 35 euros`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import NUMBER, Reading
from graphdream.language.classes import closed_class

_BY = closed_class("by")


@lru_cache(maxsize=50_000)
def tells_a_difference(before: Reading, after: Reading) -> bool:
    """Whether each number of the newer stands behind what leads in to a difference, and no number of the older does;
    who tells the former number, too, tells a change (`2.1 was replaced by 2.4`).

    What it is now, it does not say; with the older one gone, nobody could tell.
    """
    numbers = [at for at, kind in enumerate(after.shape) if kind == NUMBER]
    led = all(at and after.words[at - 1] in _BY for at in numbers)
    return bool(numbers) and led and not _leads(before) and NUMBER in before.shape


def _leads(one: Reading) -> bool:
    return any(kind == NUMBER and at and one.words[at - 1] in _BY for at, kind in enumerate(one.shape))
