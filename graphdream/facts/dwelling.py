"""Whether a newer statement says where somebody moved who lived elsewhere: `Vive en Rosario`, `Se mudó a Córdoba`."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from graphdream.facts.reading import NAME, Reading
from graphdream.facts.telling import places, tells
from graphdream.facts.words import INTENT, NEGATIONS
from graphdream.language.classes import closed_class, spoken_class

_DWELLS, _RELOCATES = closed_class("dwells"), closed_class("relocates")
_IN, _TO = ("where", "towards"), ("towards", "to")
"""Classes of what leads in to where something is (French `à`), and to where it goes."""


@lru_cache(maxsize=50_000)
def tells_where_he_moved(before: Reading, after: Reading) -> bool:
    """Whether the older says with a verb of living where its subject lives, the newer with one of moving where it went,
    and neither anything else."""
    mine, place = _said(before, _IN)
    lives = bool(place) and len(mine) == 1 and mine[0] in _DWELLS
    return lives and may_tell_a_move(after) and place != _said(after, _TO)[1]


@lru_cache(maxsize=200_000)
def may_tell_a_move(after: Reading) -> bool:
    """Whether a statement says with a verb of moving house where somebody went, and nothing else."""
    said, place = _said(after, _TO)
    return bool(place) and len(said) == 1 and said[0] in _RELOCATES


def _said(one: Reading, led_in: Collection[str]) -> tuple[list[str], str]:
    """The telling words of a statement but for its only value, a name, and that; "" where it has others, or denies or
    means it, or nothing of some kind leads in to it.

    Args:
        one: the statement.
        led_in: classes of adpositions.
    """
    leads = frozenset[str]().union(*(spoken_class(name, one.words) for name in led_in))
    said = [(at, kind, word) for at, (kind, word) in enumerate(places(one)) if tells(kind, word) and word not in leads]
    names = [at for at, kind, _ in said if kind == NAME]
    words = [word for _, kind, word in said if kind != NAME]
    is_plain = (NEGATIONS | INTENT).isdisjoint(one.words) and len(names) == 1
    return words, one.words[names[0]] if is_plain and names[0] > 0 and one.words[names[0] - 1] in leads else ""
