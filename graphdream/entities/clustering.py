"""From scored pairs to clusters, without chains.

Agglomeration by the mean log-odds of all pairs between two clusters: one strong pair cannot join two groups whose
other members do not fit, and pairs that nobody looked at count as mild evidence against. A veto (two pinned rows,
a pair known to be distinct, a guard) keeps its two sides apart for good.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np

from graphdream.entities.corpus import Floats, Ints

UNSEEN = -1.0
"""Log-odds, relative to the cut, of a pair between two clusters that blocking did not propose."""
READ_BELOW = 6.0
"""Pairs further than this below the cut all count as this far below it."""


def cluster_pairs(
    n: int,
    left: Ints,
    right: Ints,
    log_odds: Floats,
    *,
    cut: float,
    apart: Iterable[tuple[int, int]] = (),
    pinned: Ints | None = None,
) -> Ints:
    """Group records.

    Args:
        n: number of records.
        left, right, log_odds: shape (pairs,), scored pairs.
        cut: clusters join while their mean log-odds is above it.
        apart: pairs of records that must never share a cluster.
        pinned: records of which a cluster may hold one at most.

    Returns:
        Shape (n,), the smallest member of each record's cluster.
    """
    lifted = np.maximum(log_odds - cut, -READ_BELOW)
    joinable = np.zeros(n, dtype=np.bool_)
    joinable[left[lifted > 0]] = joinable[right[lifted > 0]] = True
    # a record without any pair above the cut stays alone, so the pairs that it is in say nothing
    told = joinable[left] & joinable[right]
    left, right, lifted = left[told], right[told], lifted[told]
    apart = [(a, b) for a, b in apart if joinable[a] and joinable[b]]
    state = _Clusters(n, {int(p) for p in (pinned if pinned is not None else ())}, apart)
    for a, b, value in zip(left.tolist(), right.tolist(), lifted.tolist(), strict=True):
        state.near[a][b] = state.near[b][a] = (value, 1)
    heap = [
        (-v, min(a, b), max(a, b))
        for a, b, v in zip(left.tolist(), right.tolist(), lifted.tolist(), strict=True)
        if v > 0
    ]
    heapq.heapify(heap)
    while heap:
        negative, a, b = heapq.heappop(heap)
        current = state.size[a] and state.size[b] and b in state.near[a] and state.mean(a, b) == -negative
        if current and state.may_join(a, b):
            for other, value in state.join(a, b):
                heapq.heappush(heap, (-value, min(a, other), max(a, other)))
    return state.labels()


class _Clusters:
    """Clusters under way; a cluster is named by its smallest member."""

    def __init__(self, n: int, pinned: set[int], apart: Iterable[tuple[int, int]]) -> None:
        self.size = [1] * n
        self.parent = list(range(n))
        self.near: list[dict[int, tuple[float, int]]] = [{} for _ in range(n)]
        self.pinned = [i in pinned for i in range(n)]
        self.apart: dict[int, set[int]] = {}
        for a, b in apart:
            self.apart.setdefault(a, set()).add(b)
            self.apart.setdefault(b, set()).add(a)

    def mean(self, a: int, b: int) -> float:
        total, known = self.near[a][b]
        pairs = self.size[a] * self.size[b]
        return (total + UNSEEN * (pairs - known)) / pairs

    def may_join(self, a: int, b: int) -> bool:
        if self.pinned[a] and self.pinned[b]:
            return False
        return b not in self.apart.get(a, ())

    def join(self, a: int, b: int) -> list[tuple[int, float]]:
        """Fold `b` into `a` (a < b); returns the clusters that `a` may join next."""
        near, gone = self.near[a], self.near[b]
        del near[b], gone[a]
        for other, (total, known) in gone.items():
            del self.near[other][b]
            had, count = near.get(other, (0.0, 0))
            near[other] = self.near[other][a] = (had + total, count + known)
        self.near[b] = {}
        self.size[a] += self.size[b]
        self.size[b] = 0
        self.parent[b] = a
        self.pinned[a] = self.pinned[a] or self.pinned[b]
        for other in self.apart.pop(b, ()):
            self.apart[other].discard(b)
            self.apart[other].add(a)
            self.apart.setdefault(a, set()).add(other)
        return [(other, value) for other in near if (value := self.mean(a, other)) > 0]

    def labels(self) -> Ints:
        out = np.arange(len(self.parent))
        for i in range(len(out)):
            root = i
            while self.parent[root] != root:
                root = self.parent[root]
            out[i] = root
        return out
