"""Nicknames and first names of English, from a library that ships them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


def are_nicknames(a: str, b: str) -> bool:
    """Whether one is a usual short form of the other in English (Bob of Robert; not Paul of Peter)."""
    if not (a.isascii() and b.isascii()) or min(len(a), len(b)) < 2:
        return False
    return (b in _nicknames_of(a) and _is_short(b, a)) or (a in _nicknames_of(b) and _is_short(a, b))


def _is_short(nickname: str, name: str) -> bool:
    """Whether a nickname may be a short form: no longer than its name, unless built on it (Johnny)."""
    return len(nickname) <= len(name) or nickname.startswith(name)


@lru_cache(maxsize=65_536)
def are_forms_of_one(a: str, b: str) -> bool:
    """Whether two first names may be short forms of one (Peggy and Maggie of Margaret)."""
    return a.isascii() and b.isascii() and not _canonicals_of(a).isdisjoint(_canonicals_of(b))


@lru_cache(maxsize=65_536)
def _canonicals_of(word: str) -> frozenset[str]:
    return frozenset(name for name in _namer().canonicals_of(word) if are_nicknames(name, word)) | {word}


@lru_cache(maxsize=65_536)
def is_given_name(word: str) -> bool:
    """Whether a word is a usual first name in English, or a short form of one."""
    return word.isascii() and bool(_namer().nicknames_of(word) or _namer().canonicals_of(word))


@lru_cache(maxsize=65_536)
def _nicknames_of(word: str) -> frozenset[str]:
    return frozenset(_namer().nicknames_of(word))


@lru_cache(maxsize=1)
def _namer() -> Any:
    from nicknames import NickNamer

    return NickNamer()
