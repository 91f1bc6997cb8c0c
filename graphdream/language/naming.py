"""What stands in names without being the name, by language: read once from `naming.yaml`, which names its sources."""

from __future__ import annotations

from functools import lru_cache

from graphdream.language.folding import fold
from graphdream.language.tables import table

_ADDRESS = ("men", "women", "titles", "courtesy")


@lru_cache(maxsize=64)
def naming_class(name: str) -> frozenset[str]:
    """The words of a class in all languages, as they are written and as they are compared.

    Raises:
        KeyError: there is no such class.
    """
    found = [str(classes[name]).split() for classes in _written().values() if name in classes]
    if not found:
        raise KeyError(name)
    return frozenset(form for words in found for word in words for form in (word, fold(word)))


@lru_cache(maxsize=64)
def titles_of(language: str | None) -> frozenset[str]:
    """The forms of address of a language, in lower case, as they stand before names in its sentences."""
    classes = _written().get(language or "", {})
    words = [word for name in _ADDRESS for word in classes.get(name, "").split()]
    return frozenset(form for word in words for form in (word, fold(word)))


@lru_cache(maxsize=1)
def _written() -> dict[str, dict[str, str]]:
    written: dict[str, dict[str, str]] = table("naming.yaml")
    return written


@lru_cache(maxsize=4_096)
def is_person_type(type_: str) -> bool:
    """Whether a type of a thing, in any of the languages, is the word for a person."""
    return _as_compared(type_) in naming_class("person")


@lru_cache(maxsize=4_096)
def is_organization_type(type_: str) -> bool:
    """Whether a type of a thing, in any of the languages, is a word for an organization."""
    return _as_compared(type_) in naming_class("organization")


def _as_compared(type_: str) -> str:
    return fold(type_.strip())
