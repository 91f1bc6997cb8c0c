"""The links of a view as they will be, and who is near whom by them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace

from graphdream.dreamers.gathered import Gathered, SeenLink


class ForeseenLinks:
    """Active links, followed through merges and removals.

    Args:
        began: the view as it was gathered.

    Attributes:
        rows: the links by id.
        cut: ids of links that are active no more.
        came: ids of links of which an end came to where it is with a merge.
    """

    def __init__(self, began: Gathered) -> None:
        self.rows: dict[int, SeenLink] = {}
        self.cut, self.came = set[int](), set[int]()
        self._alike: Counter[tuple[object, ...]] = Counter()  # what active links tell -> how many tell it
        self._ends: dict[int, set[int]] = defaultdict(set)
        for link in began.links:
            self._tie(link)
        # Neighbours by links that an incremental view does not show.
        self._far = {entity.id: set(entity.neighbors) - self._near(entity.id) for entity in began.entities}
        self._moved: set[int] = set()  # entities whose neighbours are to be told anew

    def fold(self, source: int, target: int) -> None:
        """Follow a merge: the links of the source are the target's, but those that lead to itself or that it has."""
        for number in sorted(self._ends.get(source, ())):
            link = self.rows[number]
            self.untie(link)
            start = target if link.source_id == source else link.source_id
            end = target if link.target_id == source else link.target_id
            if start != end:
                link = replace(link, source_id=start, target_id=end)
                if end is None or not self._alike[_told_by(link)]:
                    self._tie(link)
                    self.came.add(link.id)
                    self._moved |= _ends_of(link)

    def fold_far(self, source: int, target: int) -> None:
        """Follow a merge: who was near the source by links out of view is near the target."""
        self._far[target] |= self._far[source]
        self._moved.add(target)

    def untie(self, link: SeenLink) -> None:
        """Take an active link out of the view."""
        self._alike[_told_by(self.rows.pop(link.id))] -= 1
        self.cut.add(link.id)
        for end in _ends_of(link):
            self._ends[end].discard(link.id)
            self._moved.add(end)

    def untie_all(self, entity: int) -> None:
        """Take all links of an entity out of the view."""
        for number in list(self._ends[entity]):
            self.untie(self.rows[number])

    def neighbors_anew(
        self, entities: Collection[int], into: Mapping[int, int], gone: Collection[int]
    ) -> dict[int, tuple[int, ...]]:
        """The neighbours of each entity that may have others since this was asked last, in order.

        Args:
            entities: those that are there.
            into: absorbed entity -> the one that it went into.
            gone: entities that were absorbed or archived.
        """
        self._moved.update(number for number, far in self._far.items() if far)
        moved, self._moved = self._moved.intersection(entities), set()
        near = {number: (self._near(number) | self._far_from(number, into, gone)) - {number} for number in moved}
        return {number: tuple(sorted(others)) for number, others in near.items()}

    def _tie(self, link: SeenLink) -> None:
        self.rows[link.id] = link
        self._alike[_told_by(link)] += 1
        self.cut.discard(link.id)
        for end in _ends_of(link):
            self._ends[end].add(link.id)

    def _near(self, entity: int) -> set[int]:
        links = (self.rows[number] for number in self._ends.get(entity, ()))
        return {end for link in links if link.target_id is not None for end in _ends_of(link)} - {entity}

    def _far_from(self, entity: int, into: Mapping[int, int], gone: Collection[int]) -> set[int]:
        found = set()
        for other in self._far[entity]:
            while other in into:
                other = into[other]
            found.add(other)
        return found.difference(gone)


def _told_by(link: SeenLink) -> tuple[object, ...]:
    return link.source_id, link.target_id, link.type


def _ends_of(link: SeenLink) -> set[int]:
    return {link.source_id} if link.target_id is None else {link.source_id, link.target_id}
