"""Whether a newer statement says a figure anew in the older's words: `Die API lauscht auf Port 8080`, then `Die API
lauscht nun auf 9090`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.besides import comes_on_top
from graphdream.facts.reading import LABEL, MEASURED, Reading
from graphdream.facts.telling import ADVERBIAL, has_form_of, places, tells
from graphdream.facts.words import INTENT, IS, NEGATIONS, NOW, OF

_LEAST = 2
"""Words that both have, at least: what it is said of, and its verb."""


@lru_cache(maxsize=50_000)
def tells_it_anew(before: Reading, after: Reading) -> bool:
    """Whether the newer says of now what the older said, in words that the older has, with another figure of its kind.

    What it leaves out of the older's words stands beside the figure there and says what it counts (`port 8080`, `2 de
    la madrugada`), or is an adverb; anything else may be what the older is true of alone (`on port 8080 in staging`).
    """
    (mine, figure), (theirs, other) = _said(before), _said(after)
    if (
        figure < 0
        or other < 0
        or before.shape[figure] != after.shape[other]
        or before.words[figure] == after.words[other]
    ):
        return False
    if _is_name(before, figure) or _is_name(after, other):
        return False
    if NOW.isdisjoint(after.words) or not NOW.isdisjoint(before.words) or comes_on_top(before, after):
        return False
    if len(theirs) < _LEAST or theirs[0] != mine[0] or not all(has_form_of(before, (word,)) for word in theirs):
        return False
    left = [at for at, word in enumerate(before.words) if word in mine and not _is_in(word, after)]
    return all(_counts(before, at, figure) for at in left)


def _said(one: Reading) -> tuple[list[str], int]:
    """The words of a statement of one clause that tell something, but for its only figure, and the place of that; -1
    where there is none, or several, or it is no plain statement."""
    figures = [at for at, kind in enumerate(one.shape) if kind in MEASURED]
    plain = one.marks <= {0} and (NEGATIONS | INTENT | {LABEL}).isdisjoint(one.words)
    words = [word for kind, word in places(one) if kind not in MEASURED and tells(kind, word) and word not in NOW]
    return words, figures[0] if plain and len(figures) == 1 else -1


def _is_name(one: Reading, figure: int) -> bool:
    """Whether a figure says which one it is: it stands before the copula (`space 15 is free`), or before what is said
    of now (`дорожка 5 теперь закрыта`)."""
    if not IS.isdisjoint(one.words[figure + 1 :]):
        return True
    now = next((at for at in range(figure + 1, len(one.words)) if one.words[at] in NOW), len(one.words))
    return any(tells(*both) for both in places(one, now + 1))


def _is_in(word: str, after: Reading) -> bool:
    return word.endswith(ADVERBIAL) or has_form_of(after, (word,))


def _counts(one: Reading, at: int, figure: int) -> bool:
    """Whether a word stands right before a figure, or right behind it, or is of it."""
    if at < figure:
        return at == figure - 1
    between = one.words[figure + 1 : at]
    return not between or between[0] in OF
