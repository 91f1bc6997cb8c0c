"""Adjectives that open a sentence before a noun, and are no name by themselves: `Муфельная печь сломалась`."""

from __future__ import annotations

from graphdream.dreamers.reading.sentences import Word
from graphdream.language.classes import function_words
from graphdream.language.present import may_be_present

_ADJECTIVES = {
    "ru": ("ый", "ий", "ой", "ая", "яя", "ое", "ее", "ые", "ие"),
    "uk": ("ий", "ій", "яя", "ова", "на", "не", "ні", "і"),
}
"""What an adjective ends in before a noun in the nominative (Universal Dependencies: Case=Nom of the tag ADJ). Last
names do, too (`Толстая`); behind these stands a verb."""
_PAST = {
    "ru": ("л", "ла", "ло", "ли", "лся", "лась", "лось", "лись"),
    "uk": ("в", "ла", "ло", "ли", "вся", "лася", "лося", "лися"),
}
"""What a verb in the past ends in (Universal Dependencies: Tense=Past)."""


def qualifies(word: str, behind: Word | None, language: str | None) -> bool:
    """Whether a word says of what kind the noun behind it is."""
    if language not in _ADJECTIVES or behind is None or behind.is_capital or not behind.text.isalpha():
        return False
    told = behind.text
    is_verb = may_be_present(told, language) or told.endswith(_PAST[language])
    return word.endswith(_ADJECTIVES[language]) and not is_verb and told not in function_words().get(language, ())
