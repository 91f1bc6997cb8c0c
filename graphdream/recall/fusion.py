"""One ranking of facts, turns and summaries, in which what a dream has added takes nothing away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

# The first 5, 10, 15 ... results tell what as many would tell without the facts that rest on turns; within such a page
# the scores decide. 5 is what recall returns unless it is asked for more (docs/recall.md).
PAGE = 5


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """Something that was found.

    Attributes:
        score: higher is better.
        covers: what it tells, as handles: itself, the turns that a fact rests on, or those of a passage.
        always: it is returned although all that it tells was told.
    """

    item: T
    score: float
    covers: frozenset[str]
    always: bool = False


def fuse(entries: Sequence[Entry[T]], ranked: Sequence[str], k: int) -> list[T]:
    """The best `k`, best first; those with one score stay in the order given.

    Of a fact and the turns it rests on, whichever is better stands for both.

    Args:
        entries: what was found, those that stand for a handle of `ranked` by themselves before those that merely rest
            on it.
        ranked: the handles that the answer would consist of without the facts that rest on turns, best first. The first
            `PAGE` results tell what the first `PAGE` of these do, and so for every further page and for all `k`.
    """
    order = sorted(entries, key=lambda entry: -entry.score)
    if [entry.covers for entry in order[:k]] == [{handle} for handle in ranked[:k]]:
        return [entry.item for entry in order[:k]]
    pages = _Pages(entries, ranked, k)
    fused: list[T] = []
    told: set[str] = set()
    while len(fused) < k:
        order = [entry for entry in order if entry.always or not entry.covers <= told]
        due = pages.due(len(fused))
        entry = next((entry for entry in order if due is None or pages.relieves(entry, due, told)), None)
        if entry is None:
            break
        order.remove(entry)
        told |= entry.covers
        pages.told(entry, told)
        fused.append(entry.item)
    return fused


class _Pages(Generic[T]):
    """What still has to be told, page by page: for each handle the first entry that tells it."""

    def __init__(self, entries: Sequence[Entry[T]], ranked: Sequence[str], k: int) -> None:
        telling: dict[str, int] = {}
        for at, entry in enumerate(entries):
            for handle in entry.covers:
                telling.setdefault(handle, at)
        self._entries = entries
        self._ends = [*range(PAGE, k, PAGE), k]
        self._left: list[set[int]] = [set() for _ in self._ends]
        self._page: dict[int, int] = {}
        self._telling = {handle: telling[handle] for handle in ranked[:k] if handle in telling}
        for place, handle in enumerate(ranked[:k]):
            if handle in telling and self._page.setdefault(telling[handle], place // PAGE) == place // PAGE:
                self._left[place // PAGE].add(telling[handle])

    def due(self, placed: int) -> int | None:
        """The first page for which every place up to its end is needed, or None while there is room."""
        needed = 0
        for page, (end, left) in enumerate(zip(self._ends, self._left, strict=True)):
            needed += len(left)
            if needed and needed >= end - placed:
                return page
        return None

    def relieves(self, entry: Entry[T], due: int, told: set[str]) -> bool:
        """Whether an entry leaves one less to be told up to the end of a page."""
        return any(
            self._page[one] <= due and one in self._left[self._page[one]] and self._done(one, told, entry.covers)
            for one in self._of(entry)
        )

    def told(self, entry: Entry[T], told: set[str]) -> None:
        """Take note that an entry was returned."""
        for one in self._of(entry):
            if self._done(one, told):
                self._left[self._page[one]].discard(one)

    def _of(self, entry: Entry[T]) -> set[int]:
        return {self._telling[handle] for handle in entry.covers if handle in self._telling}

    def _done(self, one: int, told: set[str], also: frozenset[str] = frozenset()) -> bool:
        """Whether all is told that an entry tells of the answer that has to be kept."""
        return all(handle in told or handle in also for handle in self._entries[one].covers if handle in self._telling)
