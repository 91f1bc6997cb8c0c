"""Where the memory speaks of what a sentence is about: the one place whose facts begin with it, whose heading it is, or
whose facts have most of what it tells.

Found through the full text of the facts, so the cost follows the sentences and not the memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

from graphdream.dreamers.gathered import Clue, Gist, Home, Topic
from graphdream.dreamers.reading.gist import likeness
from graphdream.dreamers.reading.topics import (
    begins_with,
    begins_with_form,
    has_part,
    is_heading,
    speaks_of,
    telling_words,
)
from graphdream.graph.categories import FOLDER, Place
from graphdream.language.forms import stem_of

_MOST = 64  # facts that are looked at; what more begin with is the topic of no one place

_FOUND = """
    SELECT entity.id, entity.name, entity.type, aspect.name, attribute.content
    FROM fact_index JOIN attribute ON attribute.id = fact_index.rowid
    JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id
    WHERE fact_index MATCH ? AND aspect.status = 'active' AND entity.status = 'active' LIMIT ?
"""


def homes_of(connection: sqlite3.Connection, clues: Iterable[Clue]) -> dict[Clue, Home]:
    """The place where the memory speaks of each clue; those without one, or with several, are left out."""
    having = _Having(connection)
    out: dict[Clue, Home] = {}
    for clue in clues:
        home = _home_of(connection, clue) if isinstance(clue, Topic) else _most_alike(having, clue)
        if home is not None:
            out[clue] = home
    return out


def _home_of(connection: sqlite3.Connection, topic: Topic) -> Home | None:
    """The one place of a topic as it is written; where there is none, that of other forms of its words, and then of
    facts that have them anywhere, of a single word those that have it in a part of its own."""
    text, bare = (said.replace('"', " ") for said in (topic.text, topic.bare))
    homes = _about(_found(connection, f'content : (^"{text}" OR ^"{bare}") OR path : "{bare}"'), topic, begins_with)
    if not homes and topic.tells > 1:
        found = _found(connection, " AND ".join(map(_forms, telling_words(topic))))
        homes = _about(found, topic, begins_with) or _about(found, topic, speaks_of)
    elif not homes:
        beginning = " ".join(map(stem_of, telling_words(topic)))
        homes = _about(_found(connection, f'content : ^"{beginning}"*'), topic, begins_with_form)
        homes = homes or _about(_found(connection, f'content : "{bare}"'), topic, has_part)
    return next(iter(homes)) if len(homes) == 1 else None


class _Having:
    """The facts that have a word in any of its forms; each word is looked up once.

    Where there is none, those that have a word with a shorter beginning, since the index may cut one form more than the
    other (`présidente`, `président`); `likeness` tells which are forms of it.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._found: dict[str, list[tuple[Home, str]]] = {}

    def __getitem__(self, word: str) -> list[tuple[Home, str]]:
        if word not in self._found:
            found = _found(self._connection, _forms(word))
            self._found[word] = found or _found(self._connection, f'content : "{stem_of(stem_of(word))}"*')
        return self._found[word]


def _most_alike(having: _Having, gist: Gist) -> Home | None:
    """The one place of which a fact is most alike to what a sentence tells; no page of a diary."""
    best: dict[Home, int] = {}
    for home, content in {found for word in gist.words for found in having[word]}:
        if not home.is_page and not (gist.name and home.place.type == FOLDER):  # a name is of somebody by himself
            best[home] = max(best.get(home, 0), likeness(content, gist))
    most = max(best.values(), default=0)
    homes = [home for home, alike in best.items() if alike == most]
    return homes[0] if most and len(homes) == 1 else None


def _forms(word: str) -> str:
    """The query for the facts that have a word in any of its forms; as it is, too, since what it begins with may be
    longer than what the index makes of it (`meeti`, `meet`)."""
    said = word.replace('"', " ")
    return f'content : ("{said}" OR "{stem_of(said)}"*)'


def _found(connection: sqlite3.Connection, query: str) -> list[tuple[Home, str]]:
    """The facts that a query finds and where they hang; none where there are too many of them to look at."""
    rows = connection.execute(_FOUND, (query, _MOST)).fetchall()
    found = [(Home(entity, Place(kind, name, aspect)), content) for entity, name, kind, aspect, content in rows]
    return found if len(found) < _MOST else []


def _about(found: Iterable[tuple[Home, str]], topic: Topic, is_about: Callable[[str, Topic], bool]) -> set[Home]:
    """Where the facts hang that are about a topic; pages of a diary only where no others are."""
    homes = {home for home, content in found if is_about(content, topic) or is_heading(home.place.aspect, topic)}
    return {home for home in homes if not home.is_page} or homes
