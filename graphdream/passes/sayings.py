"""Sentences that say outright what the agent is to do or not to do: told by their form, in any language whose closed
classes are known, and left alone where there is doubt."""

from __future__ import annotations

import re
from typing import Literal

from graphdream.facts.words import FUNCTION_WORDS, NEGATIONS
from graphdream.language.classes import closed_class

Saying = Literal["dont", "always"]
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEWEST, _MOST = 3, 60  # words of a sentence that can be one
_BEFORE = 2  # words that may lead in: `please`, `bitte`, the verb of a language that negates behind it
_SIGNS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def sentences(text: str) -> list[str]:
    """The sentences of a text, without blanks around them."""
    return [said for found in _SENTENCE.findall(text) if (said := found.strip())]


def saying(sentence: str) -> Saying | None:
    """Whether a sentence forbids something, or asks that something always be done.

    A prohibition begins with a denial, or has one behind a word or two that are neither pronoun nor auxiliary (`don't
    send …`, `bitte nicht …`, `verwende nie …`); `that is not right` has both before it and says nothing of the kind. A
    standing wish has an adverb of every time in that place. Questions are neither.
    """
    if sentence.rstrip().endswith(("?", "？")):
        return None
    if _SIGNS.search(sentence):
        return _without_blanks(sentence)
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(sentence)]
    if not _FEWEST <= len(words) <= _MOST:
        return None
    always = closed_class("always")
    for place, word in enumerate(words[: _BEFORE + 1]):
        if word in NEGATIONS and not _answers(sentence, words, place):
            return "dont" if len(words) - place > 2 else None
        if word in always:
            return "always" if len(words) - place > 1 else None
        if word == "do" and words[place + 1 : place + 2] == ["not"]:
            continue
        if word in FUNCTION_WORDS:
            return None
    return None


def _answers(sentence: str, words: list[str], place: int) -> bool:
    """Whether a denial at the head is an answer (`No, that …`) or belongs to a noun (`no idea`)."""
    first = words[place]
    behind = sentence[sentence.casefold().replace("’", "'").find(first) + len(first) :].lstrip(" ")
    return behind[:1] in (",", ";", ":", "-", "–", "—") or (first in ("no", "none", "nothing", "nobody") and place == 0)


def _without_blanks(sentence: str) -> Saying | None:
    """Of a script without blanks, a denial or an adverb of every time decides where it stands early."""
    head = sentence[:12]
    if any(mark in head for mark in closed_class("always") if _SIGNS.search(mark)):
        return "always"
    return "dont" if sentence.lstrip()[:1] in closed_class("denies") else None
