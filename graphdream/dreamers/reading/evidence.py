"""Is what opens a sentence the name of somebody new? Named signals, each with its weight, and one threshold.

A capital at the head of a sentence proves nothing, and where every noun has one, a capital proves nothing anywhere. So
a name that no entity bears needs evidence from elsewhere: the dictionary of the language, the other texts of the
memory, or the way it is written. Where that is not enough the sentence stays what it is, text of its session.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphdream.dreamers.gathered import Usage
from graphdream.dreamers.reading.sentences import OWNER
from graphdream.facts.words import FUNCTION_WORDS, NEGATIONS
from graphdream.graph.name_gate import name_fault
from graphdream.language.calendar import calendar_of
from graphdream.language.forms import APOSTROPHES
from graphdream.language.lexicon import capitalises_nouns, has_dictionary, is_compound, is_inflected, written
from graphdream.language.naming import titles_of

ENOUGH = 2.0
"""Sum of weights from which on a run of words is a name."""

SHORTEST = 2  # signs; a letter alone stands for anything

WEIGHTS = {
    "absent": 2.0,  # no dictionary has one of its words
    "proper": 2.0,  # dictionaries have it with a capital only, and in this language that means a name
    "several": 2.0,  # several words with a capital, the later ones not owing it to anything
    "pair": 2.0,  # several words, each absent or a noun; two nouns do not open a sentence side by side
    "shared": 2.0,  # somebody else bears the last of several words, too: a last name
    "inside": 4.0,  # this memory writes it with a capital where none is owed, and never without one
    "recurs": 4.0,  # likewise of several words, met together again
    "owner": 2.0,  # somebody owns something: a genitive behind it
    "titled": 4.0,  # a title stands before it, as only before names of people
    "marked": 2.0,  # written as an identifier, or set off by quotation marks or as code
    "common": -2.0,  # a dictionary has it, or the first of several, without a capital
    "lower": -4.0,  # this memory writes it without a capital
    "made": -2.0,  # it is made of a word of its language: a compound, or a form
    "acronym": -1.0,  # capitals only: as often a kind of thing as a name
    "grammar": -4.0,  # a word of grammar of some language, or one with such a word before it: `Ich`, `I'm`, `C'est`
}

# A capital within, signs of paths and addresses, or a figure behind three letters (`Q3` is a time, `V2` a version).
INNER = re.compile(r"[^\W\d_A-ZÀ-ÞА-Я][A-ZÀ-ÞА-Я]|[^\W\d_]{3}-?\d|[_/@#+]|\w\.\w")
_LONGEST_ACRONYM = 5
_GRAMMAR = FUNCTION_WORDS | NEGATIONS


@dataclass(frozen=True, slots=True)
class Opening:
    """Words that may name whom a sentence is about.

    Attributes:
        set_off: quotation marks or code marks stand around them.
        opens: they are the first of the sentence, so the first capital is owed to that.
        recurs: unread sentences hold these very words more than once, and not only to open with.
        is_named: the first of several is a noun, and a verb comes behind the last; so a person is named by a word.
        is_shared: somebody else bears the last of several behind another first name, and it is met nowhere alone.
    """

    words: tuple[str, ...]
    set_off: bool = False
    opens: bool = True
    recurs: bool = False
    is_named: bool = False
    is_shared: bool = False

    @property
    def name(self) -> str:
        """The name that it would be, as it is written."""
        return OWNER.sub("", " ".join(self.words))


def signals(opening: Opening, usage: Mapping[str, Usage], language: str | None) -> tuple[str, ...]:
    """The signals that hold for an opening. Their weights sum up to how sure it is that it is a name.

    Args:
        usage: how this memory writes words elsewhere, by the word in lower case.
        language: code of the language of the sentence; None where it is not known, and no dictionary speaks.
    """
    words = [OWNER.sub("", word) for word in opening.words]
    found: list[str] = []
    if opening.set_off or any(INNER.search(word) for word in words):
        found.append("marked")
    if OWNER.search(opening.words[-1]):
        found.append("owner")
    if _begins_with_grammar(opening.words[0]) or (len(words) == 1 and words[0].casefold() in _GRAMMAR):
        found.append("grammar")
    if opening.recurs:
        found.append("recurs")
    if opening.is_shared:
        found.append("shared")
    if is_title(words[0], language) and not all(is_title(word, language) for word in words):
        found.append("titled")
    nouns_too = capitalises_nouns(language)
    if len(words) > 1 and not nouns_too:
        found.append("several")
    elif all(word.isupper() and 1 < len(word) <= _LONGEST_ACRONYM for word in words):
        found.append("acronym")
    used = [] if opening.set_off else _used(words, usage, nouns_too)
    found += ["inside"] if not used and not opening.opens and not nouns_too else used
    if language is not None and has_dictionary(language):
        found += _in_dictionaries(words, language, is_named=opening.is_named)
    return tuple(found)


def _begins_with_grammar(word: str) -> bool:
    """Whether a word of grammar is written as one with what stands behind it (`I'm`, `they've`, `l'appartement`), which
    is no name with a mark in it (`O'Brien`, `Xi'an`): behind that mark stands a capital, or no such word before it."""
    first, mark, rest = re.sub(f"[{APOSTROPHES}]", "'", word).partition("'")
    if not mark or not rest[:1].islower() or OWNER.search(word):
        return False
    return len(first) == 1 or first.casefold() in _GRAMMAR or word.casefold() in NEGATIONS


def is_name(opening: Opening, usage: Mapping[str, Usage], language: str | None) -> bool:
    """Whether an opening is the name of somebody or something that an entity may be made of."""
    if len(opening.name) < SHORTEST or name_fault(opening.name) is not None:
        return False
    dated = opening.words[1:] if len(opening.words) > 1 and is_month(opening.words[0], language) else opening.words
    if is_time(" ".join(dated), language):  # `May Quill` is somebody, `May` is none
        return False
    return sum(WEIGHTS[signal] for signal in signals(opening, usage, language)) >= ENOUGH


def _used(words: Sequence[str], usage: Mapping[str, Usage], nouns_too: bool) -> list[str]:
    """What the other texts of the memory say; of several words, the last is the one that is asked about."""
    known = usage.get(words[-1].casefold()) if len(words) == 1 else None
    if known is None:
        return []
    if known.lower and (nouns_too or known.lower >= known.inside):
        return ["lower"]
    return ["inside"] if known.inside and not nouns_too else []


def _in_dictionaries(words: Sequence[str], language: str, *, is_named: bool) -> list[str]:
    """What the dictionary of the sentence's language says, and the English one: its words are borrowed everywhere."""
    own = [written(word, language) for word in words]
    english = own if language == "en" else [written(word, "en") for word in words]
    if len(words) > 1:
        if own[0] == "lower":
            return [] if is_named else ["common"]
        nouns = capitalises_nouns(language) and own[0] in ("absent", "proper") and "lower" not in own[1:]
        return ["pair"] if nouns else []
    if own[0] == "lower" or (own[0] == "absent" and english[0] == "lower"):
        return ["common"]
    if own[0] == "absent":
        made = is_compound(words[0], language) or is_inflected(words[0], language)
        return ["absent", "made"] if made else ["absent"]
    if own[0] == "proper" and (not capitalises_nouns(language) or english[0] == "proper"):
        return ["proper"]
    return []


def is_title(word: str, language: str | None) -> bool:
    """Whether a word is a title of people in its language, as it stands before their names."""
    return word.casefold().rstrip(".") in titles_of(language)


def is_time(name: str, language: str | None) -> bool:
    """Whether a word of a name stands for a day, a month or a span of time, also in the plural (`Sundays`)."""
    calendar = calendar_of(language) if language is not None else None
    if calendar is None:
        return False
    found = {OWNER.sub("", word).lower() for word in name.split()}
    return any(word in calendar.words or word.rstrip("s") in calendar.words for word in found)


def is_month(word: str, language: str | None) -> bool:
    """Whether a word stands for a month; some first names do (`April`, `August`)."""
    calendar = calendar_of(language) if language is not None else None
    return calendar is not None and word.lower() in calendar.months
