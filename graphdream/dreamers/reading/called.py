"""Who is meant by the first word of a whole name, and who owns what follows: `Kerstin`, `Kerstins Schwester`."""

from __future__ import annotations

from collections.abc import Iterable

from graphdream.dreamers.gathered import SeenSession
from graphdream.dreamers.reading.bearers import may_be_first_name
from graphdream.dreamers.reading.sentences import OWNER, Word, sentences, words
from graphdream.dreamers.reading.toldwords import leads_in
from graphdream.dreamers.reading.unread import texts_of
from graphdream.graph.names import canonical
from graphdream.language.classes import words_of
from graphdream.language.lexicon import capitalises_nouns, has_dictionary, written
from graphdream.language.present import may_be_present

_OWNING = frozenset(("de", "lb", "sv", "da", "nb"))
"""Languages whose genitive of a name is written without a mark (Universal Dependencies: Case=Gen of the tag PROPN)."""
_ENDING = "s"
_SHORTEST = 3  # letters of a name before that ending
_LONGEST = 3  # words of a whole name of somebody


def firsts_in(sessions: Iterable[SeenSession]) -> set[str]:
    """Words of sessions with a capital, in canonical form, also without the ending of a genitive: first words of whole
    names to look up."""
    found: set[str] = set()
    for session in sessions:
        for sentence in (sentence for text in texts_of(session) for sentence in sentences(text)):
            for word in words(sentence):
                if word.is_capital:
                    bare = OWNER.sub("", word.text)
                    found.update((canonical(bare), canonical(without_genitive(bare))))
    return found - {""}


def without_genitive(word: str, language: str | None = "de") -> str:
    """A name without the ending of a genitive; "" where the language has none, or there is no such ending."""
    has_ending = language in _OWNING and word.endswith(_ENDING) and len(word) > _SHORTEST
    return word[: -len(_ENDING)] if has_ending else ""


def may_be_owned(behind: list[Word], language: str | None) -> bool:
    """Whether what stands behind a name begins with a noun of the dictionary, and not with a verb: `Jonas arbeitet`."""
    if not behind or language is None or not has_dictionary(language):
        return False
    word = behind[0]
    if capitalises_nouns(language):
        return word.is_capital and written(word.text, language) in ("proper", "both")
    is_verb = may_be_present(word.text, language) or word.text.casefold() in words_of("changes", language)
    return written(word.text, language) in ("lower", "both") and not is_verb and not leads_in(word)


def is_first_of(word: str, whole: str, language: str | None) -> bool:
    """Whether a word that opens a sentence is the first name in a whole name, and not a noun of its language.

    Args:
        word: with a capital, the first word of `whole`.
        whole: a name that the memory knows.
        language: code of the language of the sentence.
    """
    name = whole.split()
    if language is None or not has_dictionary(language) or not 1 < len(name) <= _LONGEST:
        return False
    if not all(part.isalpha() and part.istitle() for part in name) or not may_be_first_name(word, language):
        return False
    how = written(word, language)
    if not capitalises_nouns(language):
        return how in ("absent", "proper")
    return how == "absent" or (how == "proper" and written(name[-1], language) == "absent")
