"""Where a sentence that names nobody belongs: where the memory speaks of what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphdream.dreamers.gathered import Clue, Gist, Home
from graphdream.dreamers.reading.gist import gist_of
from graphdream.dreamers.reading.topics import topics_in
from graphdream.graph.categories import FOLDER


def clues_in(sentence: str, language: str | None, name: str = "", *, spoken: bool = False) -> Iterator[Clue]:
    """What a sentence may be about, the surest first: what opens it, then all that it tells.

    Args:
        sentence: the sentence.
        language: code of its language; None where it is not known.
        name: what opens it and is a name by the evidence; then nothing that goes on is a part of it.
        spoken: it was said in passing, in a turn, and nobody summed it up.
    """
    yield from topics_in(sentence, language, name, spoken=spoken)
    gist = gist_of(sentence, language, name, spoken=spoken)
    if gist is not None:
        yield gist


def home_of(
    sentence: str, homes: Mapping[Clue, Home], language: str | None, name: str = "", *, spoken: bool = False
) -> Home | None:
    """The one place where the memory speaks of what a sentence is about; a page of a diary only where no other does.

    Args:
        sentence, language, name, spoken: as in `clues_in`.
        homes: where the memory speaks of each clue.
    """
    found = [
        homes[clue]
        for clue in clues_in(sentence, language, name, spoken=spoken)
        if clue in homes and not (isinstance(clue, Gist) and clue.name and homes[clue].place.type == FOLDER)
    ]  # what a folder says beside a name is about something else: the name is of somebody by himself
    return next((home for home in found if not home.is_page), found[0] if found else None)
