"""How the memory's own texts write a word: with a capital in mid-sentence, or without one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from graphdream.dreamers.gathered import Usage
from graphdream.dreamers.reading import sentences, usage_in

_TEXTS = 40  # texts of each book that are looked at for a word
_MOST_WORDS = 400
_BOOKS = (
    "SELECT attribute.content FROM fact_index JOIN attribute ON id = fact_index.rowid WHERE fact_index MATCH ? LIMIT ?",
    "SELECT content FROM summary_index WHERE summary_index MATCH ? LIMIT ?",
    "SELECT content FROM turn_index WHERE turn_index MATCH ? LIMIT ?",
)


def usage_of(connection: sqlite3.Connection, words: Iterable[str]) -> dict[str, Usage]:
    """How facts, summaries and turns write each of some words, given in lower case.

    By index, and of a few texts for each word; the cost follows the words, not the memory. Words that no text holds are
    left out.
    """
    found: dict[str, Usage] = {}
    for word in sorted(words)[:_MOST_WORDS]:
        quoted = '"{}"'.format(word.replace('"', '""'))
        texts = {row[0] for book in _BOOKS for row in connection.execute(book, (quoted, _TEXTS))}
        told = (sentence for text in sorted(texts) for sentence in sentences(text) if word in sentence.casefold())
        usage = usage_in(told, {}).get(word)
        if usage is not None:
            found[word] = usage
    return found
