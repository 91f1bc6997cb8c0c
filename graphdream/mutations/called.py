"""What things are called: which words of a name, a type, an aspect or a kind of link say something specific.

A name stands for one thing, so every word of it that is written with a capital is specific, also the first. Types,
aspects and kinds of links are words for many things and written in many ways (`works_at`, `WorksAt`, `Works At`), so
there a capital counts only where no dictionary has the word in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from graphdream.language.classes import function_words
from graphdream.language.folding import fold
from graphdream.language.lexicon import capitalises_nouns, has_dictionary, is_inflected, written
from graphdream.language.scripts import is_unspaced
from graphdream.mutations.specifics import Token, read_tokens

_CLAUSE = re.compile(r"(?<=[:;.!?|])\s+|[()\[\]{}|]")
_HEAD = "x "  # before a text, so that a capital at its head is no capital that the start of a sentence owes
_SLUG = re.compile(r"(?:[^\W_]|-)+(?:[_/]+(?:[^\W_]|-)+)+")
_HUMP = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_UNCASED = re.compile(r"[^\W\d_]+")
_LONGEST_SHORT = 5  # capitals of a word that is short for others: `HR`, `FAQ`
_LEAST_SIGNS, _MOST_SIGNS = 2, 8  # neighbours, in a script without spaces, that mean something by themselves
_PIECE = 3_000  # characters of a clause that are read at once; `read_tokens` reads some more, and no further


@dataclass(frozen=True, slots=True)
class CalledBy:
    """What a text calls something by.

    Attributes:
        exact: its numbers, dates, times, addresses and identifiers; a month alone may be a name (`April`), and is none.
        capitals: its words with a capital; of those that are short for others (`HR`) all letters are.
        inner: those of `capitals` that stand behind, among words in small letters.
        uncased: its words in scripts without capitals, folded.
    """

    exact: tuple[Token, ...]
    capitals: tuple[Token, ...]
    inner: frozenset[str]
    uncased: tuple[str, ...]


@lru_cache(maxsize=20_000)
def called_by(text: str) -> CalledBy:
    """The words of a name or a label that may be specific; words in small letters are none."""
    tokens = [token for token in _tokens(_as_words(text)) if token.kind != "mark"]
    words = [token for token in tokens if not _is_exact(token) and not _is_uncased(token.text)]
    told = [word for word in words if not _is_function(word.text)]
    small = not _are_function([word.text for word in words if not word.proper])
    return CalledBy(
        tuple(token for token in tokens if _is_exact(token) and not token.text.startswith("month-")),
        tuple(word for word in (told or words) if word.proper),
        frozenset(word.text for word in words[1:] if word.proper) if small else frozenset(),
        tuple(fold(found[0]) for found in _UNCASED.finditer(text) if _is_uncased(found[0])),
    )


def specific_capitals(called: CalledBy, language: str | None, label: str) -> frozenset[str]:
    """The words of a label that its capital makes a name: no dictionary has them in small letters.

    Args:
        language: code of the language of what the label stands beside; English is always asked, too, because labels
            are often written in it. None: not known.
        label: as it is written.
    """
    if language is not None and capitalises_nouns(language):
        return frozenset()
    can_tell = language is None or has_dictionary(language)
    return frozenset(
        word.text
        for word in called.capitals
        if (word.text in called.inner or (can_tell and not _is_short(word.text, label) and not _is_frequent(word.text)))
        and not is_plain(word.text, language)
    )


def is_plain(word: str, language: str | None) -> bool:
    """Whether English, or another language, writes a word in small letters; where that gives every noun a capital,
    whether it has the word at all.

    Args:
        word: folded.
    """
    asked = {"en", language} if has_dictionary(language) else {"en"}
    return any(_is_plain_in(word, code) for code in asked if code is not None)


def uncovered(signs: str, says: Callable[[str], bool]) -> bool:
    """Whether a run of signs of a script without spaces is made up, as far as that can be told: none of it that means
    something is said, or two neighbours are neither said nor part of a frequent word.

    Args:
        says: whether some neighbouring signs are said.
    """
    at, missing, anything_said = 0, 0, False
    while at < len(signs):
        ends = range(min(len(signs), at + _MOST_SIGNS), at + _LEAST_SIGNS - 1, -1)
        said = next((end for end in ends if says(signs[at:end])), 0)
        end = said or next((end for end in ends if _is_frequent(signs[at:end])), 0)
        anything_said |= bool(said)
        missing = 0 if end else missing + 1
        if missing >= _LEAST_SIGNS:
            return True
        at = end or at + 1
    return not anything_said


def is_run_of_signs(word: str) -> bool:
    """Whether a word is in a script that writes no spaces between words."""
    return is_unspaced(word[:1])


def initials_of(texts: Collection[str]) -> str:
    """The first letters of the words with a capital of some texts, folded, in order; little words between them (`of`)
    are left out, and any other parts those before it from those behind it by a space."""
    found = (word[0] for text in texts for word in re.finditer(r"\w+", text))
    return "".join(fold(word[0]) if word[0].isupper() else "" if _is_function(fold(word)) else " " for word in found)


def _as_words(text: str) -> str:
    """A text with what identifiers join taken apart: `works_at`, `work/tools`, `worksAt`; those that hold figures stay
    as they are, because then they name one thing."""
    if " " not in text.strip() and text.isalpha() and not text.isupper():
        first, *others = _HUMP.split(text)
        text = " ".join((first, *(word if word.isupper() else word.lower() for word in others)))
    return _SLUG.sub(lambda found: re.sub(r"[_/]+", " ", found[0]), text)


def _tokens(text: str) -> Iterator[Token]:
    for clause in _CLAUSE.split(text):
        for at in range(0, len(clause), _PIECE):
            yield from read_tokens(_HEAD + clause[at : at + _PIECE])[1:]


def _is_exact(token: Token) -> bool:
    return token.kind != "word" or any(map(str.isdigit, token.text))


def _is_uncased(word: str) -> bool:
    return word.lower() == word.upper() and word.isalpha()


@cache
def _all_function_words() -> frozenset[str]:
    return frozenset[str]().union(*function_words().values())


def _is_function(word: str) -> bool:
    return word in _all_function_words()


def _are_function(words: Collection[str]) -> bool:
    """Whether words that stand together are all in closed classes of one language, as the little words of a title."""
    return any(known.issuperset(words) for known in function_words().values())


def _is_short(word: str, label: str) -> bool:
    return len(word) <= _LONGEST_SHORT and word.upper() in label


def _is_plain_in(word: str, language: str) -> bool:
    how = written(word, language)
    return how in ("lower", "both") or (how == "proper" and capitalises_nouns(language)) or is_inflected(word, language)


def _is_frequent(word: str) -> bool:
    from graphdream.language.senses import has_sense  # loads a table that most passes do without

    return has_sense(word)
