"""What earlier sessions of the same pass told, and where it went: a later session that goes on about it goes there too.

The places of the memory are looked up before a pass reads (graphdream/dream/topics.py), so these are not among them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from graphdream.dreamers.gathered import Clue, Gist, Topic
from graphdream.dreamers.reading.gist import likeness
from graphdream.dreamers.reading.names import Subject
from graphdream.dreamers.reading.toldwords import parted
from graphdream.dreamers.reading.topics import begins_with, telling_words
from graphdream.graph.categories import FOLDER
from graphdream.graph.names import canonical
from graphdream.language.forms import LEAST_STEM

_MOST = 64  # facts that are looked at; what more have in common is the topic of no one place
_Place = tuple[Subject, str]


class ToldBefore:
    """The facts that a pass has made of the sessions that it read, by the beginnings of their words."""

    def __init__(self) -> None:
        self._facts: list[tuple[str, _Place]] = []
        self._having: dict[str, list[int]] = defaultdict(list)

    def add(self, content: str, subject: Subject, aspect: str) -> None:
        """Take up a fact and where it went."""
        for beginning in {_beginning(word.text) for word in parted(content)}:
            self._having[beginning].append(len(self._facts))
        self._facts.append((content, (subject, aspect)))

    def place_of(self, clues: Iterable[Clue]) -> _Place | None:
        """The one place of the facts that are about the first clue that any is about; None where there are several."""
        for clue in clues:
            places = self._about(clue) if isinstance(clue, Topic) else self._most_alike(clue)
            if places:
                return next(iter(places)) if len(places) == 1 else None
        return None

    def _about(self, topic: Topic) -> set[_Place]:
        return {place for content, place in self._near(telling_words(topic)[:1]) if begins_with(content, topic)}

    def _most_alike(self, gist: Gist) -> set[_Place]:
        alike = defaultdict[_Place, int](int)
        for content, place in self._near(gist.words):
            if not (gist.name and place[0].type == FOLDER):  # a name is of somebody by himself
                alike[place] = max(alike[place], likeness(content, gist))
        most = max(alike.values(), default=0)
        return {place for place, how in alike.items() if how == most} if most else set()

    def _near(self, words: Iterable[str]) -> list[tuple[str, _Place]]:
        found = [self._having.get(_beginning(word), []) for word in words]
        return [self._facts[at] for at in sorted({at for one in found if len(one) < _MOST for at in one})]


def _beginning(word: str) -> str:
    return canonical(word)[:LEAST_STEM]
