"""Which entities go into one call together: likely duplicates always, then what is linked, up to a budget of tokens.

Communities are grown edge by edge: the heaviest edge between two groups joins them while their cards fit one call
together. That is single-linkage clustering with a bound on size (Kruskal's order); unlike a community detection that
knows no bound it needs no splitting afterwards, and it gives the same chunks on every run and machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """The entities of each chunk, ascending, and the candidate pairs whose two sides are in different ones."""

    chunks: tuple[tuple[int, ...], ...]
    across: tuple[Pair, ...]
    sizes: tuple[int, ...]


def plan_chunks(
    tokens: Mapping[int, int], candidates: Mapping[Pair, float], links: Iterable[Pair], budget_tokens: int
) -> ChunkPlan:
    """Distribute entities over chunks; each is in exactly one.

    Args:
        tokens: size of each entity's card.
        candidates: pairs that may be one, with their probability; likelier ones are kept together first.
        links: pairs that are linked, once for each link.
        budget_tokens: most tokens of the cards of a chunk.

    Raises:
        ValueError: a card alone is larger than the budget.
    """
    largest = max(tokens.values(), default=0)
    if largest > budget_tokens:
        raise ValueError(f"a card of {largest} tokens does not fit a chunk of {budget_tokens}")
    groups = _Groups(tokens, budget_tokens)
    for first, second in sorted(candidates, key=lambda pair: (-candidates[pair], pair)):
        groups.join(first, second)
    linked = Counter((min(pair), max(pair)) for pair in links if pair[0] in tokens and pair[1] in tokens)
    for first, second in sorted(linked, key=lambda pair: (-linked[pair], pair)):
        groups.join(first, second)
    chunks = _packed(groups.all(), tokens, budget_tokens)
    at = {member: number for number, chunk in enumerate(chunks) for member in chunk}
    return ChunkPlan(
        chunks=tuple(chunks),
        across=tuple(sorted(pair for pair in candidates if at[pair[0]] != at[pair[1]])),
        sizes=tuple(sum(tokens[member] for member in chunk) for chunk in chunks),
    )


class _Groups:
    """Disjoint groups that never grow beyond a size."""

    def __init__(self, tokens: Mapping[int, int], most: int) -> None:
        self._parent = {member: member for member in tokens}
        self._size = dict(tokens)
        self._most = most

    def join(self, first: int, second: int) -> None:
        one, other = self._root(first), self._root(second)
        if one != other and self._size[one] + self._size[other] <= self._most:
            self._parent[max(one, other)] = min(one, other)
            self._size[min(one, other)] = self._size[one] + self._size[other]

    def all(self) -> list[tuple[int, ...]]:
        found: dict[int, list[int]] = {}
        for member in sorted(self._parent):
            found.setdefault(self._root(member), []).append(member)
        return [tuple(members) for members in found.values()]

    def _root(self, member: int) -> int:
        while self._parent[member] != member:
            self._parent[member] = member = self._parent[self._parent[member]]
        return member


def _packed(groups: Sequence[tuple[int, ...]], tokens: Mapping[int, int], most: int) -> list[tuple[int, ...]]:
    """Groups in as few chunks as first-fit decreasing finds (at most 11/9 of the fewest, and one more: Dosa 2007)."""
    sized = sorted(((sum(tokens[member] for member in group), group) for group in groups), key=lambda x: (-x[0], x[1]))
    bins: list[list[int]] = []
    room: list[int] = []
    first_with_room = 0
    for size, group in sized:
        place = next((at for at in range(first_with_room, len(bins)) if room[at] >= size), None)
        if place is None:
            bins.append([])
            room.append(most)
            place = len(bins) - 1
        bins[place] += group
        room[place] -= size
        while first_with_room < len(bins) and room[first_with_room] <= 0:
            first_with_room += 1
    return sorted(tuple(sorted(members)) for members in bins)
