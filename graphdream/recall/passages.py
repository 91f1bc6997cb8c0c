"""Turns next to each other in a talk, told in one result: the room in which facts are told beside them."""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.recall.talk import CHAT_CHARS, Said

# Turns told together are all among the best so many, so that a passage holds nothing that the answer would not. The
# depth at which LoCoMo and BEAM are measured (docs/recall.md).
AMONG_BEST = 10
LONGEST = 3  # turns; more together win nothing on LoCoMo, and are hard to read

Passage = tuple[Said, ...]
"""Turns next to each other, in the order spoken; mostly one."""


def by_themselves(said: Sequence[Said]) -> list[Said]:
    """Turns by what speaks for them without facts, best first; among equals the newest, then the one recorded first."""
    return sorted(sorted(said, key=lambda turn: turn.id), key=lambda turn: (turn.own, turn.time), reverse=True)


def passages(said: Sequence[Said]) -> list[Passage]:
    """Put turns next to each other together, where they are as short as those of a chat and among the best.

    Args:
        said: turns that were found, in any order.

    Returns:
        Each turn in one passage.
    """
    best = [turn for turn in by_themselves(said)[:AMONG_BEST] if len(turn.content) <= CHAT_CHARS]
    together: list[list[Said]] = []
    for turn in sorted(best, key=lambda turn: turn.place):
        if together and len(together[-1]) < LONGEST and together[-1][-1].place + 1 == turn.place:
            together[-1].append(turn)
        else:
            together.append([turn])
    taken = {turn.id for turn in best}
    return [tuple(turns) for turns in together] + [(turn,) for turn in said if turn.id not in taken]
