"""Runs of words within a sentence that could be a name, and what the sentence says beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphdream.dreamers.reading.sentences import OWNER, Word, span, words, writes_without_blanks
from graphdream.facts.words import FUNCTION_WORDS

LONGEST_NAME = 6  # words
LONGEST_UNSPACED = 12  # signs of a name in a script without blanks
SHORTEST_UNSPACED = 2
LEAD_IN = 4  # words before a comma that only lead in: `In the end, Noor ...`

_ROMANCE = frozenset(("es", "pt", "it", "fr", "ro", "ca"))
_ROMANCE_PARTICLES = frozenset("de da do dos das del della di du".split())
_PARTICLES = frozenset("von van zu bin ibn al de da del di".split())
"""What stands within names in small letters: `Maria da Silva`, `Jan van der Berg`. In German, `das` is an article."""
_MORE_PARTICLES = frozenset("la las los le der den het ter".split())  # behind another one only
_PREDICATE = re.compile(r"(?:['’]s?)?[,:]?\s+(?:[–—]\s+)?([^\W\d_])")
"""What is said behind a name; a dash stands for the copula where the present has none (`Тимур — ученик`)."""
_COMMA = re.compile(r"[,;，；、]\s*(?!\d)")
_BETWEEN = re.compile(r"[ \u00a0]|\. ")


def spans(sentence: str) -> Iterator[tuple[int, str]]:
    """Every run of words that could be a name, with where it starts; of those at one place the longest first."""
    found = words(sentence)
    for at, word in enumerate(found):
        for count in range(min(LONGEST_NAME, len(found) - at), 0, -1):
            yield word.start, span(sentence, found, at, count)
        if any(map(writes_without_blanks, word.text)):
            yield from _unspaced(word)


def _unspaced(word: Word) -> Iterator[tuple[int, str]]:
    """Parts of a run of signs without blanks; in Korean, where words stand apart, only those it begins with."""
    starts = range(1) if "\uac00" <= word.text[0] <= "\ud7a3" else range(len(word.text))
    for at in starts:
        for size in range(min(LONGEST_UNSPACED, len(word.text) - at), SHORTEST_UNSPACED - 1, -1):
            if (at, size) != (0, len(word.text)):
                yield word.start + at, word.text[at : at + size]


def run(sentence: str, found: list[Word], at: int, language: str | None = None) -> list[Word]:
    """The words with a capital that stand side by side from one place on, with the particles of names among them."""
    particles = _ROMANCE_PARTICLES if language in _ROMANCE else _PARTICLES
    capitals: list[Word] = []
    for word in found[at : at + LONGEST_NAME]:
        if capitals and not _BETWEEN.fullmatch(sentence[capitals[-1].end : word.start]):
            break
        if not word.is_capital:
            behind = capitals[-1].text if capitals else ""
            if not (capitals and word.text in particles) and not (behind in particles and word.text in _MORE_PARTICLES):
                break
        capitals.append(word)
        if OWNER.search(word.text):
            break
    while capitals and not capitals[-1].is_capital:
        capitals.pop()
    return capitals


def capital_runs(sentence: str) -> Iterator[tuple[str, bool]]:
    """Runs of capitalised words, with whether the run opens the sentence; of that which does, also what goes on behind
    its first word, which may be all of the name."""
    found = words(sentence)
    at = 0
    while at < len(found):
        count = 0
        while at + count < len(found) and _is_capital(found[at + count].text) and count < LONGEST_NAME:
            count += 1
        if count:
            yield span(sentence, found, at, count), at == 0
        if count > 1 and at == 0:
            yield span(sentence, found, at + 1, count - 1), True  # a last name, as well: no proof that it stands alone
        at += count or 1


def is_afterthought(sentence: str, at: int) -> bool:
    """Whether a place lies behind a comma that ends more than a lead-in."""
    comma = _COMMA.search(sentence)
    return comma is not None and comma.start() < at and len(words(sentence[: comma.start()])) > LEAD_IN


def says_more(sentence: str, end: int, start: int = 0) -> bool:
    """Whether something plain is said beside a name: a heading is names and capitals only."""
    rest = f"{sentence[:start]} {sentence[end:]}"
    if start == 0 and not any(map(writes_without_blanks, rest)):
        follows = _PREDICATE.match(sentence, end)
        if follows is None or follows[1].isupper():
            return False
    return any(letter.isalpha() and not letter.isupper() for letter in rest)


def is_nameworthy(name: str) -> bool:
    """Written as a name: a capital, a digit, or inner punctuation in every word that is no function word."""
    parts = [word for word in name.split() if word.casefold() not in FUNCTION_WORDS]
    first, last = name.split()[0], name.split()[-1]
    if not parts or first.casefold() in FUNCTION_WORDS or last.casefold() in FUNCTION_WORDS:
        return False
    return all(word[:1].isupper() or not word.isalpha() or not word.isascii() for word in parts)


def _is_capital(word: str) -> bool:
    return word[:1].isupper() and word.casefold() not in FUNCTION_WORDS
