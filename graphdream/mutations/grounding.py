"""Coverage and grounding: what replaces facts loses nothing specific and invents nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from graphdream.errors import QUOTED_CHARACTERS, quoted
from graphdream.mutations.specifics import read_tokens

_MOST_LISTED = 12  # specifics that a message spells out
_LIST_NUMBER = re.compile(r"^\s*\d{1,3}[.)]\s+")
_ALWAYS = frozenset({"number", "date", "time", "url", "id"})


def lost_specifics(sources: Iterable[str], replacement: str, names: Iterable[str]) -> frozenset[str]:
    """The specifics of `sources` that `replacement` lacks; a name of the subject is never missed.

    The number of a list item is no specific, and a word that a source breaks off in the middle is covered by the
    whole word.

    Args:
        names: name and aliases of the entity that the facts are about.
    """
    said = _words(replacement) | _named(names)
    lost: set[str] = set()
    for text in sources:
        bare = _LIST_NUMBER.sub("", text)
        missing = _specifics(bare) - said
        broken = _last_word(bare)
        if broken in missing and any(word.startswith(broken) for word in said):
            missing -= {broken}
        lost |= missing
    return frozenset(lost)


def dates_among(specifics: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
    """Those of `specifics` that are dates or times in one of `texts`."""
    when = {token.text for text in texts for token in read_tokens(text) if token.kind in ("date", "time")}
    return frozenset(specifics) & when


def _last_word(text: str) -> str:
    words = [token.text for token in read_tokens(text) if token.kind != "mark"]
    return words[-1] if words else ""


def new_specifics(sources: Iterable[str], replacement: str, names: Iterable[str]) -> frozenset[str]:
    """The specifics of `replacement` that none of `sources` has; a name of the subject is always known."""
    known = frozenset().union(*(_words(text) for text in sources))
    return _specifics(replacement) - known - _named(names)


def _specifics(text: str) -> frozenset[str]:
    return frozenset(token.text for token in read_tokens(text) if token.kind in _ALWAYS or token.proper)


def _words(text: str) -> frozenset[str]:
    return frozenset(token.text for token in read_tokens(text) if token.kind != "mark")


def _named(names: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*(_words(name) for name in names))


def listed(specifics: Collection[str]) -> str:
    """The first few of them, in words; how many more there are."""
    shown = [word if len(word) <= QUOTED_CHARACTERS else quoted(word) for word in sorted(specifics)[:_MOST_LISTED]]
    more = len(specifics) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
