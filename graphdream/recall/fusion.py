"""One ranking of facts, turns and summaries, in which none drowns the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Generic, TypeVar

T = TypeVar("T")

# What facts lend to the turns that they rest on brings those forward, and facts take places of their own. Both may push
# another result back by a quarter of its place, not further: what would be eighth stays within the first ten. Without
# that bound 27 of 778 questions of LoCoMo lose evidence from the first ten and 45 gain some; with it 16 and 34, and
# recall@10 is higher (docs/recall.md).
FURTHEST_BACK = 1.25


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """Something that was found.

    Attributes:
        score: higher is better.
        own: the score without what facts lend; None for a fact that rests on turns, because those stand for it.
        covers: what it tells, as handles: itself, or the turns that it rests on.
        always: it is returned although all that it tells was told.
    """

    item: T
    score: float
    own: float | None
    covers: frozenset[str]
    always: bool = False


def fuse(entries: Sequence[Entry[T]], k: int) -> list[T]:
    """The best `k`, best first; those with one score stay in the order given.

    Of a fact and the turns it rests on, whichever is better stands for both.
    """
    fused: list[T] = []
    told: set[str] = set()
    best = iter(sorted(entries, key=lambda entry: -entry.score))
    due = _Due(entries)
    while len(fused) < k:
        entry = due.at(len(fused) + 1, told) or next(best, None)
        if entry is None:
            break
        if entry.always or not entry.covers <= told:
            told |= entry.covers
            fused.append(entry.item)
    return fused


class _Due(Generic[T]):
    """The results by their own scores, each with the last place that it may be pushed to. No two have the same."""

    def __init__(self, entries: Sequence[Entry[T]]) -> None:
        self._left = self._in_order(entries)
        self._next = next(self._left, None)

    def at(self, place: int, told: set[str]) -> Entry[T] | None:
        """What has to stand at a place from 1 on, because it may not stand further back; None where nothing has to."""
        while self._next is not None and self._next[1].covers <= told:
            self._next = next(self._left, None)
        return self._next[1] if self._next is not None and self._next[0] <= place else None

    @staticmethod
    def _in_order(entries: Sequence[Entry[T]]) -> Iterator[tuple[int, Entry[T]]]:
        ranked = sorted(((entry.own, entry) for entry in entries if entry.own is not None), key=lambda one: -one[0])
        return ((ceil(FURTHEST_BACK * place), entry) for place, (_, entry) in enumerate(ranked, 1))
