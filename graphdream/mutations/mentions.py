"""Which known entities a text names: what is put on record beside a new fact that says nothing of it itself."""

from __future__ import annotations

import json
import re

from graphdream.graph.name_gate import name_fault
from graphdream.graph.names import canonical
from graphdream.mutations.context import Applying

NOTES_MENTIONS = 2  # rules of the applier since which it does
_LONGEST_NAME = 6  # words
_MOST_WORDS = 400  # of a text; a fact is a sentence
_WORD = re.compile(r"\w(?:[\w'’.+#@/&-]*[\w+#])?")


def mentioned(applying: Applying, text: str) -> set[int]:
    """Ids of the active entities whose name, or alias, stands in a text, with a capital, a figure or a mark in it.

    A name that fits several entities names none of them; of names within one another the longest counts.
    """
    words = list(_WORD.finditer(text))[:_MOST_WORDS]
    places: dict[str, list[tuple[int, int]]] = {}
    for first, word in enumerate(words):
        for last in range(first, min(first + _LONGEST_NAME, len(words))):
            name = text[word.start() : words[last].end()]
            if name != name.lower() or not name.isalpha() or not name.isascii():
                places.setdefault(canonical(name), []).append((word.start(), words[last].end()))
    bearing: dict[str, set[int]] = {}
    for key, entity_id in applying.connection.execute(
        "WITH wanted AS (SELECT value FROM json_each(?1))"
        " SELECT canonical, id FROM entity WHERE canonical IN wanted AND status = 'active'"
        " UNION SELECT alias.canonical, entity_id FROM alias JOIN entity ON entity.id = entity_id"
        " WHERE alias.canonical IN wanted AND status = 'active'",
        (json.dumps([key for key in places if key]),),
    ):
        bearing.setdefault(key, set()).add(entity_id)
    found: set[int] = set()
    taken: list[tuple[int, int]] = []
    for key in sorted(bearing, key=len, reverse=True):
        free = [place for place in places[key] if all(place[1] <= start or end <= place[0] for start, end in taken)]
        if free and name_fault(key) is None:
            taken += free
            found |= bearing[key] if len(bearing[key]) == 1 else set()
    return found
