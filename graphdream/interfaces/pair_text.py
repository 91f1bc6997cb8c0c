"""Why two entities were judged as they were, for a person: the verdict, the telling evidence in words, how sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphdream.interfaces.pair_words import in_words

if TYPE_CHECKING:
    from graphdream.dream.explained import PairExplanation

_MOST = 3
"""Pieces of evidence of each side that are told."""
_HEARD = 0.1
"""Log-odds that a piece of evidence moves the pair by, from which it is told."""


def pair_text(found: PairExplanation) -> list[str]:
    """The verdict, what speaks for it and against it, how likely that makes it. As `PairExplanation.lines`, with each
    signal in words."""
    lines = found.lines()
    if found.explanation.telling:
        lines[1] = f"  for: {_evidence(found, 1)}; against: {_evidence(found, -1)}"
    return lines


def _evidence(found: PairExplanation, side: int) -> str:
    """The strongest evidence of a side in words, each once; what sounds alike was measured in two ways."""
    heard = (in_words(name, value) for name, value, moved in found.explanation.telling if moved * side >= _HEARD)
    return ", ".join(list(dict.fromkeys(heard))[:_MOST]) or "nothing"
