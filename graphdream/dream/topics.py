"""Where the memory speaks of what a sentence is about: the one place whose facts begin with it, or whose heading it is.

Found through the full text of the facts, so the cost follows the sentences and not the memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

from graphdream.dreamers.gathered import Home, Topic
from graphdream.dreamers.reading.topics import (
    begins_with,
    begins_with_form,
    has_part,
    is_heading,
    speaks_of,
    telling_words,
)
from graphdream.graph.categories import Place
from graphdream.language.forms import stem_of

_MOST = 64  # facts that are looked at; what more begin with is the topic of no one place

_FOUND = """
    SELECT entity.id, entity.name, entity.type, aspect.name, attribute.content
    FROM fact_index JOIN attribute ON attribute.id = fact_index.rowid
    JOIN aspect ON aspect.id = attribute.aspect_id JOIN entity ON entity.id = aspect.entity_id
    WHERE fact_index MATCH ? AND aspect.status = 'active' AND entity.status = 'active' LIMIT ?
"""


def homes_of(connection: sqlite3.Connection, topics: Iterable[Topic]) -> dict[Topic, Home]:
    """The place where the memory speaks of each topic; those without one, or with several, are left out."""
    found = ((topic, _home_of(connection, topic)) for topic in topics)
    return {topic: home for topic, home in found if home is not None}


def _home_of(connection: sqlite3.Connection, topic: Topic) -> Home | None:
    """The one place of a topic as it is written; where there is none, that of other forms of its words, and then of
    facts that have them anywhere, of a single word those that have it in a part of its own."""
    text, bare = (said.replace('"', " ") for said in (topic.text, topic.bare))
    homes = _about(_found(connection, f'content : (^"{text}" OR ^"{bare}") OR path : "{bare}"'), topic, begins_with)
    if not homes and topic.tells > 1:
        found = _found(connection, " AND ".join(f'content : "{stem_of(word)}"*' for word in telling_words(topic)))
        homes = _about(found, topic, begins_with) or _about(found, topic, speaks_of)
    elif not homes:
        beginning = " ".join(map(stem_of, telling_words(topic)))
        homes = _about(_found(connection, f'content : ^"{beginning}"*'), topic, begins_with_form)
        homes = homes or _about(_found(connection, f'content : "{bare}"'), topic, has_part)
    return next(iter(homes)) if len(homes) == 1 else None


def _found(connection: sqlite3.Connection, query: str) -> list[tuple[Home, str]]:
    """The facts that a query finds and where they hang; none where there are too many of them to look at."""
    rows = connection.execute(_FOUND, (query, _MOST)).fetchall()
    found = [(Home(entity, Place(kind, name, aspect)), content) for entity, name, kind, aspect, content in rows]
    return found if len(found) < _MOST else []


def _about(found: Iterable[tuple[Home, str]], topic: Topic, is_about: Callable[[str, Topic], bool]) -> set[Home]:
    """Where the facts hang that are about a topic."""
    return {home for home, content in found if is_about(content, topic) or is_heading(home.place.aspect, topic)}
