"""Facts of folders: a folder is no subject, so the same said of two things stands in it twice.

An entity's facts leave their subject out or name it; two of them with the same words say the same. Of facts that are
only filed together that holds where neither names what the other does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from graphdream.dreamers.gathered import Gathered
from graphdream.facts.words import FUNCTION_WORDS, IS, is_of_change
from graphdream.graph.categories import FOLDER
from graphdream.language.classes import closed_class
from graphdream.language.forms import share_stem

_WORD = re.compile(r"[^\W_]+")
_LEADS_IN = FUNCTION_WORDS | closed_class("anew")
_LONGEST = 8  # words before the copula


def told_apart(gathered: Gathered) -> Callable[[int, int], bool]:
    """A check of two facts of a view: whether neither is the other, whatever their words are.

    So it is where it was settled that both hold, and where both are filed in folders and each names something that the
    other does not.
    """
    folders = {entity.id for entity in gathered.entities if entity.type == FOLDER}
    filed = {fact.id: fact.content for fact in gathered.facts if fact.entity_id in folders}

    def check(first: int, second: int) -> bool:
        if (min(first, second), max(first, second)) in gathered.both_hold:
            return True
        return first in filed and second in filed and name_different_things(filed[first], filed[second])

    return check


def name_different_things(first: str, second: str) -> bool:
    """Whether each text has a capitalised word that the other has not in any case: `Ivo` here, `Emeka` there.

    A capital that is owed to the start of a sentence counts: there stands the name of whom the sentence is about. Where
    that is the same in both, they are about one thing, whatever else they name. But a form of it that the other writes
    small (`Sessions`, `session`) is no name, nor is a verb of change.
    """
    if _subject(first) == _subject(second) != "":
        return False
    return bool(_named(first, second)) and bool(_named(second, first))


def _named(text: str, other: str) -> set[str]:
    """The capitalised words of a text that another has not, but for a first one that names nobody."""
    found, theirs = _WORD.findall(text), _WORD.findall(other)
    named = _capitals(text) - _words(other)
    first = found[0].casefold() if found else ""
    small = any(share_stem(first, word) for word in theirs if word[0].islower())
    return named - {first} if small or is_of_change(first) else named


def _subject(text: str) -> str:
    """What a sentence tells before its copula; or the word that it begins with, also behind what leads in to it (`the
    API`, `die neue Anmeldung`), where a plain word comes next and no name goes on with it (`my sister Ada`, `the ferry
    to Texel`)."""
    found = _WORD.findall(text)
    copula = next((at for at, word in enumerate(found[:_LONGEST]) if at and word.casefold() in IS), 0)
    about = [word.casefold() for word in found[:copula] if word.casefold() not in _LEADS_IN]
    if about:
        return " ".join(about)
    first = next((at for at, word in enumerate(found) if word.casefold() not in _LEADS_IN), len(found))
    word, behind = found[first : first + 1], found[first + 1 : first + 2]
    if not word or (first == 0 and not word[0][0].isupper()):
        return ""
    goes_on = first and not (behind and behind[0][0].islower() and behind[0].casefold() not in FUNCTION_WORDS)
    return "" if goes_on else word[0].casefold()


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _capitals(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text) if word[0].isupper()} - FUNCTION_WORDS
