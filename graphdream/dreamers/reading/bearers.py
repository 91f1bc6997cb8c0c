"""Who bears a last name: the whole names that end with the same words, `Mark Hill` and `Grace Hill`.

Any number of people share a last name. So a word with a capital before it is a part of the name, unless something says
that it is none; in doubt two are kept apart, since one of two that were taken for one loses what is told of the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from graphdream.dreamers.gathered import Usage
from graphdream.dreamers.reading.evidence import is_month, is_time
from graphdream.dreamers.reading.runs import capital_runs
from graphdream.facts.words import FUNCTION_WORDS
from graphdream.graph.names import canonical
from graphdream.language.classes import closed_class
from graphdream.language.lexicon import Languages, capitalises_nouns, has_dictionary, written

_PLURALS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "en": (("y", "ies"), ("", "s"), ("", "es")),
    "es": (("", "s"), ("", "es")),
    "pt": (("", "s"), ("", "es")),
    "fr": (("", "s"),),
    "it": (("a", "e"), ("o", "i"), ("e", "i")),
    "ru": (("а", "ы"), ("а", "и"), ("ь", "и"), ("я", "и"), ("", "ы"), ("", "и")),
}
"""Ending of a noun -> that of several (Universal Dependencies: Number=Plur of the tag NOUN). An adverb has none."""


_LINKING = closed_class("linking")


def may_be_noun(word: str, language: str | None) -> bool:
    """Whether a word in a dictionary may be a noun, as first names that are words are (`Grace`, `Olive`, `Rosa`),
    and adverbs that open a sentence are not (`Later`)."""
    folded = word.casefold()
    if folded in _LINKING or (language == "en" and _is_compared(folded)):
        return False
    return any(
        folded.endswith(ending) and written(folded.removesuffix(ending) + plural, language or "") in ("lower", "both")
        for ending, plural in _PLURALS.get(language or "", ())
    )


def _is_compared(word: str) -> bool:
    """Whether an English word has a superlative, or is a comparative, as adjectives have and are: `new`, `later`."""
    return written(f"{word[:-1]}st" if word.endswith("er") else f"{word}est", "en") == "lower"


def may_be_first_name(word: str, language: str | None) -> bool:
    """Whether a word may be the first of a whole name: none of grammar, no time, and none that only leads in."""
    if is_month(word, language):
        return True  # `May Quill`, though `may` is a word of grammar, too
    if word.casefold() in FUNCTION_WORDS or is_time(word, language):
        return False
    if language is None or not has_dictionary(language) or written(word, language) != "lower":
        return True
    return may_be_noun(word, language)


class Bearers:
    """The whole names of a memory and of the sentences that are read.

    Args:
        told: the sentences.
        known: names and aliases of entities.
        usage: how the memory writes words, by the word in lower case.
    """

    def __init__(self, told: Iterable[str], known: Iterable[str], usage: Mapping[str, Usage]) -> None:
        told = list(told)
        languages, self._usage = Languages(told), usage
        self._firsts: dict[str, set[str]] = defaultdict(set)  # last words of a name -> the words before them
        for name in known:
            self._enter(name)
        for sentence in told:
            for name, _ in capital_runs(sentence):
                if may_be_first_name(name.split()[0], languages.of(sentence)):
                    self._enter(name)

    def is_shared(self, last: str, first: str) -> bool:
        """Whether somebody else bears a name that ends with the same words, behind another word than `first`."""
        return bool(self._firsts.get(canonical(last), set()) - {canonical(first)})

    def is_apart(self, first: str, last: str, language: str | None) -> bool:
        """Whether a word with a capital is no part of a name behind it that is met alone: nobody else's name ends so,
        and the word is of grammar, a time, one that no first name is, or one that this memory writes in lower case."""
        if self.is_shared(last, first):
            return False
        if not may_be_first_name(first, language):
            return True
        if language is None or not has_dictionary(language):
            return True  # nothing tells a noun there, and the name behind is met alone
        how = written(first, language)
        if how == "absent" or (how == "proper" and not capitalises_nouns(language)):
            return False
        if capitalises_nouns(language):
            return True  # a capital says nothing: `Kollegin Brandt`
        usage = self._usage.get(first.casefold())
        return usage is not None and usage.lower > 0

    def _enter(self, name: str) -> None:
        words = name.split()
        for at in range(1, len(words)):
            self._firsts[canonical(" ".join(words[at:]))].add(canonical(words[at - 1]))
