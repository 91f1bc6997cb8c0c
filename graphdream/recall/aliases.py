"""Which aliases a question is answered by, or would be if their rows said what they were told.

A fact of an entity is found by an alias that no fact says, so that a row of an alias that was forged hides it. The
index over names is sealed, and says what an entity is called whatever its rows say.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from functools import lru_cache

from graphdream.graph.names import canonical
from graphdream.recall.postings import Matches
from graphdream.recall.question import Question

_LONGEST = 4  # words of a name
_MOST_WORDS = 64  # of a question that are compared with names
_MOST_CALLED = 20  # entities that a word of the question calls, and aliases that are looked at
_LEAST_SIGNS = 3  # of a word that the index over names finds


@lru_cache(maxsize=16)  # two ask it of each question
def names_in(text: str) -> tuple[str, ...]:
    """What could be a name in a text, in the form in which names are compared."""
    words = text.split()[:_MOST_WORDS]
    spans = {
        canonical(" ".join(words[start : start + length]))
        for start in range(len(words))
        for length in range(1, _LONGEST + 1)
    }
    return tuple(sorted(spans))


def aliases_asked(connection: sqlite3.Connection, question: Question, in_facts: Matches) -> set[str]:
    """The rows of aliases, as `alias 5`, that decide whom a question names: those that it says, and those of entities
    which the index over names has under a name that it says. The index is asked only for words that no fact has.

    Args:
        in_facts: what the facts' index holds of the question's terms.
    """
    names = names_in(question.text)
    found = connection.execute(
        "SELECT id FROM alias WHERE canonical IN (SELECT value FROM json_each(?)) LIMIT ?",
        (json.dumps(names), _MOST_CALLED),
    ).fetchall()
    # A stem may end in another letter than its word; the index finds parts of words.
    unknown = [
        term[: max(_LEAST_SIGNS, len(term) - 1)]
        for term, frequency in zip(question.terms, in_facts.frequency, strict=False)
        if not frequency and len(term) >= _LEAST_SIGNS
    ]
    if unknown:
        found += _of_called(connection, unknown, names)
    return {f"alias {row[0]}" for row in found}


def _of_called(connection: sqlite3.Connection, words: list[str], names: Collection[str]) -> list[tuple[int]]:
    """Ids of the aliases of entities that are called by one of these names, and one of these words is part of it."""
    query = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
    called = [
        row[0]
        for row in connection.execute(
            "SELECT rowid, names FROM name_index WHERE name_index MATCH ? LIMIT ?", (query, _MOST_CALLED)
        )
        if not set(row[1].split("\n")).isdisjoint(names)
    ]
    if not called:
        return []
    return connection.execute(
        "SELECT id FROM alias WHERE entity_id IN (SELECT value FROM json_each(?)) LIMIT ?",
        (json.dumps(called), _MOST_CALLED),
    ).fetchall()
