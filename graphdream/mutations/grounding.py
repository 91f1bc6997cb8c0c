"""Coverage and grounding: what replaces facts loses nothing specific and invents nothing (FEATURES E8, E9)."""

from __future__ import annotations

from collections.abc import Iterable

from graphdream.mutations.specifics import tokens

_ALWAYS = frozenset({"number", "date", "time", "url", "id"})


def lost_specifics(sources: Iterable[str], replacement: str, names: Iterable[str]) -> frozenset[str]:
    """The specifics of `sources` that `replacement` lacks; a name of the subject is never missed.

    Args:
        names: name and aliases of the entity that the facts are about.
    """
    wanted = frozenset().union(*(_specifics(text) for text in sources))
    return wanted - _words(replacement) - _named(names)


def new_specifics(sources: Iterable[str], replacement: str, names: Iterable[str]) -> frozenset[str]:
    """The specifics of `replacement` that none of `sources` has; a name of the subject is always known."""
    known = frozenset().union(*(_words(text) for text in sources))
    return _specifics(replacement) - known - _named(names)


def _specifics(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokens(text) if token.kind in _ALWAYS or token.proper)


def _words(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokens(text) if token.kind != "mark")


def _named(names: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*(_words(name) for name in names))
