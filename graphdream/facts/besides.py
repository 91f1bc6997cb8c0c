"""Whether a statement says something besides what a newer one ends: `drives a Skoda and is allergic to cats`."""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.facts.reading import SUBJECT, TYPED, Reading
from graphdream.facts.words import FROM_NOW_ON, FUNCTION_WORDS, JOINS, LEADS_FROM

_LEAST = 2
"""Words and values of its own with which a part says something; one is a turn of phrase (`, as usual`)."""


def says_besides(before: Reading, after: Reading) -> bool:
    """Whether the older has a part of which the newer says nothing, beside one that the newer may be about.

    The newer ends that one; who takes the whole for over loses the other. A part ends at a mark or at the word for
    *and*. What comes first and is set off by a mark alone is mostly who said it, or when (`as Bo told us, ...`).
    """
    known = frozenset(after.words)
    telling = [word if _tells(kind, word) else "" for kind, word in zip(before.shape, before.words, strict=True)]
    inside = range(1, len(telling))
    joins = [at for at in inside if before.words[at] in JOINS]
    return any(
        _besides(telling[:at], telling[at:], known) for at in {*before.marks.intersection(inside), *joins}
    ) or any(_besides(telling[at:], _without_subject(telling[:at]), known) for at in joins)


def _besides(near: Sequence[str], far: Sequence[str], known: frozenset[str]) -> bool:
    """Whether the newer, which has the words `known`, is about the near part, and all that it has in common with the
    far one is in the near one, too."""
    about, apart = known.intersection(near), set(near) - known - {""}
    others = set(far) - known - {""}
    says = len(others) >= _LEAST or (len(far) >= _LEAST and any(word.isdecimal() for word in others))  # `, 6 done`
    return bool(about and apart) and known.intersection(far) <= about and says


def _without_subject(part: Sequence[str]) -> Sequence[str]:
    """A first part without its first telling word, which may be what both parts are about: `the server is called heron
    and has 16 GB`."""
    first = next((at for at, word in enumerate(part) if word), 0)
    return part[first + 1 :]


def _tells(kind: str, word: str) -> bool:
    return kind in TYPED or not (kind == SUBJECT or word in _TELLS_NOTHING)


_TELLS_NOTHING = FUNCTION_WORDS | FROM_NOW_ON | LEADS_FROM
"""Words that say nothing besides; a former value of the same (`, previously Felix`) is no other thing."""
