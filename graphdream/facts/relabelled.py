"""Whether a newer statement tells anew what stands under a label: `Senha: lince44`, `A senha agora é texugo91`."""

from __future__ import annotations

from functools import lru_cache

from graphdream.facts.reading import LABEL, MEASURED, NAME, TYPED, Reading
from graphdream.facts.telling import places, tells, tells_what
from graphdream.facts.words import FROM_NOW_ON, FUNCTION_WORDS, IS
from graphdream.language.classes import closed_class
from graphdream.language.forms import share_stem, unelided
from graphdream.language.scripts import is_unspaced

PLURAL = "s"
"""Ending of what is several in English, French, Spanish, Portuguese and Dutch."""
_ENGLISH = closed_class("grammar", of=("en",)) | closed_class("pronouns", of=("en",))
_BEHIND_A_VERB = closed_class("now", of=("de", "es", "fr", "it", "pt"))
"""Adverbs of now in languages in which no noun stands bare behind another: what stands before one is a verb."""


@lru_cache(maxsize=50_000)
def tells_label_anew(before: Reading, after: Reading) -> bool:
    """Whether the newer begins with the words of the older's label, says right behind them what is from now on, and has
    there a value of each kind that the label has, in the same units."""
    label = label_words(before)
    if not label or LABEL in after.words:
        return False
    behind = behind_label(after, label)
    answer = _answer(after, behind) if behind is not None else None
    if answer is None or FROM_NOW_ON.isdisjoint(after.words[behind:]):
        return False
    mine = [one for one in places(before, before.words.index(LABEL) + 1) if tells_what(*one)]
    theirs = [one for one in places(after, answer) if tells_what(*one)]
    kinds, others = ([kind for kind, _ in said if kind in TYPED] for said in (mine, theirs))
    if not kinds or sorted(kinds) != sorted(others) or {*mine} == {*theirs}:
        return False
    units, named = ([word for kind, word in said if kind not in TYPED] for said in (mine, theirs))
    if MEASURED.isdisjoint(kinds):
        return len(named) <= len(units) and after.shape[_first(after, answer)] == NAME
    return {*named} <= {*units}


def answers_label(before: Reading, after: Reading) -> bool:
    """Whether the newer begins with the words of the older's label, which is of one thing."""
    label = label_words(before)
    return bool(label) and not label[-1].endswith(PLURAL) and behind_label(after, label) is not None


def label_words(one: Reading) -> list[str]:
    """What the label of a statement tells; empty where it has none."""
    end = one.words.index(LABEL) if LABEL in one.words else 0
    told = [word for kind, word in places(one, 0, end) if tells(kind, word)]
    return told or [word for word in one.words[:end] if word not in _ENGLISH]  # `CI`; Italian has `ci`


def behind_label(after: Reading, label: list[str]) -> int | None:
    """The place behind a label that a statement begins with, in order; None where it does not."""
    wanted = list(reversed(label))
    for at, (kind, word) in enumerate(places(after)):
        if not wanted:
            return at
        if not tells(kind, word):
            continue
        bare = unelided(word)
        if not (bare == wanted[-1] or share_stem(bare, wanted[-1])):
            return None
        wanted.pop()
    return None


def _answer(after: Reading, behind: int) -> int | None:
    """The place behind the copula, or the word of now, that comes next, also behind a verb (`liegt jetzt bei`); None
    where something else is told first."""
    if after.words[behind + 1 : behind + 2] and after.words[behind + 1] in _BEHIND_A_VERB:
        return behind + 2
    for at in range(behind, len(after.words)):
        word = after.words[at]
        if word in IS or word in FROM_NOW_ON:
            # Signs behind one that says that it is another now are a part of it: `改成`, `换为`.
            goes_on = is_unspaced(word) and at + 1 < len(after.words) and is_unspaced(after.words[at + 1])
            return at + 1 + goes_on
        if word not in FUNCTION_WORDS:
            return None
    return None


def _first(after: Reading, answer: int) -> int:
    """The place of the first word of an answer that is no copula, no particle (`改成了`), and tells no time."""
    last = len(after.words) - 1
    return next((at for at in range(answer, last) if not _leads_in(after.words[at])), last)


def _leads_in(word: str) -> bool:
    return word in IS or word in FROM_NOW_ON or (is_unspaced(word) and word in FUNCTION_WORDS)
