"""Whether a statement is about what the subject has: `Ondrea's mother was born in Ghent` is not about Ondrea."""

from __future__ import annotations

from collections.abc import Sequence

from graphdream.facts.reading import LABEL, NAME, SUBJECT, Reading
from graphdream.facts.telling import places, tells
from graphdream.facts.words import FUNCTION_WORDS, LIMITS, OF
from graphdream.language.classes import closed_class

_POSSESSIVE = "'s"
_GENITIVE = "s"
"""What German adds to a name, without an apostrophe."""
_THAT = "that"
"""What an English clause follows; in most other languages a comma stands before it."""
_POSSESSIVES = closed_class("possessive")
_NARROWS = LIMITS - FUNCTION_WORDS
"""Adverbs that narrow what is said: `only`, `nur`."""


def is_of_another(more: Reading, less: Reading, names: Sequence[str]) -> bool:
    """Whether a statement that has all words of another is about something that the other does not name, or narrows it.

    `'s mother was born in Ghent` beside `was born in Ghent`, `la madre de § nació en Gante` beside `nació en Gante`,
    `the draft of the report is done` beside `the report is done`, `eats meat only on Sundays` beside `eats meat`; not
    `'s time zone is CET` beside `time zone: CET`.

    Args:
        more, less: the subject is not in them where they begin with it.
        names: of the subject, as they are written.
    """
    known = frozenset(less.words)
    if not _NARROWS.isdisjoint(frozenset(more.words) - known):
        return True
    if _is_of_ones_own(more, less):
        return True
    possessed = _possessed(more, less, frozenset(f"{name.casefold()}{_GENITIVE}" for name in names))
    return bool(possessed) and known.isdisjoint(possessed)


def _is_of_ones_own(more: Reading, less: Reading) -> bool:
    """Whether a statement says of somebody's own what the other says of the subject: `su madre vive en Reus`, `vive en
    Reus`."""
    if _POSSESSIVES.isdisjoint(more.words):
        return False
    first = next((word for kind, word in places(less) if tells(kind, word)), SUBJECT)
    end = next((at for at, word in enumerate(more.words) if word == first), 0)
    whose = next((at for at in range(end) if more.words[at] in _POSSESSIVES), end)
    return any(tells(*both) and both[1] not in less.words for both in places(more, whose + 1, end))


def may_be_of_another(more: Reading, less: Reading) -> bool:
    """Whether a statement says another with something before who it is about, or with a word right behind its subject.

    It may be about a part of that (`Syster till Malin bor i Visby`, `Atlas client is written in Rust`), say when it is
    so (`on Fridays Ruud closes at 6`), who said it, or how it is (`Atlas still is written in Rust`). What a memory
    writes before many sentences is not here any more (wrappers.py); what a mark or a colon sets off is no part of it.
    """
    if more.named and less.named and SUBJECT not in more.shape and more.words[1:] == less.words:
        return True
    if not less.named and less.shape[:1] != (NAME,):
        return False  # a piece of a sentence, most of the time
    said = (SUBJECT, *less.words) if less.named and SUBJECT not in less.shape else less.words
    begins = next((at for at in range(len(more.words)) if more.words[at : at + len(said)] == said), 0)
    leads_in = more.words[:begins]
    if LABEL in leads_in or leads_in[-1:] == (_THAT,) or more.marks.intersection(range(1, begins + 1)):
        return False
    return any(tells(kind, word) for kind, word in places(more, 0, begins))


def _possessed(more: Reading, less: Reading, genitives: frozenset[str]) -> Sequence[str]:
    """The word for what something has: the one behind the possessive, or before what leads in to what the shorter
    statement is about."""
    telling = [tells(kind, word) for kind, word in places(more)]
    about, leads_in = _about(less)
    for at, (kind, word) in enumerate(places(more)):
        if (word == _POSSESSIVE and (at == 0 or more.shape[at - 1] == SUBJECT)) or word in genitives:
            return more.words[at + 1 : at + 2]
        if kind == SUBJECT or word == about:
            before = next((place for place in range(at - 1, -1, -1) if telling[place]), -1)
            led_in = set(more.words[before + 1 : at]) - leads_in
            return more.words[before : before + 1] if before >= 0 and led_in and OF.issuperset(led_in) else ()
    return ()


def _about(one: Reading) -> tuple[str, frozenset[str]]:
    """What a statement is about, and the words before that: its subject, or else what it begins with."""
    if one.named:
        return SUBJECT, frozenset()
    at, word = next(((at, word) for at, (kind, word) in enumerate(places(one)) if tells(kind, word)), (0, SUBJECT))
    return word, frozenset(one.words[:at])
