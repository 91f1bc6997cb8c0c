"""Whom a pronoun that opens a sentence means: `Noor lives in Cádiz. She works as a nurse.`

It means who the sentence just before is about (the subject is what a pronoun most likely takes up: Grosz, Joshi and
Weinstein 1995, Centering). Only where nobody else can be meant: that sentence opens with the name of a person, and no
other stands in it, but for one that tells where or when (`moved to Oslo`). In doubt the sentence stays text of its
session; so it does in scripts without capitals, where nothing shows a name that is new.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from graphdream.dreamers.reading.evidence import is_time
from graphdream.dreamers.reading.names import Naming, Subject
from graphdream.dreamers.reading.sentences import Word, words
from graphdream.dreamers.reading.states import is_said_to_be
from graphdream.facts.words import CHANGE, FUNCTION_WORDS
from graphdream.language.classes import words_in_order, words_of
from graphdream.language.lexicon import capitalises_nouns, has_dictionary, written

PERSON = "person"
_SHE_OR_THEY = frozenset(("sie", "zij", "ze"))
_OF_SEVERAL = ("n", "sind")  # what a German or Dutch verb of several ends with
_OF_THINGS_TOO = frozenset(("fr", "pt", "ro", "de", "nl", "ru", "uk", "bg"))
"""Languages whose *he* and *she* are said of things as well, and are not left out where they would be clear (World
Atlas of Language Structures, features 44A and 101A)."""


class Pointed:
    """Follows a text sentence by sentence, and says whom its pronouns mean.

    Args:
        naming: whom the names of the session mean.
    """

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._last: Subject | None = None
        self._pronoun = ""  # by which the last one was meant already

    def subject(self, sentence: str) -> Subject | None:
        """Whom the next sentence of a text is about: who is named, or whom a pronoun at its head means."""
        found = words(sentence)
        language = self._naming.languages.of(sentence)
        pronoun = _pronoun(found, language) if self._last is not None else ""
        if pronoun:
            is_hers = pronoun in words_of("hers", language)
            about = None if self._pronoun not in ("", pronoun) and not is_hers else self._last  # *he* is not *she*
            # of `her sister`, the next *she* may be either
            stays = about is not None and not is_hers and self._is_alone(sentence, found, 1, language)
        else:
            about = self._naming.subject(sentence)
            stays = about is not None and self._is_only_person(about, sentence, found, language)
        self._pronoun = pronoun
        self._last = about if stays else None
        return about

    def _is_only_person(self, about: Subject, sentence: str, found: list[Word], language: str | None) -> bool:
        """Whether a sentence opens with the name of a person, not with what that person has, and names nobody else."""
        name = words(about.name)
        opens = len(found) > len(name) and [word.text for word in found[: len(name)]] == [word.text for word in name]
        if not opens or not self._may_be_person(about, language):
            return False
        return self._is_alone(sentence, found, len(name), language)

    def _may_be_person(self, about: Subject, language: str | None) -> bool:
        known = self._naming.type_of(about.reference) if about.reference is not None else ""
        if PERSON in (known, about.type):
            return True
        if known or language is None or not has_dictionary(language):
            return False
        first = about.name.split()[0]
        return first.isalpha() and first.istitle() and written(first, language) != "lower"

    def _is_alone(self, sentence: str, found: list[Word], at: int, language: str | None) -> bool:
        """Whether no word from number `at` on names one more who may be meant, or tells of one (`has a dog`)."""
        rest = sentence[found[at - 1].end :]
        if any(self._naming.type_of(handle) == PERSON for handle in self._naming.known_in(rest)):
            return False
        if any(_has_one(*both, language) for both in pairwise(found[at:])):
            return False
        if language in _OF_THINGS_TOO and not _names_no_thing(sentence, found, at, language):
            return False
        predicate = _behind_predicate(sentence, found, at, language)
        if _is_one_noun(found[at + 1 : predicate], language):
            at = predicate
        return all(
            is_time(found[number].text, language)
            or _tells_where(found, number, language)
            or found[number - 1].text.casefold() in words_of("indefinite", language)  # `a Dvorak keyboard`
            for number in _capitals(found, at)
        )


def _tells_where(found: list[Word], number: int, language: str | None) -> bool:
    """Whether what stands before a word shows that it tells where: `in Oslo`, `moved to Oslo`."""
    before, earlier = (found[at].text.casefold() for at in (number - 1, max(0, number - 2)))
    return before in words_of("where", language) or (before in words_of("towards", language) and earlier in CHANGE)


def _names_no_thing(sentence: str, found: list[Word], at: int, language: str | None) -> bool:
    """Whether words say nothing beside one verb, but where and when: `mora em Lisboa`, `ist nach Bergen gezogen`."""
    said = 0
    start = _behind_predicate(sentence, found, at, language)
    for number in range(start, len(found)):
        word = found[number].text.casefold()
        said += not (word in FUNCTION_WORDS or is_time(word, language) or _tells_where(found, number, language))
    return said <= (1 if start == at else 0)


def _behind_predicate(sentence: str, found: list[Word], at: int, language: str | None) -> int:
    """The number of the first word behind what somebody is said to be, which is nobody else (`ist der neue Lehrling`);
    the number `at` where no copula stands there."""
    if at >= len(found):
        return at
    if found[at].text.casefold() not in words_of("is", language) and not is_said_to_be(sentence, found, at, language):
        return at
    leading = frozenset().union(*(words_of(name, language) for name in ("where", "towards", "from", "of", "by")))
    end = next((end for end in range(at + 1, len(found)) if found[end].text.casefold() in leading), len(found))
    return end if end > at + 1 else at


def _is_one_noun(predicate: list[Word], language: str | None) -> bool:
    """Whether words behind a copula are an article and one noun that has its capital for being one (`der Lehrling`); no
    name of somebody else has an article."""
    if not predicate or not capitalises_nouns(language):
        return False
    articles = words_of("definite", language) | words_of("indefinite", language)
    return predicate[0].text.casefold() in articles and sum(word.is_capital for word in predicate) == 1


def _has_one(verb: Word, behind: Word, language: str | None) -> bool:
    """Whether two words say that somebody has something not spoken of before."""
    has, one = words_of("has", language), words_of("indefinite", language)
    return verb.text.casefold() in has and behind.text.casefold() in one


def _capitals(found: list[Word], at: int) -> Iterator[int]:
    """The numbers of the words, from one on, that begin a run of capitals."""
    for number in range(at, len(found)):
        if found[number].is_capital and not (number > at and found[number - 1].is_capital):
            yield number


def _pronoun(found: list[Word], language: str | None) -> str:
    """The pronoun of one person that a sentence begins with, or that of what such a one has; "" where there is none."""
    if not found:
        return ""
    first = unicodedata.normalize("NFC", found[0].text.casefold())
    if first not in _pronouns(language) or len(found) == 1:
        return ""
    verb = found[1].text.casefold()
    is_they = first in _SHE_OR_THEY and verb.endswith(_OF_SEVERAL)
    return "" if is_they or verb in words_of("third_not", language) else first


@lru_cache
def _pronouns(language: str | None) -> frozenset[str]:
    """The pronouns of one other person and of what such a one has, with their accents: Spanish `él` is *he*, `el` is
    *the*."""
    told = [one for name in ("third", "hers") for one in words_in_order(name, language or "")]
    return frozenset(word for forms in told for word in forms)
