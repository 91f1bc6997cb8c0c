"""What the words of a sentence or of a fact tell, without those of grammar."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from graphdream.dreamers.reading.sentences import Word, words
from graphdream.dreamers.reading.user import is_users
from graphdream.facts.words import FROM_NOW_ON, FUNCTION_WORDS, LEADS_FROM, is_of_change
from graphdream.graph.names import canonical
from graphdream.language.forms import APOSTROPHES, ELIDED, LEAST_STEM, share_stem

PARTICLES = FUNCTION_WORDS | FROM_NOW_ON | LEADS_FROM  # also `从`, and `不`


def parted(text: str) -> list[Word]:
    """The words of a text; what is elided before one (`l'alarme`, `dell'affitto`) is a word."""
    found: list[Word] = []
    for word in words(text):
        elided = ELIDED.match(word.text)
        if elided is not None:
            found.append(Word(elided.group(), word.start, word.start + elided.end()))
            word = Word(word.text[elided.end() :], word.start + elided.end(), word.end)
        found.append(word)
    return found


def leads_in(word: Word) -> bool:
    """Whether a word leads in to a topic: a function word, what is elided, or who has it (`the user's rent`)."""
    is_grammar = word.text.casefold() in FUNCTION_WORDS and not is_acronym(word.text)
    return is_grammar or word.text[-1] in APOSTROPHES or is_users(word.text)


def is_acronym(word: str) -> bool:
    """Whether a word is written in capitals only; then it is none of grammar (`CI`; Italian has `ci`)."""
    return len(word) > 1 and word.isupper() and word.isalpha()


def told_in(found: Iterable[Word]) -> frozenset[str]:
    """What words tell, folded."""
    folded = ((canonical(word.text), word.text) for word in found)
    return frozenset(word for word, text in folded if word not in PARTICLES or is_acronym(text))


def changes_in(found: Iterable[Word]) -> bool:
    """Whether any of some words tells a change."""
    return any(is_of_change(canonical(word.text)) for word in found)


def in_common(one: Iterable[str], other: Iterable[str]) -> int:
    """How many of some words are among others, as they are or in another form."""
    theirs = frozenset(other)
    begin = defaultdict[str, list[str]](list)  # forms of a word share its first letters
    for their in theirs:
        begin[their[:LEAST_STEM]].append(their)
    return sum(word in theirs or any(share_stem(word, near) for near in begin[word[:LEAST_STEM]]) for word in one)
