"""What a host says of whom it works for: `The user prefers tabs`, `User's rent went up`; it rarely has a name there."""

from __future__ import annotations

from graphdream.dreamers.reading.sentences import OWNER, Word, words, writes_without_blanks
from graphdream.facts.words import ADDS, FROM_NOW_ON, NEGATIONS
from graphdream.language.classes import closed_class
from graphdream.language.forms import unelided

USER = closed_class("user")
_MOST_BEFORE = 1  # an article
_PRESENT, PAST = "s", "ed"
"""What an English verb ends in that tells what holds of somebody, and one that tells what happened."""
MAY = frozenset(("can", "can't", "cannot", "must"))
"""English verbs of what somebody may and has to do, which have no ending."""
_ADVERBIAL = "ly"
_ADVERBS = (closed_class("always") | ADDS | NEGATIONS | {"now", "longer", "still", "often"}) - MAY
"""What stands before an English verb: `no longer uses`, `never eats`, `also likes`; so do words in -ly."""


def is_of_user(sentence: str, language: str | None) -> bool:
    """Whether a sentence says something that holds of the user, or of what the user has.

    In English what happened is told from what holds by the verb, and stays text of its session, since a host sums up
    every request (`the user asked for tests`). A word of change (`the user moved to Bergen`) tells what holds since.
    """
    found = words(sentence)
    place = _place(found)
    if place is None:
        return False
    if writes_without_blanks(found[0].text[0]):
        return True
    behind = found[place + 1 :]
    return bool(behind) and (is_users(found[place].text) or language not in (None, "en") or _holds(behind))


def speaks_of_user(sentence: str) -> bool:
    """Whether a sentence begins with the user."""
    return _place(words(sentence)) is not None


def _place(found: list[Word]) -> int | None:
    """The number of the word that means the user, among the first of a sentence; None where there is none."""
    if found and writes_without_blanks(found[0].text[0]):
        run = found[0].text
        return 0 if any(run.startswith(word) and len(run) > len(word) for word in USER) else None
    return next((at for at, word in enumerate(found[: _MOST_BEFORE + 1]) if _is_user(word.text)), None)


def is_users(word: str) -> bool:
    """Whether a word says that the user has what follows: `user's`."""
    return OWNER.search(word) is not None and _is_user(word)


def _is_user(word: str) -> bool:
    return unelided(OWNER.sub("", word)).casefold() in USER


def _holds(told: list[Word]) -> bool:
    """Whether what is told in English, verb first or an adverb before it, holds from then on."""
    found = [word.text.casefold() for word in told]
    start = next((at for at, word in enumerate(found) if not _is_adverb(word)), len(found))
    if start == len(found) or not FROM_NOW_ON.isdisjoint(found[:start]):
        return start < len(found)
    verb, behind = found[start], found[start + 1 : start + 2]
    if verb == "has" and behind:
        return behind[0] in FROM_NOW_ON or not behind[0].endswith(PAST)
    return verb in FROM_NOW_ON or verb in MAY or (verb.endswith(_PRESENT) and verb != "was")


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or word.endswith(_ADVERBIAL)
