"""Which statements of one entity are compared: those that share something few others of the entity have.

Blocks are the statements of an entity, of an aspect of it, or in a sentence form, that share a unit. A unit that many
share finds nothing, so that one entity with 50,000 statements costs no more than as many entities with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphdream.facts.bags import Bags
from graphdream.facts.meaning import Meaning
from graphdream.facts.relations import Instance
from graphdream.facts.statements import Statement
from graphdream.scoring.curve import Ints

_LARGEST_BLOCK = 24
"""Statements of one entity, or of one aspect of it, that share a unit, at most."""
_MOST_NEIGHBOURS = 24
"""Statements that one statement is compared with, at most: those with which it shares most."""
_MEANT_ALIKE = 6
"""Statements of an entity that a statement is compared with because they mean something alike, at most."""
_LEAST_ALIKE = 0.1
"""Cosine from which two statements mean something alike."""
_MOST_OF_ENTITY = 400
"""Statements of an entity that are compared by what they mean, at most."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of positions of statements: shape (pairs,), `low` before `high` in the list, each pair once."""

    low: Ints
    high: Ints

    def __len__(self) -> int:
        return len(self.low)


def find_pairs(
    said: Sequence[Statement], bags: Bags, instances: Sequence[Sequence[Instance]], meaning: Meaning
) -> Pairs:
    """The pairs of statements of one entity that may say the same, or answer one question.

    Args:
        said: all statements.
        bags: their units.
        instances: per statement, the relations that links taught.
        meaning: what they mean.
    """
    entity = np.unique([statement.entity for statement in said], return_inverse=True)[1].astype(np.int64)
    places = [(statement.entity, statement.aspect) for statement in said]
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places))}
    aspect = np.array([numbers[place] for place in places], dtype=np.int64)
    row, unit = bags.row, bags.unit
    base = int(unit.max(initial=0)) + 1
    parts = [_in_blocks(entity[row] * base + unit, row), _in_blocks(aspect[row] * base + unit, row)]
    found = [(statement.at, one.relation) for statement in said for one in instances[statement.at]]
    if found:
        at, relation = np.array(found, dtype=np.int64).T
        parts.append(_in_blocks(entity[at] * (int(relation.max()) + 1) + relation, at))
    both = _once(np.concatenate(parts), len(said))
    low, high = both[:, 0], both[:, 1]
    keep = _nearest(low, high, bags.shared(low, high), len(said))
    told = np.array([not one.facts[0].source.startswith("file:") for one in said], dtype=np.bool_)
    meant = _meant_alike(entity, told, meaning.whole)
    both = _once(np.concatenate([both[keep], meant]), len(said))
    return Pairs(both[:, 0], both[:, 1])


def _meant_alike(entity: Ints, told: NDArray[np.bool_], directions: NDArray[np.float32]) -> NDArray[np.int64]:
    """Statements of one entity, one of them told in a session, that mean most alike: shape (pairs, 2)."""
    order = np.argsort(entity, kind="stable")
    bounds = np.flatnonzero(np.diff(entity[order], prepend=-1, append=-1))
    out = [np.zeros((0, 2), dtype=np.int64)]
    for begin, end in pairwise(bounds.tolist()):
        place = order[begin:end]
        if not 2 <= len(place) <= _MOST_OF_ENTITY or not told[place].any():
            continue
        alike = directions[place] @ directions[place].T
        alike[~(told[place][:, None] | told[place][None, :])] = -1.0
        np.fill_diagonal(alike, -1.0)
        near = alike > _LEAST_ALIKE
        if len(place) > _MEANT_ALIKE + 1:
            further = np.argsort(-alike, axis=1, kind="stable")[:, _MEANT_ALIKE:]
            np.put_along_axis(near, further, False, axis=1)
        row, column = np.nonzero(near | near.T)
        once = row < column
        out.append(np.stack([place[row[once]], place[column[once]]], axis=1))
    return _once(np.concatenate(out), len(entity))


def _once(pairs: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Each of some pairs of positions below `count` once, in ascending order; shape (pairs, 2)."""
    found = np.unique(pairs[:, 0] * count + pairs[:, 1])
    return np.stack([found // max(1, count), found % max(1, count)], axis=1)


def _in_blocks(block: Ints, member: Ints) -> NDArray[np.int64]:
    """Pairs of members of each block that is not too large, shape (pairs, 2)."""
    order = np.lexsort((member, block))
    block, member = block[order], member[order]
    if len(block):
        fresh = np.concatenate([[True], (block[1:] != block[:-1]) | (member[1:] != member[:-1])])
        block, member = block[fresh], member[fresh]
    starts = np.flatnonzero(np.concatenate([[True], block[1:] != block[:-1]])) if len(block) else np.zeros(0, np.int64)
    sizes = np.diff(np.append(starts, len(block)))
    out = [np.zeros((0, 2), dtype=np.int64)]
    for size in range(2, _LARGEST_BLOCK + 1):
        first = starts[sizes == size]
        if len(first):
            left, right = np.triu_indices(size, 1)
            pair = np.stack([member[first[:, None] + left], member[first[:, None] + right]], axis=-1)
            out.append(pair.reshape(-1, 2))
    return np.concatenate(out)


def _nearest(low: Ints, high: Ints, shared: NDArray[np.float64], count: int) -> NDArray[np.bool_]:
    """Whether a pair is among those of either of its statements that share most."""
    keep = np.zeros(len(low), dtype=np.bool_)
    for one in (low, high):
        order = np.lexsort((np.arange(len(one)), -shared, one))
        begin = np.searchsorted(one[order], np.arange(count))
        keep[order[np.arange(len(one)) - begin[one[order]] < _MOST_NEIGHBOURS]] = True
    return keep
