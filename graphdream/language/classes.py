"""Closed classes of words, by language: read once from `classes.yaml`, which names where they are from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from graphdream.language.folding import fold
from graphdream.language.tables import table

_OPEN = frozenset(
    "anew asks called changes conditions coordinates dwells elides hours intends linking mornings nearly numerals "
    "overmorrow passes possessive recurs relocates replaces sets still supposes user uses".split()
)
"""Classes of the file that are no closed ones (nouns, adjectives, verbs, numbers), that only questions have, or whose
words are much more often something else in other languages (Portuguese `sua`, Dutch `zijn`)."""


@lru_cache(maxsize=1)
def _written() -> dict[str, dict[str, list[tuple[str, ...]]]]:
    """Language -> class -> its words as the file has them; those that stand for one thing together."""
    return {
        language: {name: [tuple(one.split("/")) for one in str(words).split()] for name, words in classes.items()}
        for language, classes in table("classes.yaml").items()
    }


@lru_cache(maxsize=1)
def _classes() -> dict[str, dict[str, frozenset[str]]]:
    """Language -> class -> its words."""
    return {
        language: {name: _both_ways([word for one in words for word in one]) for name, words in classes.items()}
        for language, classes in _written().items()
    }


@lru_cache(maxsize=1)
def function_words() -> dict[str, frozenset[str]]:
    """Language -> every word of its closed classes; those of open ones are none, and other languages borrow them."""
    return {
        language: frozenset().union(*(words for name, words in classes.items() if name not in _OPEN))
        for language, classes in _classes().items()
    }


def closed_class(name: str, *, but: str = "", of: Collection[str] = ()) -> frozenset[str]:
    """The words of a class, as they are written and as they are compared.

    Args:
        name: the class.
        but: code of a language that is left out.
        of: codes of the languages that are asked; without, all that have it.

    Raises:
        KeyError: there is no such class.
    """
    asked = {code: classes for code, classes in _classes().items() if code != but and (not of or code in of)}
    found = [classes[name] for classes in asked.values() if name in classes]
    if not found:
        raise KeyError(name)
    return frozenset().union(*found)


def words_of(name: str, language: str | None) -> frozenset[str]:
    """The words of a class in one language; none where the language is not known, or has no such class."""
    return _classes().get(language or "", {}).get(name, frozenset())


def words_in_order(name: str, language: str) -> list[tuple[str, ...]]:
    """The words of a class in one language in their order, forms of one word together; none where there is no class."""
    return _written().get(language, {}).get(name, [])


def spoken_class(name: str, words: tuple[str, ...], *, certain: bool = False) -> frozenset[str]:
    """The words of a class in the languages that a text may be in: those of which most of its words are in closed
    classes. One word is grammar of several languages, and of another kind in each: English `a` is an article, and
    Spanish `a` leads in to where something goes.

    Args:
        name: the class.
        words: of the text, as they are compared.
        certain: only what is of the class in each of these languages.
    """
    return _class_in(name, _spoken(words), certain)


@lru_cache(maxsize=1)
def _languages_of() -> dict[str, list[str]]:
    """Word -> the languages that have it in a closed class."""
    out: dict[str, list[str]] = {}
    for code, known in function_words().items():
        for word in known:
            out.setdefault(word, []).append(code)
    return out


@lru_cache(maxsize=100_000)
def _spoken(words: tuple[str, ...]) -> tuple[str, ...]:
    counted, languages = dict.fromkeys(function_words(), 0), _languages_of()
    for word in words:
        for code in languages.get(word, ()):
            counted[code] += 1
    most = max(counted.values())
    return tuple(code for code, count in counted.items() if count == most)


@lru_cache(maxsize=10_000)
def _class_in(name: str, languages: tuple[str, ...], certain: bool) -> frozenset[str]:
    found = [words_of(name, code) for code in languages]
    return frozenset.intersection(*found) if certain else frozenset().union(*found)


def _both_ways(words: Sequence[str]) -> frozenset[str]:
    return frozenset((*words, *map(fold, words)))
