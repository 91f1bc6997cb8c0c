"""Pools: what one kind of value means on one type of entity, where it means one thing.

On meetings every date may be the date of the meeting, whatever the sentence: `takes place on July 3`, `Date: July 3`.
A graph shows that where statements of one entity in different words give the same date. Once it is seen, a later date
in yet other words is a new answer to the same question.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import networkx as nx

from graphdream.facts.frames import Frame, frames
from graphdream.facts.groups import PARTIAL, Group
from graphdream.facts.reading import NUMBER

_AGREE, _DIFFER = math.log(0.6 / 0.05), math.log(0.4 / 0.95)
"""Nats from an entity on which two frames give the same value, and from one on which they do not: frames of one
question agree on six of ten entities (values change meanwhile), others by chance."""
_ENOUGH = 1.6
"""Nats that make two frames one question: an entity on which they agree, and at most one on which they do not."""
_MOST_FRAMES = 24
"""Frames of one entity and kind that are compared, at most."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """One group's value in a pool. `pool`: type of the entities and kind of the value."""

    place: int
    entity: int
    pool: tuple[str, str, str]
    value: str
    kind: str


def pooled(groups: Sequence[Group], types: Mapping[int, str]) -> list[Pooled]:
    """The values of groups in those pools that the graph shows to ask one question.

    Args:
        groups: what is said; partial statements do not count.
        types: entity -> its type; entities without one are in no pool.
    """
    seen: dict[tuple[str, str], dict[int, list[tuple[int, Frame]]]] = defaultdict(lambda: defaultdict(list))
    for place, one in enumerate(groups):
        kind_of_thing = types.get(one.entity, "")
        if not kind_of_thing:
            continue
        for statement in one.members:
            if one.how.get(statement.at) in PARTIAL:
                continue
            for frame in frames(statement.reading, statement.facts[0].content):
                if frame.key[0] != "quantity":
                    seen[kind_of_thing, _format(frame)][one.entity].append((place, frame))
    out = []
    for pool, holders in sorted(seen.items()):
        question = _questions(holders)
        for entity, found in sorted(holders.items()):
            for place, frame in found:
                if frame.key in question:
                    key = (*pool, " ".join(question[frame.key]))
                    out.append(Pooled(place, entity, key, frame.value, frame.kind))
    return out


def _format(frame: Frame) -> str:
    """The kind of a value, numbers told apart by how they are written: `$0`, `0%`, `0.0.0`."""
    return re.sub(r"\d+", "0", frame.value) if frame.kind == NUMBER else frame.kind


def _questions(holders: Mapping[int, Sequence[tuple[int, Frame]]]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Frame -> the first of the frames that ask the same, for frames that agree with another one."""
    nats: dict[tuple[tuple[str, ...], tuple[str, ...]], float] = defaultdict(float)
    for found in holders.values():
        values: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for _, frame in found:
            values[frame.key].add(frame.value)
        for a, b in combinations(sorted(values)[:_MOST_FRAMES], 2):
            nats[a, b] += _AGREE if values[a] & values[b] else _DIFFER
    same = nx.Graph(pair for pair, evidence in sorted(nats.items()) if evidence >= _ENOUGH)
    return {frame: min(group) for group in nx.connected_components(same) for frame in group}
