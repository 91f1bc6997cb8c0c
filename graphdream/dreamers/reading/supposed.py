"""What of a sentence is stated, and not supposed: nothing of `Perhaps Noor moves to Oslo`, the clause behind `If Noor
moves to Oslo, ...`.

What may be so, or is so on a condition alone, is text of its session that recall finds. Made a fact of the one it
names first, it would be compared with what holds.
"""

from __future__ import annotations

import re

from graphdream.dreamers.reading.sentences import words, writes_without_blanks
from graphdream.language.classes import words_of

_CLAUSE_ENDS = re.compile(r"[,，、;；]\s*(?:then\s+|dann\s+|so\s+|alors\s+|то\s+|那么?|就)?")
_LONGEST = 2
"""Words of one that opens a supposition: `tal vez`, `может быть`."""


def is_supposed(sentence: str, language: str | None) -> bool:
    """Whether a sentence opens with a word that says that it may be so."""
    return _opens(sentence, "supposes", language) is not None


def is_conditional(sentence: str, language: str | None) -> bool:
    """Whether a sentence opens with a condition."""
    return _opens(sentence, "conditions", language) is not None


def main_clause(sentence: str, language: str | None) -> str:
    """The clause behind the condition that opens a sentence; "" where no comma ends the condition, and the sentence as
    it is where none opens it."""
    end = _opens(sentence, "conditions", language)
    if end is None:
        return sentence
    comma = _CLAUSE_ENDS.search(sentence, end)
    return sentence[comma.end() :] if comma is not None else ""


def _opens(sentence: str, name: str, language: str | None) -> int | None:
    """Where the words of a class end that open a sentence; None where none do."""
    known = words_of(name, language)
    found = words(sentence)
    if not found or not known:
        return None
    if writes_without_blanks(found[0].text[0]):
        run = found[0].text
        return next((found[0].start + len(word) for word in known if run.startswith(word)), None)
    for count in range(1, min(_LONGEST, len(found)) + 1):
        if "_".join(word.text.casefold().replace("’", "'") for word in found[:count]) in known:
            return found[count - 1].end
    return None
